from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lit_roberta.comparison.judging.claims import Arm
from lit_roberta.comparison.judging.verdict import Verdict, reach_verdict
from lit_roberta.comparison.judging.wording import nats
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_arm, plant_unigram


def verdict_of(*arms: Arm, unigram: float = 6.0) -> Verdict:
    return reach_verdict(arms, plant_unigram(arms[0], unigram))


def bert(on_pairs: float, on_documents: float, **planted: float) -> Arm:
    losses = {PAIRS: on_pairs, DOCUMENTS: on_documents}
    return plant_arm("bert", losses, format=PAIRS, **planted)  # type: ignore[arg-type]


def roberta(on_pairs: float, on_documents: float, **planted: float) -> Arm:
    losses = {PAIRS: on_pairs, DOCUMENTS: on_documents}
    return plant_arm("roberta", losses, format=DOCUMENTS, **planted)  # type: ignore[arg-type]


@pytest.mark.parametrize("best", ["bert", "roberta"])
def test_either_side_can_win_and_must_win_in_both_formats(best: str) -> None:
    low, high = (4.0, 4.4), (4.5, 5.0)
    scores = (low, high) if best == "bert" else (high, low)
    verdict = verdict_of(bert(*scores[0]), roberta(*scores[1]))
    assert (verdict.kind, verdict.winner) == ("winner", best)
    assert verdict.headline == f"{best} is the better recipe on this text."
    (sentence,) = verdict.sentences
    assert sentence.startswith(f"{best} is better than ")
    assert "in both formats: by 0." in sentence
    assert f"on {PAIRS} (95% interval over runs 0." in sentence
    assert "perplexity" in sentence


def test_each_winning_its_own_format_is_no_victory() -> None:
    verdict = verdict_of(bert(3.1, 4.9), roberta(5.2, 3.3))
    assert (verdict.kind, verdict.winner) == ("each-wins-own-format", None)
    assert "Each recipe is better in the format that it was trained on" in verdict.headline
    (sentence,) = verdict.sentences
    assert "bert by 2." in sentence
    assert "roberta by 1." in sentence
    assert "Loss cannot decide between them" in sentence


def test_each_winning_the_others_format_is_no_victory_either() -> None:
    verdict = verdict_of(bert(5.2, 3.3), roberta(3.1, 4.9))
    assert verdict.kind == "cannot-tell"
    assert "format that the other was trained on" in verdict.sentences[0]


def test_without_context_no_winner_is_named() -> None:
    verdict = verdict_of(bert(5.0, 5.0), roberta(4.0, 4.0), unigram=4.8)
    assert (verdict.kind, verdict.winner) == ("not-learned-context", None)
    assert verdict.headline == "bert has not learned context. So no winner is named."
    assert "nats above the loss of word frequencies alone" in verdict.sentences[0]


def test_nobody_learned_context() -> None:
    verdict = verdict_of(bert(5.6, 5.6), roberta(6.3, 6.3), unigram=5.15)
    assert verdict.kind == "not-learned-context"
    assert verdict.headline.startswith("bert and roberta have not learned context.")
    assert verdict.sentences[1:] == [
        "Train longer (--budget.amount), or choose rates with --tune-lr 3."
    ]


def test_below_the_unigram_line_by_less_than_the_interval_is_not_learned() -> None:
    verdict = verdict_of(bert(4.79, 4.79), roberta(4.0, 4.0), unigram=4.8)
    assert verdict.kind == "not-learned-context"
    assert "below the loss of word frequencies" in verdict.sentences[0]


def test_no_difference_needs_narrow_intervals() -> None:
    exact = {"run_deviation": 0.004, "document_deviation": 0.02}
    same = {PAIRS: 4.0, DOCUMENTS: 4.5}
    first = plant_arm("bert", same, format=PAIRS, **exact)  # type: ignore[arg-type]
    second = plant_arm("roberta", same, format=DOCUMENTS, **exact)  # type: ignore[arg-type]
    verdict = verdict_of(first, second)
    assert verdict.kind == "no-difference"
    assert "no difference that matters" in verdict.headline
    assert "within 0.05 nats per masked token, about 5% of perplexity" in verdict.sentences[0]


@pytest.mark.parametrize(("runs", "offered"), [(9, False), (10, True)])
def test_from_ten_runs_a_bootstrap_of_both_units_stands_beside_the_two(
    runs: int, offered: bool
) -> None:
    first = plant_arm("bert", {PAIRS: 4.0, DOCUMENTS: 4.5}, format=PAIRS, runs=runs)
    second = plant_arm("roberta", {PAIRS: 4.1, DOCUMENTS: 4.6}, format=DOCUMENTS, runs=runs)
    verdict = verdict_of(first, second)
    said = verdict.sentences[0]
    assert "over runs" in said
    assert "over documents" in said
    assert ("both by two-level bootstrap" in said) is offered


def test_wide_intervals_mean_that_nobody_can_tell() -> None:
    rough = {"run_deviation": 0.3, "document_deviation": 0.3}
    first = plant_arm("bert", {PAIRS: 4.0, DOCUMENTS: 4.5}, format=PAIRS, **rough)  # type: ignore[arg-type]
    second = plant_arm("roberta", {PAIRS: 4.1, DOCUMENTS: 4.6}, format=DOCUMENTS, **rough)  # type: ignore[arg-type]
    verdict = verdict_of(first, second)
    assert verdict.kind == "cannot-tell"
    assert "Nobody can tell" in verdict.headline
    assert "runs of each would be needed" in verdict.sentences[0]


@pytest.mark.parametrize(("runs", "stream"), [(3, None), (6, None), (3, "one")])
def test_what_runs_of_one_seed_show_is_told_where_no_interval_is_made_of_it(
    runs: int, stream: str | None
) -> None:
    rough = {"run_deviation": 0.3, "document_deviation": 0.3, "runs": runs}
    first, second = (
        replace(plant_arm(name, {PAIRS: loss}, format=PAIRS, **rough), stream=stream)  # type: ignore[arg-type]
        for name, loss in (("bert-10", 4.0), ("dynamic", 4.1))
    )
    verdict = verdict_of(first, second)
    assert verdict.kind == "cannot-tell"
    each = first.losses(PAIRS) - second.losses(PAIRS)
    told = "Seed by seed it is " + " and ".join(
        [", ".join(nats(one, sign=True) for one in each[:-1]), nats(each[-1], sign=True)]
    )
    assert (told in verdict.sentences[0]) is (runs == 3 and stream is None)
    others = replace(second, seeds=tuple(seed + 1 for seed in second.seeds))
    assert "Seed by seed" not in verdict_of(first, others).sentences[0]


def test_documents_that_disagree_are_named_as_the_reason() -> None:
    wild = {"run_deviation": 0.01, "document_deviation": 2.0}
    first = plant_arm("bert", {PAIRS: 4.0}, format=PAIRS, **wild)  # type: ignore[arg-type]
    second = plant_arm("bert-10", {PAIRS: 4.2}, format=PAIRS, **wild)  # type: ignore[arg-type]
    verdict = verdict_of(first, second, unigram=9.0)
    assert verdict.kind == "cannot-tell"
    assert "more held-out text would help" in verdict.sentences[0]


@pytest.mark.parametrize(
    ("runs", "documents", "which"),
    [
        (2, 30, "runs"),
        (5, 7, "held-out documents"),
        (2, 7, "runs and held-out documents"),
    ],
)
def test_too_few_runs_or_documents_give_figures_only(
    runs: int, documents: int, which: str
) -> None:
    planted = {"runs": runs, "documents": documents}
    verdict = verdict_of(bert(4.0, 4.4, **planted), roberta(4.5, 5.0, **planted))
    assert (verdict.kind, verdict.winner) == ("too-few", None)
    assert verdict.headline == f"Too few {which} for a verdict: these are figures only."
    reason, figures = verdict.sentences
    assert reason == (
        f"{runs} runs each and {documents} held-out documents; a verdict needs 3 and 8."
    )
    assert figures.startswith("bert minus roberta: -0.")
    assert "runs of each would be needed" in figures


def test_a_reason_that_all_pairs_share_is_said_once() -> None:
    ten = plant_arm("bert-10", {PAIRS: 4.2, DOCUMENTS: 4.7}, format=PAIRS, runs=1)
    verdict = verdict_of(bert(4.0, 4.4, runs=1), ten, roberta(4.5, 5.0, runs=1))
    assert verdict.kind == "too-few"
    reason, *figures = verdict.sentences
    assert reason == (
        "1 run each and 30 held-out documents; a verdict needs 3 and 8. One run says nothing "
        "about how much runs differ."
    )
    assert [sentence.partition(":")[0] for sentence in figures] == [
        "bert minus bert-10",
        "bert minus roberta",
        "bert-10 minus roberta",
    ]


def test_a_reason_that_holds_for_some_pairs_names_them() -> None:
    ten = plant_arm("bert-10", {PAIRS: 4.2, DOCUMENTS: 4.7}, format=PAIRS)
    verdict = verdict_of(bert(4.0, 4.4), ten, roberta(4.5, 5.0, runs=2))
    reasons = [sentence for sentence in verdict.sentences if "a verdict needs" in sentence]
    assert reasons == [
        "bert and roberta; bert-10 and roberta: 2 runs each and 30 held-out documents; a verdict "
        "needs 3 and 8."
    ]


def test_the_same_run_is_said_to_be_one() -> None:
    first = bert(4.0, 4.4)
    verdict = verdict_of(first, replace(first, name="bert-dynamic", same_as="bert"))
    assert verdict.kind == "same-run"
    assert "the same run" in verdict.headline
    assert "no mask is seen twice" in verdict.sentences[0]


def test_what_loss_cannot_judge_is_left_open() -> None:
    first, second = bert(4.0, 4.4), roberta(4.5, 5.0)
    verdict = verdict_of(
        replace(first, unjudged={"data.masking.rate": 0.15}),
        replace(second, unjudged={"data.masking.rate": 0.4}),
    )
    assert verdict.kind == "cannot-tell"
    assert "differ in data.masking.rate" in verdict.sentences[0]


def test_of_three_the_winner_beats_both_others() -> None:
    ten = plant_arm("bert-10", {PAIRS: 4.2, DOCUMENTS: 4.7}, format=PAIRS)
    verdict = verdict_of(bert(4.5, 5.0), ten, roberta(3.9, 4.3))
    assert (verdict.kind, verdict.winner) == ("winner", "roberta")
    assert "better than every other recipe" in verdict.headline
    assert [pair.kind for pair in verdict.pairs] == ["winner"] * 3


def test_of_three_the_one_without_context_does_not_stop_the_others() -> None:
    ten = plant_arm("bert-10", {PAIRS: 4.2, DOCUMENTS: 4.7}, format=PAIRS)
    verdict = verdict_of(bert(5.5, 5.5), ten, roberta(3.9, 4.3), unigram=5.0)
    assert (verdict.kind, verdict.winner) == ("winner", "roberta")
    assert verdict.headline == (
        "roberta is the better recipe on this text. bert has not learned context."
    )
    reason, winner = verdict.sentences
    assert reason.endswith(
        "So no winner is named between bert and bert-10, nor between bert and roberta."
    )
    assert winner.startswith("roberta is better than bert-10")


def test_of_three_the_headline_names_those_that_it_is_about() -> None:
    ten = plant_arm("bert-10", {PAIRS: 3.0, DOCUMENTS: 4.9}, format=PAIRS)
    verdict = verdict_of(bert(5.5, 5.5), ten, roberta(4.8, 3.3), unigram=5.0)
    assert verdict.kind == "each-wins-own-format"
    assert verdict.headline == (
        "Each of bert-10 and roberta is better in the format that it was trained on; loss cannot "
        "decide between them. bert has not learned context."
    )


def test_of_three_without_one_best_each_pair_is_said() -> None:
    ten = plant_arm("bert-10", {PAIRS: 3.0, DOCUMENTS: 4.9}, format=PAIRS)
    verdict = verdict_of(bert(3.5, 5.1), ten, roberta(5.2, 3.3))
    assert verdict.kind == "cannot-tell"
    assert verdict.headline == "No recipe is better than all the others."
    assert [pair.kind for pair in verdict.pairs] == [
        "winner",
        "each-wins-own-format",
        "each-wins-own-format",
    ]


def test_runs_on_the_same_stream_are_compared_seed_by_seed() -> None:
    first = plant_arm("slow", {PAIRS: 4.0}, run_deviation=0.3)
    nats = {PAIRS: first.nats[PAIRS] + 0.1 * first.counts}
    second = replace(first, name="fast", nats=nats)
    apart = verdict_of(first, second)
    together = verdict_of(replace(first, stream="s"), replace(second, stream="s"))
    assert (apart.kind, together.kind) == ("cannot-tell", "winner")
    assert together.winner == "slow"


def test_runs_on_the_same_stream_need_fewer_to_show_a_difference() -> None:
    first = plant_arm("slow", {PAIRS: 4.0}, run_deviation=0.3)
    wobble = np.array([[0.0], [0.04], [-0.04], [0.02], [-0.02]]) * first.counts
    second = replace(
        first, name="fast", nats={PAIRS: first.nats[PAIRS] + wobble - 0.02 * first.counts}
    )
    (apart,) = verdict_of(first, second).pairs[0].differences
    streams = [replace(arm, stream="s") for arm in (first, second)]
    (together,) = verdict_of(*streams).pairs[0].differences
    assert together.runs_needed is not None
    assert together.over_runs is not None
    assert not together.over_runs.excludes_zero
    assert together.runs_needed > 5  # five were not enough
    assert apart.runs_needed is None or apart.runs_needed > 20 * together.runs_needed


def test_one_recipe_alone_has_no_verdict() -> None:
    verdict = verdict_of(bert(4.0, 4.4))
    assert verdict.kind == "too-few"
    assert "nothing to compare" in verdict.headline
    assert np.isclose(verdict.floors[0].estimate, -2, atol=0.1)


def test_recipes_that_failed_are_named() -> None:
    unigram = plant_unigram(bert(4.0, 4.4), 6.0)
    alone = reach_verdict([bert(4.0, 4.4)], unigram, failed=["roberta"])
    assert alone.headline == "No comparison: roberta has no finished run."
    both = reach_verdict([bert(4.0, 4.4), roberta(4.5, 5.0)], unigram, failed=["x", "y"])
    assert both.headline == "bert is the better recipe on this text. x and y have no finished run."


def test_without_a_true_difference_false_verdicts_are_rare() -> None:
    false = 0
    same = {PAIRS: 4.0, DOCUMENTS: 4.0}
    formats = {"bert": PAIRS, "bert-10": PAIRS, "roberta": DOCUMENTS}
    for seed in range(100):
        arms = [
            plant_arm(name, same, format=format, run_deviation=0.05, seed=seed)
            for name, format in formats.items()
        ]
        kinds = {pair.kind for pair in verdict_of(*arms).pairs}
        false += bool(kinds & {"winner", "each-wins-own-format"})
    assert false <= 5


@pytest.mark.parametrize("document_deviation", [0.001, 0.12, 1.0])
def test_false_verdicts_stay_rare_whichever_unit_varies_more(document_deviation: float) -> None:
    # In the middle the runs and the documents move the difference alike. Two intervals that each
    # ignore the other unit would both exclude zero in up to one case of six there.
    false = 0
    for seed in range(200):
        first, second = (
            plant_arm(
                name,
                {PAIRS: 4.0},
                run_deviation=0.05,
                document_deviation=document_deviation,
                seed=seed,
            )
            for name in ("one", "other")
        )
        false += verdict_of(first, second).kind == "winner"
    assert false <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5


def test_an_effect_of_eight_deviations_between_runs_is_always_found() -> None:
    for seed in range(100):
        verdict = verdict_of(
            bert(4.4, 4.9, seed=seed),
            roberta(4.4 - 8 * 0.02, 4.9 - 8 * 0.02, seed=seed),
        )
        assert (verdict.kind, verdict.winner) == ("winner", "roberta")
