"""A linear probe: what can be read off frozen vectors by logistic regression.

The penalty is chosen on a part of the training text and the accuracy is that of another part.
Everything is computed in double precision by LBFGS from zero, so that nothing is drawn.

Source: Alain and Bengio 2016, "Understanding intermediate layers using linear classifier probes".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor
from torch.nn import functional as F

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.inference.encoding import Pooling, encode
from lit_roberta.inference.text_model import TextModel
from lit_roberta.inference.texts import OnTooLong
from lit_roberta.probing.labelled import labels_of, majority, ranked
from lit_roberta.probing.shares import Share

PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)
"""Factors of half the squared weights, beside the mean cross-entropy."""
_SHARE = 0.2
"""Of the examples: tested; and of the rest: where the penalty is chosen."""
_STEPS = 200
_FEWEST = 10


@dataclass(frozen=True, kw_only=True)
class LinearProbeScores:
    """What a linear probe got right of texts that it had not seen."""

    accuracy: Share
    majority: Share
    majority_label: str
    penalty: float
    trained: int
    """Texts that it learned from in the end."""

    def as_json(self) -> dict[str, Any]:
        """Give plain values."""
        return {
            **self.accuracy.as_json(),
            "majority": self.majority.share,
            "majority_label": self.majority_label,
            "penalty": self.penalty,
            "trained": self.trained,
        }


def judge_linear(
    model: TextModel,
    examples: Sequence[TextExample],
    *,
    test: Sequence[TextExample] | None = None,
    pooling: Pooling = "mean",
    layer: int = -1,
    on_too_long: OnTooLong = "truncate",
) -> LinearProbeScores:
    """Learn labels from frozen vectors, and see how many are right.

    Args:
        model: The model; it needs no head, and does not change.
        examples: Labelled texts; of a pair, both vectors, their distance and product are read.
        test: What it is judged on. None: a fifth of the examples, by a hash of their text.
        pooling: mean or cls.
        layer: Whose output is pooled.
        on_too_long: What is done with a text of more tokens than the model takes.

    Raises:
        UserError: If there is one label only, or too few texts, or a tested label is new.
    """
    learned, tested = _parts(examples, test)
    labels = labels_of(learned)
    _check(learned, tested, labels)
    numbers = {label: number for number, label in enumerate(labels)}
    both = [*learned, *tested]
    features = _features(model, both, pooling=pooling, layer=layer, on_too_long=on_too_long)
    answers = torch.tensor([numbers[str(example.label)] for example in both])
    stop = len(learned)
    penalty = _choose(features[:stop], answers[:stop], len(labels))
    right = _right(
        features[:stop], answers[:stop], features[stop:], answers[stop:], penalty, len(labels)
    )
    label, naive = majority(tested, learned)
    return LinearProbeScores(
        accuracy=Share(right=right, total=len(tested)),
        majority=naive,
        majority_label=label,
        penalty=penalty,
        trained=stop,
    )


def fit_logistic(
    features: Float64[Tensor, "texts features"],
    answers: Int64[Tensor, " texts"],
    *,
    penalty: float,
    num_labels: int,
) -> Float64[Tensor, "features_and_bias labels"]:
    """Fit multinomial logistic regression, from zero.

    Args:
        features: One row a text.
        answers: The number of each text's label.
        penalty: Factor of half the squared weights; the bias, the last row, has none.
        num_labels: How many labels there are.
    """
    inputs = _with_bias(features)
    weights = torch.zeros(inputs.shape[1], num_labels, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weights], max_iter=_STEPS, tolerance_grad=1e-7, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimizer.zero_grad()
        fit = F.cross_entropy(inputs @ weights, answers)
        total: Tensor = fit + penalty / 2 * weights[:-1].square().sum()
        total.backward()  # type: ignore[no-untyped-call]  # torch's own
        return total

    optimizer.step(loss)  # type: ignore[no-untyped-call]  # torch's own
    return weights.detach()


def _parts(
    examples: Sequence[TextExample], test: Sequence[TextExample] | None
) -> tuple[list[TextExample], list[TextExample]]:
    order = ranked(examples)
    if test is not None:
        return order, list(test)
    stop = round(len(order) * _SHARE)
    return order[stop:], order[:stop]


def _check(
    learned: Sequence[TextExample], tested: Sequence[TextExample], labels: Sequence[str]
) -> None:
    if len(learned) < _FEWEST or not tested:
        rule = f"hold {_FEWEST} texts to learn from, and some to test"
        raise must("--data", rule, len(learned), "Give more.")
    if len(labels) < 2:
        raise must("--data", "have two labels or more", labels[0], "There is nothing to tell.")
    for example in tested:
        if str(example.label) not in labels:
            rule = f"be one of {', '.join(labels[:20])}"
            remedy = "No text to learn from has it."
            raise must(f"the label at {example.place}", rule, example.label, remedy)


def _features(
    model: TextModel,
    examples: Sequence[TextExample],
    *,
    pooling: Pooling,
    layer: int,
    on_too_long: OnTooLong,
) -> Float64[Tensor, "texts features"]:
    def vectors(texts: Sequence[str]) -> np.ndarray:
        return encode(model, texts, pooling=pooling, layer=layer, on_too_long=on_too_long)

    first = vectors([example.text for example in examples])
    if all(example.pair is None for example in examples):
        return torch.from_numpy(first).double()
    second = vectors([example.pair or "" for example in examples])
    parts = (first, second, np.abs(first - second), first * second)
    return torch.from_numpy(np.concatenate(parts, axis=1)).double()


def _choose(
    features: Float64[Tensor, "texts features"], answers: Int64[Tensor, " texts"], count: int
) -> float:
    """Choose the penalty that does best on the front of the texts, of equals the largest."""
    stop = max(1, round(len(answers) * _SHARE))
    rights = {
        penalty: _right(
            features[stop:], answers[stop:], features[:stop], answers[:stop], penalty, count
        )
        for penalty in PENALTIES
    }
    return max(rights, key=lambda penalty: (rights[penalty], penalty))


def _right(
    features: Float64[Tensor, "texts features"],
    answers: Int64[Tensor, " texts"],
    asked: Float64[Tensor, "asked features"],
    expected: Int64[Tensor, " asked"],
    penalty: float,
    count: int,
) -> int:
    mean, deviation = features.mean(dim=0), features.std(dim=0).clamp_min(1e-9)
    weights = fit_logistic(
        (features - mean) / deviation, answers, penalty=penalty, num_labels=count
    )
    found = (_with_bias((asked - mean) / deviation) @ weights).argmax(dim=1)
    return int((found == expected).sum())


def _with_bias(features: Float64[Tensor, "texts features"]) -> Float64[Tensor, "texts more"]:
    return torch.cat([features, features.new_ones(len(features), 1)], dim=1)
