"""The linear probe: an exact optimum, the same always, and right where vectors tell labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from scipy.optimize import minimize
from torch.nn import functional as F

from lit_roberta.errors import UserError
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.probing.labelled import majority, ranked
from lit_roberta.probing.linear import fit_logistic, judge_linear
from lit_roberta.probing.probe_cli import main
from lit_roberta.probing.shares import Share
from tests.inference.models import tiny_model, write_model


def told_apart(count: int = 60) -> list[TextExample]:
    """Label texts by a word."""
    return [
        TextExample(f"It is {'tea' if number % 2 else 'rain'} {number}.", None, label, f"{number}")
        for number, label in ((number, "yes" if number % 2 else "no") for number in range(count))
    ]


def test_the_fit_is_the_optimum_that_another_solver_finds() -> None:
    features = torch.randn(40, 5, generator=torch.Generator().manual_seed(0)).double()
    answers = torch.arange(40) % 3
    found = fit_logistic(features, answers, penalty=0.1, num_labels=3)

    def loss(values: torch.Tensor) -> torch.Tensor:
        weights = values.reshape(6, 3)
        fit = F.cross_entropy(features @ weights[:-1] + weights[-1], answers)
        return fit + 0.05 * weights[:-1].square().sum()

    def both(values: object) -> tuple[float, object]:
        weights = torch.tensor(values, requires_grad=True)
        value = loss(weights)
        (gradient,) = torch.autograd.grad(value, weights)
        return value.item(), gradient.numpy()

    best = minimize(both, torch.zeros(18).double().numpy(), jac=True, tol=1e-12)
    assert float(loss(found.reshape(-1))) == pytest.approx(best.fun, abs=1e-9)


def test_what_vectors_tell_is_found_whatever_the_order(tmp_path: Path) -> None:
    model = tiny_model(tmp_path)
    examples = told_apart()
    scores = judge_linear(model, examples)
    assert scores.accuracy.total == 12
    assert scores.accuracy.right >= 10
    assert scores.trained == 48
    assert judge_linear(model, examples[::-1]).as_json() == scores.as_json()


def test_labels_that_nothing_tells_are_not_found(tmp_path: Path) -> None:
    examples = [
        example._replace(label="yes" if place % 2 else "no")
        for place, example in enumerate(ranked(told_apart(100)))
    ]
    scores = judge_linear(tiny_model(tmp_path), examples)
    low, _ = scores.accuracy.interval
    assert low < 0.5


def test_the_majority_is_that_of_what_was_learned() -> None:
    learned = [TextExample("a", None, label, "") for label in "xxy"]
    judged = [TextExample("a", None, label, "") for label in "yyyx"]
    assert majority(judged, learned) == ("x", Share(right=1, total=4))
    assert majority(judged) == ("y", Share(right=3, total=4))


def test_pairs_and_a_test_file_of_ones_own(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = str(write_model(tmp_path / "model.ckpt"))
    rows = [{"text": each.text, "text_pair": "So.", "label": each.label} for each in told_apart()]
    for name, part in (("train.jsonl", rows[:40]), ("test.jsonl", rows[40:])):
        (tmp_path / name).write_text("\n".join(map(json.dumps, part)) + "\n", "utf-8")
    words = ["--data", str(tmp_path / "train.jsonl"), "--test", str(tmp_path / "test.jsonl")]
    assert main([model, "--linear", *words, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert (found["total"], found["trained"], found["majority"]) == (20, 40, 0.5)


def test_what_cannot_be_learned_is_refused(tmp_path: Path) -> None:
    model = tiny_model(tmp_path)
    examples = told_apart()
    with pytest.raises(UserError, match="must hold 10 texts to learn from"):
        judge_linear(model, examples[:5])
    with pytest.raises(UserError, match="must have two labels or more, got 'yes'"):
        judge_linear(model, [each._replace(label="yes") for each in examples])
    with pytest.raises(UserError, match="must be one of no, yes, got 'new'"):
        judge_linear(model, examples, test=[examples[0]._replace(label="new")])
