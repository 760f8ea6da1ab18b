from __future__ import annotations

from dataclasses import replace

from lit_roberta.comparison.reporting.methods import methods
from tests.comparison.planted import plant_results


def test_the_paragraph_says_what_was_done() -> None:
    text = methods(plant_results())
    for part in (
        "3 recipes",
        "Devlin et al., 2019",
        "Liu et al., 2019",
        "bert, bert-10 and roberta",
        "data.masking.copies",
        "7,145 tokens (134 documents)",
        "2,087 tokens (39 documents)",
        "581 entries",
        "285,800 tokens",
        "599 for bert, 599 for bert-10 and 81 for roberta",
        "with 5 seeds",
        "Learning rates were set beforehand.",
        "predicted exactly once",
        "Welch's t",
        "Holm",
        "torch 2.13.0",
    ):
        assert part in text, part


def test_nothing_of_what_was_found_is_in_it() -> None:
    losses = {
        name: {"sentence-pair": 2.0 + place, "doc-sentences": 4.0 - place}
        for place, name in enumerate(("bert", "bert-10", "roberta"))
    }
    assert methods(plant_results(losses=losses)) == methods(plant_results())


def test_it_follows_seeds_rates_and_text() -> None:
    results = plant_results(seeds=1)
    assert "with 1 seed." in methods(results)
    assert "over test documents alone" in methods(results)
    tuned = [replace(arm, tuned=arm.name == "bert") for arm in results.recipes]
    assert "The learning rates of bert were chosen on" in methods(replace(results, recipes=tuned))
    every = [replace(arm, tuned=True) for arm in results.recipes]
    assert "Each recipe's learning rate was chosen" in methods(replace(results, recipes=every))
    other = replace(results, text=replace(results.text, corpus="novels"))
    assert "The text (novels)" in methods(other)
