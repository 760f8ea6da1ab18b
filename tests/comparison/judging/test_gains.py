from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from lit_roberta.comparison.judging.claims import Arm
from lit_roberta.comparison.judging.designs import Design, Judge, Rung
from lit_roberta.comparison.judging.gains import RungGain
from lit_roberta.comparison.judging.ladder_verdict import (
    gain_sentences,
    judge_ladder,
    reach_ladder_verdict,
)
from lit_roberta.comparison.judging.probe_judging import Answers
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_arm, plant_results, plant_unigram


def _rung(before: str, arm: str, judge: Judge = "loss", *, alone: bool = False) -> Rung:
    changes = {"model.x": [0, 1]}
    return Rung(
        arm=arm,
        before=before,
        switch=f"switch to {arm}",
        changes=changes,
        judge=judge,
        alone=alone,
    )


def _ladder(*rungs: Rung) -> Design:
    return Design(kind="ladder", rungs=[*rungs])


def _arms(losses: Mapping[str, float], **planted: float) -> list[Arm]:
    return [plant_arm(name, {PAIRS: loss}, **planted) for name, loss in losses.items()]  # type: ignore[arg-type]


def _gains(design: Design, arms: list[Arm], unigram: float = 5.0) -> dict[str, RungGain]:
    _, gains = judge_ladder(design, arms, plant_unigram(arms[0], unigram))
    return {gain.rung.arm: gain for gain in gains}


def test_a_gain_is_what_the_switch_takes_from_the_loss_with_both_intervals() -> None:
    arms = _arms({"a": 3.5, "better": 3.1, "worse": 3.3, "same": 3.3})
    design = _ladder(_rung("a", "better"), _rung("better", "worse"), _rung("worse", "same"))
    gains = _gains(design, arms)
    assert [gain.effect for gain in gains.values()] == ["helps", "hurts", "no-difference"]
    (gain,) = gains["better"].gains
    assert gain.estimate == pytest.approx(
        float(arms[0].losses(PAIRS).mean() - arms[1].losses(PAIRS).mean())
    )
    for interval in (gain.over_runs, gain.over_documents):
        assert interval is not None
        assert interval.low < gain.estimate < interval.high
        assert interval.low > 0


def test_the_rungs_of_a_walk_add_up_in_every_compared_format() -> None:
    formats = {"a": PAIRS, "b": PAIRS, "c": DOCUMENTS}
    losses = {
        "a": {PAIRS: 3.5, DOCUMENTS: 5.0},
        "b": {PAIRS: 3.1, DOCUMENTS: 4.6},
        "c": {PAIRS: 5.1, DOCUMENTS: 3.2},
    }
    arms = [plant_arm(name, losses[name], format=formats[name]) for name in losses]
    gains = _gains(_ladder(_rung("a", "b"), _rung("b", "c", "probes")), arms)
    for format in (PAIRS, DOCUMENTS):
        steps = [gain.in_format(format) for gain in gains.values()]
        total = float(arms[0].losses(format).mean() - arms[2].losses(format).mean())
        assert sum(step.estimate for step in steps if step) == pytest.approx(total)
    assert [difference.format for difference in gains["b"].gains] == [PAIRS]
    assert gains["b"].in_format("other") is None


def test_what_loss_cannot_judge_is_left_to_the_probes() -> None:
    arms = _arms({"a": 3.5, "b": 3.1})
    unigram = plant_unigram(arms[0], 5.0)
    design = _ladder(_rung("a", "b", "probes"))
    _, (gain,) = judge_ladder(design, arms, unigram)
    assert gain.effect == "not-for-loss"
    assert "loss cannot judge it: a gain of +0." in gain_sentences([gain])[0]
    random = np.random.default_rng(0)
    for shares, effect in (((0.6, 0.9), "helps"), ((0.9, 0.6), "hurts"), ((0.7, 0.7), None)):
        answers = [
            Answers(name=name, right=random.random((5, 400)) < share, asked=range(400))
            for name, share in zip("ab", shares, strict=True)
        ]
        _, (gain,) = judge_ladder(design, arms, unigram, answers)
        assert gain.effect == (effect or "not-for-loss")
        (sentence,) = gain_sentences([gain])
        points = "+" if effect == "helps" else "-"
        told = f"by the probes: {points}" if effect else "The probes do not tell, either: "
        assert told in sentence


def test_settings_that_loss_cannot_judge_are_marked_whatever_the_rung_says() -> None:
    first, second = _arms({"a": 3.5, "b": 3.1})
    arms = [replace(first, unjudged={"rate": 0.15}), replace(second, unjudged={"rate": 0.4})]
    assert _gains(_ladder(_rung("a", "b")), arms)["b"].effect == "not-for-loss"


def test_arms_that_cannot_be_judged_say_so() -> None:
    design = _ladder(_rung("a", "b"), _rung("b", "c"))
    few = _gains(design, _arms({"a": 3.5, "b": 3.1, "c": 3.0}, runs=2))
    assert [gain.effect for gain in few.values()] == ["too-few", "too-few"]
    failed = _gains(design, _arms({"a": 3.5, "c": 3.0}))
    assert [gain.effect for gain in failed.values()] == ["failed", "failed"]
    assert failed["b"].gains == []
    a, b, c = _arms({"a": 3.5, "b": 3.5, "c": 3.0})
    same = _gains(design, [a, replace(a, name="b", same_as="a"), c])
    assert [gain.effect for gain in same.values()] == ["same-run", "helps"]
    high = _gains(design, [a, b, c], unigram=3.2)
    assert [gain.effect for gain in high.values()] == ["not-learned-context"] * 2
    noisy = _gains(design, _arms({"a": 3.5, "b": 3.4, "c": 3.3}, run_deviation=0.5))
    assert [gain.effect for gain in noisy.values()] == ["cannot-tell"] * 2


def test_the_correction_is_for_the_pairs_in_question_and_no_others() -> None:
    arms = _arms({f"arm-{place}": 3.5 - place / 100 for place in range(8)})
    rungs = [_rung(f"arm-{place}", f"arm-{place + 1}") for place in range(7)]
    judgement, _ = judge_ladder(_ladder(*rungs), arms, plant_unigram(arms[0], 5.0))
    assert len(judgement.pairs) == 8  # seven rungs, and the two ends
    alone = _rung("arm-0", "arm-1", alone=True)
    again, _ = judge_ladder(_ladder(*rungs, alone), arms, plant_unigram(arms[0], 5.0))
    assert again.pairs == judgement.pairs  # the first rung is alone already


def test_switches_that_do_nothing_are_seldom_said_to_do_something() -> None:
    rungs = [_rung("a", "b"), _rung("b", "c"), _rung("a", "d", alone=True)]
    false = 0
    for seed in range(40):
        arms = [
            plant_arm(name, {PAIRS: 3.5}, seed=seed, document_deviation=0.3) for name in "abcd"
        ]
        effects = {gain.effect for gain in _gains(_ladder(*rungs), arms).values()}
        false += bool(effects & {"helps", "hurts"})
    assert false <= 2


def test_a_verdict_on_a_ladder_says_what_each_switch_brings() -> None:
    sharp = {"run_deviation": 0.01, "document_deviation": 0.03}
    arms = _arms({"a": 3.5, "b": 3.1, "c": 3.3, "d": 3.3, "e": 3.0}, **sharp)
    rungs = [_rung("a", "b"), _rung("b", "c"), _rung("c", "d"), _rung("a", "e", alone=True)]
    first_alone = _rung("a", "b", alone=True)
    design = _ladder(*rungs, first_alone)
    verdict = reach_ladder_verdict(design, arms, plant_unigram(arms[0], 5.0))
    assert verdict.kind == "ladder"
    assert verdict.headline == (
        "From a to d: switch to b helps; switch to c hurts; switch to d makes no difference that "
        "matters."
    )
    starts = [sentence.partition(": ")[0] for sentence in verdict.sentences]
    assert starts == [
        "Switch to b (after a) helps",
        "Switch to c (after b) hurts",
        "Switch to d (after c) makes no difference that matters, which would be 0.05 nats",
        "Switch to e (alone on a) helps",
        starts[-1],
    ]
    assert starts[-1].startswith("d is better than a, by 0.")
    few = reach_ladder_verdict(
        design, _arms(dict.fromkeys("abcde", 3.0), runs=1), plant_unigram(arms[0], 5.0)
    )
    assert few.headline.startswith("Too few runs or held-out documents for a verdict")


def test_results_with_a_ladder_have_its_verdict_and_its_gains() -> None:
    planted = plant_results()
    design = _ladder(_rung("bert", "bert-10"), _rung("bert-10", "roberta", "probes"))
    results = replace(planted, design=design)
    assert results.verdict().headline == (
        "From bert to roberta: switch to bert-10 helps; "
        "switch to roberta is not for loss to judge."
    )
    assert [gain.effect for gain in results.gains()] == ["helps", "not-for-loss"]
    assert json.loads(json.dumps(results.as_json()))["verdict"]["kind"] == "ladder"
    tuned = [replace(recipe, tuned=True) for recipe in results.recipes]
    assert replace(results, recipes=tuned).verdict().sentences[0].startswith("Each arm has a lea")
    assert not results.verdict().sentences[0].startswith("Each arm")
    assert planted.gains() == []
    assert planted.verdict().kind != "ladder"
