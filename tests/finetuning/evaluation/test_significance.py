from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.evaluation.resampling import resamples
from lit_roberta.finetuning.evaluation.results import make_cells
from lit_roberta.finetuning.evaluation.significance import (
    Difference,
    Examples,
    example_interval,
    judge_pairs,
)
from lit_roberta.finetuning.evaluation.wording import say_difference
from tests.finetuning.evaluation.made_up import made_up

RUNS, EXAMPLES = 5, 400


def contributions(right: np.ndarray) -> list[Examples]:
    """What each run scored on each example."""
    return [
        {"digest": "d", "count": len(run), "each": run.astype(float).tolist()} for run in right
    ]


def draw(
    generator: np.random.Generator, *, skill: float, difficulty: np.ndarray, runs: int = RUNS
) -> np.ndarray:
    """Runs that vary in skill, on examples that vary in difficulty."""
    skills = skill + generator.normal(0, 0.15, size=(runs, 1))
    noise = generator.normal(0, 0.6, size=(runs, len(difficulty)))
    return skills + noise > difficulty[None]


def judged(first: np.ndarray, second: np.ndarray) -> Difference:
    found, examples = [], {}
    for model, right in (("a", first), ("b", second)):
        scores = right.mean(axis=1).tolist()
        found += made_up(scores, scores, baseline=0.1, model=model)
        examples[model, "t"] = contributions(right)
    (difference,) = judge_pairs(make_cells(found), examples)
    return difference


def test_models_that_do_not_differ_are_told_apart_in_no_more_than_the_stated_cases() -> None:
    generator, claims, worlds = np.random.default_rng(0), 0, 300
    for _ in range(worlds):
        difficulty = generator.normal(0, 1, size=EXAMPLES)
        # Each model finds other examples hard: that is the choice of examples, and no skill.
        own = [difficulty + generator.normal(0, 0.3, size=EXAMPLES) for _ in range(2)]
        runs = [draw(generator, skill=0.5, difficulty=each) for each in own]
        claims += judged(*runs).verdict == "better"
    assert claims <= 0.05 * worlds + 2 * np.sqrt(0.05 * 0.95 * worlds)


def test_a_large_difference_is_seen_and_has_its_side() -> None:
    generator = np.random.default_rng(1)
    difficulty = generator.normal(0, 1, size=EXAMPLES)
    strong = draw(generator, skill=1.5, difficulty=difficulty)
    weak = draw(generator, skill=0.0, difficulty=difficulty)
    assert judged(strong, weak).better == "a"
    difference = judged(weak, strong)
    assert difference.better == "b"
    assert difference.estimate < 0
    assert "t: b is better than a by 0." in say_difference(difference)
    assert "p < 0.001" in say_difference(difference)


def judged_errors(levels: Mapping[str, float], *, scatter: float, runs: int = RUNS) -> Difference:
    """Judge two models by errors around a level each."""
    found, examples = [], {}
    generator = np.random.default_rng(0)
    for model, level in levels.items():
        each = level + scatter * generator.normal(size=(runs, EXAMPLES))
        scores = each.mean(axis=1).tolist()
        found += made_up(scores, baseline=9.0, metric="mse", higher_is_better=False, model=model)
        examples[model, "t"] = [
            {"digest": "d", "count": EXAMPLES, "each": run.tolist()} for run in each
        ]
    (difference,) = judge_pairs(make_cells(found), examples)
    return difference


@pytest.mark.parametrize(("better", "worse"), ["ab", "ba"])
def test_less_is_better_for_an_error(better: str, worse: str) -> None:
    difference = judged_errors({better: 1.0, worse: 3.0}, scatter=0.1)
    assert difference.better == better
    said = say_difference(difference)
    assert f"{better} is better than {worse} by 2.0" in said
    assert f"(95% interval of {worse} minus {better} over runs +" in said
    assert difference.over_examples is not None
    assert difference.over_examples.low > 0


@pytest.mark.parametrize(("scatter", "runs"), [(1.0, 2), (40.0, RUNS)])
def test_what_is_said_of_an_error_has_the_sign_of_what_is_named(scatter: float, runs: int) -> None:
    for first, second in ((1.0, 3.0), (3.0, 1.0)):
        difference = judged_errors({"a": first, "b": second}, scatter=scatter, runs=runs)
        assert difference.verdict in ("too-few", "cannot-tell")
        said = say_difference(difference)
        assert "b minus a" in said
        assert "a minus b" not in said
        assert f"is {'+' if second > first else '-'}" in said


@pytest.mark.parametrize(
    ("runs", "examples", "said"),
    [
        (2, 400, "a verdict takes 3 runs of each, and there are 2 and 2"),
        (5, 7, "a verdict takes 8 labelled examples, and there are 7"),
    ],
)
def test_too_little_gives_figures_and_no_verdict(runs: int, examples: int, said: str) -> None:
    generator = np.random.default_rng(2)
    difficulty = generator.normal(0, 1, size=examples)
    strong = draw(generator, skill=3.0, difficulty=difficulty, runs=runs)
    weak = draw(generator, skill=-1.0, difficulty=difficulty, runs=runs)
    difference = judged(strong, weak)
    assert difference.verdict == "too-few"
    assert said in say_difference(difference)


@pytest.mark.parametrize(
    ("over_runs", "over_examples", "higher_is_better", "verdict"),
    [
        (1e-4, 1e-3, True, "no-difference"),
        (0.1, 1e-3, True, "cannot-tell"),
        (1e-4, 1.0, True, "cannot-tell"),
        (1e-4, 1e-3, False, "cannot-tell"),  # a hundredth of an error may be all of it
    ],
)
def test_there_is_no_difference_where_runs_and_examples_leave_room_for_none(
    over_runs: float, over_examples: float, higher_is_better: bool, verdict: str
) -> None:
    found, examples, generator = [], {}, np.random.default_rng(3)
    baseline = 0.1 if higher_is_better else 0.9
    for model in "ab":
        scores = (0.5 + over_runs * np.array([-1, 0, 1, 0.5, -0.5])).tolist()
        found += made_up(scores, baseline=baseline, higher_is_better=higher_is_better, model=model)
        noise = over_examples * generator.normal(size=EXAMPLES)
        examples[model, "t"] = contributions(np.tile(0.5 + noise - noise.mean(), (RUNS, 1)))
    (difference,) = judge_pairs(make_cells(found), examples)
    assert difference.verdict == verdict


@pytest.mark.parametrize("learned", "ab")
def test_models_of_which_one_has_learned_are_compared(learned: str) -> None:
    found, examples = [], {}
    for model in "ab":
        values = [0.9, 0.91, 0.92] if model == learned else [0.5, 0.5, 0.5]
        found += made_up(values, values, model=model)
        examples[model, "t"] = contributions(np.full((3, 20), values[0]))
    (difference,) = judge_pairs(make_cells(found), examples)
    assert difference.better == learned


def test_models_that_learned_nothing_are_not_compared() -> None:
    scores = {"a": [0.50, 0.50, 0.504], "b": [0.5, 0.49, 0.50]}
    found, examples = [], {}
    for model, values in scores.items():
        found += made_up(values, values, model=model)
        examples[model, "t"] = contributions(np.ones((3, 20), bool))
    (difference,) = judge_pairs(make_cells(found), examples)
    assert difference.verdict == "not-learned"


def test_other_examples_can_not_be_paired() -> None:
    values = [0.9, 0.91, 0.92]
    found = [each for model in "ab" for each in made_up(values, values, model=model)]
    one, other = (contributions(np.ones((3, size), bool)) for size in (20, 20))
    examples: Mapping[tuple[str, str], Sequence[Examples]] = {
        ("a", "t"): one,
        ("b", "t"): [{**run, "digest": "another"} for run in other],
    }
    (difference,) = judge_pairs(make_cells(found), examples)
    assert difference.verdict == "not-paired"
    assert "not judged on the same examples" in say_difference(difference)


def test_more_tasks_need_more_evidence() -> None:
    generator = np.random.default_rng(5)
    found, examples = [], {}
    for task in ("t", "u", "v", "w"):
        difficulty = generator.normal(0, 1, size=EXAMPLES)
        for model, skill in (("a", 0.75), ("b", 0.5)):
            right = draw(generator, skill=skill, difficulty=difficulty)
            scores = right.mean(axis=1).tolist()
            found += made_up(scores, scores, baseline=0.1, model=model, task=task)
            examples[model, task] = contributions(right)
    together = judge_pairs(make_cells(found), examples)
    for each in together:
        (alone,) = judge_pairs(
            make_cells([one for one in found if one.run.task == each.task]), examples
        )
        assert each.p_value is not None
        assert alone.p_value is not None
        assert each.p_value >= alone.p_value
    assert any(each.p_value != each.weakest for each in together)


@given(st.integers(20, 200), st.integers(0, 100))
def test_drawings_of_examples_give_about_the_interval_of_means(count: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    first, second = generator.normal(0, 1, size=(2, 2, count))
    means = [contributions_of_numbers(each) for each in (first, second)]
    drawn = [
        [
            {**run, "resampled": np.asarray(run["each"])[resamples(count)].mean(axis=1).tolist()}
            for run in part
        ]
        for part in means
    ]
    for part in drawn:
        for run in part:
            del run["each"]
    exact, rough = example_interval(*means), example_interval(*drawn)
    mixed = example_interval(means[0], drawn[1])
    assert exact is not None
    assert rough is not None
    assert mixed is not None
    assert rough.error == pytest.approx(exact.error, rel=0.25)
    assert mixed.error == pytest.approx(rough.error)
    assert rough.degrees == exact.degrees == count - 1
    turned = [
        example_interval(*means, sign=-1.0),
        example_interval(*drawn, sign=-1.0),
    ]
    for one, other in zip(turned, (exact, rough), strict=True):
        assert one is not None
        assert one.estimate == pytest.approx(-other.estimate)


def contributions_of_numbers(runs: np.ndarray) -> list[dict[str, object]]:
    return [{"digest": "d", "count": len(run), "each": run.tolist()} for run in runs]
