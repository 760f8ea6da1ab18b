from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.judging.luck import Luck, split_luck
from tests.comparison.planted import plant_results


def drawn(
    seed: int, *, order: float, weights: float, rest: float, size: tuple[int, int] = (5, 5)
) -> Luck:
    generator = np.random.default_rng(seed)
    losses = (
        3.0
        + order * generator.normal(size=(size[0], 1))
        + weights * generator.normal(size=(1, size[1]))
        + rest * generator.normal(size=size)
    )
    return split_luck(losses)


def test_the_components_are_those_that_were_put_in() -> None:
    lucks = [drawn(seed, order=0.03, weights=0.01, rest=0.02) for seed in range(400)]
    order = np.mean([luck.order.deviation**2 for luck in lucks]) ** 0.5
    weights = np.mean([luck.weights.deviation**2 for luck in lucks]) ** 0.5
    rest = np.mean([luck.rest**2 for luck in lucks]) ** 0.5
    assert order == pytest.approx(0.03, rel=0.1)
    assert weights == pytest.approx(0.01, rel=0.25)  # no estimate is below zero, so a little more
    assert rest == pytest.approx(0.02, rel=0.05)


def test_a_source_that_is_not_there_is_seldom_seen() -> None:
    false = sum(
        drawn(s, order=0.0, weights=0.05, rest=0.02).order.p_value < 0.05 for s in range(400)
    )
    assert false <= 0.08 * 400


def test_one_that_is_there_is_seen_and_is_said_to_be_the_larger() -> None:
    luck = drawn(0, order=0.5, weights=0.002, rest=0.001, size=(8, 8))
    assert luck.order.p_value < 0.001
    assert "the order of the text more" in luck.sentences()[0]


def test_nothing_is_said_of_what_cannot_be_told() -> None:
    luck = drawn(3, order=0.0, weights=0.0, rest=0.02, size=(2, 2))
    assert luck.sentences()[0].startswith("Nobody can tell")


@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 99))
def test_the_two_are_treated_alike(orders: int, weights: int, seed: int) -> None:
    losses = np.random.default_rng(seed).normal(size=(orders, weights))
    one, other = split_luck(losses), split_luck(losses.T.copy())
    assert one.order.deviation == pytest.approx(other.weights.deviation)
    assert one.weights.high == pytest.approx(other.order.high)
    assert one.rest == pytest.approx(other.rest)
    assert one.order.low <= one.order.high


def test_equal_runs_differ_by_nothing() -> None:
    luck = split_luck(np.full((3, 3), 2.5))
    assert luck.total == luck.order.high == luck.weights.high == 0
    assert luck.sentences()[0].startswith("Nobody can tell")


def test_results_of_every_order_and_seed_say_what_runs_differ_by() -> None:
    plain = plant_results()
    asked = replace(plain, design=Design(kind="seeds"))
    assert plain.luck() is None
    losses = [
        [run.heldout[recipe.format].mlm_loss for run in asked.runs_of(recipe.name)]
        for recipe in asked.recipes
    ]
    luck = split_luck(np.array(losses))
    assert asked.luck() == luck
    verdict = asked.verdict()
    assert [verdict.headline, *verdict.sentences] == luck.sentences()
    assert (verdict.kind, verdict.winner) == ("luck", None)


def test_nothing_is_split_while_a_run_is_missing() -> None:
    results = replace(plant_results(), design=Design(kind="seeds"))
    for runs in (results.runs[1:], [run for run in results.runs if run.recipe != "bert"]):
        assert replace(results, runs=runs).luck() is None
