"""What fine-tuning says of recipes whose truth is known."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.results_file import results_from_json
from tests.comparison.planted_designs import plant_ladder, plant_tasks

EVEN = {"bert": 0.7, "bert-10": 0.7, "roberta": 0.7}
CLEAR = {"bert": 0.7, "bert-10": 0.7, "roberta": 0.85}


def headline(results: Results) -> str:
    return results.verdict().headline


def test_a_recipe_that_learns_a_task_better_is_named_where_loss_names_none() -> None:
    results = plant_tasks({"polarity": CLEAR})
    without = replace(results, finetuned=[])
    assert headline(results) == (
        f"{headline(without)} Fine-tuned for polarity, roberta is better than bert and bert-10."
    )
    said = results.verdict().sentences
    assert said[: len(without.verdict().sentences)] == without.verdict().sentences
    more = said[len(without.verdict().sentences) :]
    assert [each.startswith("Fine-tuned for polarity: ") for each in more] == [True] * 3


def test_where_fine_tuning_is_the_judge_it_alone_speaks_in_the_headline() -> None:
    results = plant_tasks({"polarity": CLEAR}, judge="fine-tuning")
    assert headline(results) == "Fine-tuned for polarity, roberta is better than bert and bert-10."


@pytest.mark.parametrize("seed", range(3))
def test_recipes_that_are_alike_are_not_told_apart(seed: int) -> None:
    results = plant_tasks({f"task {seed}": EVEN}, judge="fine-tuning")
    assert headline(results) == f"Fine-tuning for task {seed} does not decide."


def test_tasks_that_prefer_different_recipes_have_no_winner() -> None:
    other = {"bert": 0.85, "bert-10": 0.7, "roberta": 0.7}
    results = plant_tasks({"one": CLEAR, "other": other}, judge="fine-tuning")
    assert headline(results) == "Fine-tuned for one and other, no single recipe is the best."


def test_nobody_is_better_at_what_nobody_has_learned() -> None:
    results = plant_tasks({"hard": {"bert": 0.2, "roberta": 0.4}}, judge="fine-tuning")
    assert headline(results) == "Fine-tuned for hard, no recipe learned to do it."


def test_two_runs_make_no_verdict() -> None:
    results = plant_tasks({"polarity": CLEAR}, seeds=2, judge="fine-tuning")
    assert {each.verdict for each in results.task_differences()} == {"too-few"}
    assert "does not decide" in headline(results)


def test_only_pairs_in_question_are_judged() -> None:
    ladder = plant_ladder()
    scores = plant_tasks({"polarity": dict.fromkeys(("start", "middle", "end", "alone"), 0.7)})
    results = replace(ladder, finetuned=scores.finetuned)
    judged = [(each.first, each.second) for each in results.task_differences()]
    assert judged == ladder.design.pairs()
    assert replace(scores, design=Design(kind="seeds")).task_differences() == []


def test_a_recipe_that_was_not_fine_tuned_is_left_out() -> None:
    results = plant_tasks({"polarity": {"bert": 0.7, "roberta": 0.85}})
    (only,) = results.task_differences()
    assert (only.first, only.second, only.better) == ("bert", "roberta", "roberta")


def test_what_is_written_down_says_the_same_when_it_is_read() -> None:
    results = plant_tasks({"polarity": CLEAR, "topic": EVEN})
    again = results_from_json(json.loads(json.dumps(results.as_json())))
    assert again.finetuned == results.finetuned
    assert again.verdict() == results.verdict()
