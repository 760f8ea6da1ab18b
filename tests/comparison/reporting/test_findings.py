from __future__ import annotations

from dataclasses import replace

import pytest

from lit_roberta.comparison.reporting.findings import (
    fairness_sentences,
    memorisation_sentences,
    training_loss_sentences,
)
from lit_roberta.comparison.reporting.loss_tables import memorisation_table
from tests.comparison.planted import plant_results


def test_memorised_masks_are_named_where_there_are_any() -> None:
    once, ten, dynamic = memorisation_sentences(plant_results())
    assert "bert saw each mask about 24 times and memorised 1.20 nats" in once
    assert "bert-10 saw each mask about 2 times and memorised" in ten
    assert dynamic.startswith("roberta saw each mask once: its loss on training text is 2.")
    assert "memorised" not in dynamic


def test_the_percentages_are_signed_and_their_worth_is_said() -> None:
    results = plant_results()
    worse = [
        replace(run, curves=replace(run.curves, training=[(1, 6.0), (2, 2.69 * 1.25)]))
        if run.recipe == "roberta"
        else run
        for run in results.runs
    ]
    shares, evidence = training_loss_sentences(replace(results, runs=worse))
    assert shares.startswith("(bert \N{MINUS SIGN} roberta) / bert is -2")
    assert "for the training loss of the last epoch and +8." in shares
    assert "no evidence: of bert's, 1.20 nats are masks learned by heart" in evidence


def test_nothing_is_said_against_masks_that_were_not_learned_by_heart() -> None:
    results = plant_results()
    clean = [replace(run, train_mlm_loss=run.train_mlm_loss_fresh_masks) for run in results.runs]
    evidence = training_loss_sentences(replace(results, runs=clean))[1]
    assert evidence.startswith("No recipe learned its masks by heart here")


def test_masks_that_came_once_are_not_blamed() -> None:
    results = plant_results()
    short = [replace(run, epochs=0.6) for run in results.runs]
    assert training_loss_sentences(replace(results, runs=short))[1].startswith("No recipe learned")
    for sentence in memorisation_sentences(replace(results, runs=short)):
        assert "saw each mask at most once: its loss" in sentence
        assert sentence.endswith("is chance of which tokens were masked.")
        assert "memorised" not in sentence


@pytest.mark.parametrize(
    ("gap", "share"), [(0.5, "0.50 nats"), (0.05, "hardly anything"), (-0.3, "nothing")]
)
def test_only_a_loss_that_rises_under_fresh_masks_was_memorised(gap: float, share: str) -> None:
    results = plant_results()
    runs = [replace(r, train_mlm_loss_fresh_masks=r.train_mlm_loss + gap) for r in results.runs]
    sentence = memorisation_sentences(replace(results, runs=runs))[0]
    assert f"about 24 times and memorised {share} of them" in sentence
    header = memorisation_table(replace(results, runs=runs)).header
    assert header[-2:] == ["fresh minus own", "held-out minus fresh"]


@pytest.mark.parametrize(("epochs", "often"), [(1.2, "hardly more than once"), (1.7, "about 2")])
def test_what_came_more_than_once_is_not_said_to_have_come_once(epochs: float, often: str) -> None:
    results = plant_results()
    runs = [replace(run, epochs=epochs) for run in results.runs]
    sentence = memorisation_sentences(replace(results, runs=runs))[0]
    assert f"bert saw each mask {often}" in sentence


@pytest.mark.parametrize("unit", ["tokens", "epochs"])
def test_rounding_to_whole_updates_is_said_where_it_is_no_trifle(unit: str) -> None:
    results, asked = plant_results(), 1000
    given = {"bert": 1.015, "bert-10": 0.93, "roberta": 1.07}
    amounts = [asked * given[run.recipe] for run in results.runs]
    runs = [
        replace(run, tokens=int(amount), epochs=float(amount))
        for run, amount in zip(results.runs, amounts, strict=True)
    ]
    budget = {"unit": unit, "amount": asked, "description": ""}
    said = fairness_sentences(replace(results, budget=budget, runs=runs))
    assert (
        f"A run is a whole number of updates: bert-10 got 7% fewer {unit} than asked and "
        f"roberta got 7% more {unit} than asked."
    ) in said
    seconds = {"unit": "seconds", "amount": 5, "description": ""}
    said = fairness_sentences(replace(results, budget=seconds, runs=runs))
    assert not [sentence for sentence in said if "whole number" in sentence]


def test_unequal_budgets_and_untuned_rates_are_said() -> None:
    results = plant_results()
    budget = {"unit": "epochs", "amount": 30, "description": "30 epochs"}
    runs = [replace(run, epochs=30.0) for run in results.runs]
    unequal, untuned = fairness_sentences(replace(results, budget=budget, runs=runs))
    assert "Equal epochs are unequal work: bert 599, bert-10 599 and roberta 81 updates" in unequal
    assert untuned == (
        "The learning rates of bert, bert-10 and roberta come from the recipe files. On another "
        "text than theirs another rate can change the order: --tune-lr 3 chooses on this one."
    )
    tuned = [replace(arm, tuned=True) for arm in results.recipes]
    assert fairness_sentences(replace(results, recipes=tuned)) == []
    tuned[0] = replace(tuned[0], at_grid_edge=True)
    assert "bert lies at the edge" in fairness_sentences(replace(results, recipes=tuned))[0]
