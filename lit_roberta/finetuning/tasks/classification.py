"""One label for a text or for a pair of texts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Shaped
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.judging.labels import check_label_metrics, label_scores
from lit_roberta.finetuning.predictions import LabelPrediction
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.texts import read_texts
from lit_roberta.finetuning.tasks.base import label_number
from lit_roberta.finetuning.tasks.losses import TaskLosses, Weighting, class_losses
from lit_roberta.finetuning.tasks.texts import TextTask, labelled, text_items


class Classification(TextTask[LabelPrediction]):
    """One of several labels, read at [CLS]."""

    metrics = ("accuracy", "macro_f1")
    learns_labels = True
    learns_from_lines = True
    scores_of_second: ClassVar[tuple[str, ...]] = ("f1",)
    """Those that ask how well the second label is found: who never says it has none of them."""

    @classmethod
    def read(cls, source: str, reading: LabelledReading) -> list[TextExample]:
        """Read rows with a text, or two, and a label."""
        return read_texts(source, reading)

    @classmethod
    def found_labels(cls, examples: Sequence[TextExample]) -> tuple[str, ...]:
        """Sort the labels: numbers by size, names by their characters."""
        found = {str(example.label) for example in examples if example.label is not None}
        if len(found) < 2:
            remedy = "A classifier needs two. Name the column: --data.reading.label_column."
            raise must("data.train", "hold two labels or more", sorted(found), remedy)
        return tuple(sorted(found, key=lambda name: (_size(name), name)))

    def items(self, examples: Sequence[TextExample], layout: Layout) -> list[Item]:
        """Lay out each example as a row."""
        return text_items(examples, layout, [self._label(example) for example in examples])

    def check_labels(self, examples: Sequence[TextExample]) -> None:
        """Find the number of each label."""
        for example in examples:
            self._label(example)

    def _label(self, example: TextExample) -> Shaped[np.ndarray, ""]:
        if example.label is None:
            return np.asarray(IGNORE_INDEX)
        return np.asarray(label_number(str(example.label), self.labels, place=example.place))

    def losses(
        self, logits: Float[Tensor, "*logits"], labels: Shaped[Tensor, "*labels"], how: Weighting
    ) -> TaskLosses:
        """Sum up cross entropies."""
        return class_losses(logits, labels, how)

    def predictions(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."]
    ) -> list[LabelPrediction]:
        """Take the most probable label."""
        best = logits.argmax(dim=-1).tolist()
        return [
            LabelPrediction(self.labels[number], dict(zip(self.labels, shares, strict=True)))
            for number, shares in zip(best, logits.softmax(dim=-1).tolist(), strict=True)
        ]

    def scores(
        self, examples: Sequence[TextExample], predictions: Sequence[LabelPrediction]
    ) -> dict[str, float]:
        """Count right labels, and what else is asked for."""
        check_label_metrics(self.metrics, num_labels=len(self.labels))
        pairs = labelled(examples, predictions)
        if not pairs:
            return {}
        true = [str(example.label) for example, _ in pairs]
        predicted = [prediction.label for _, prediction in pairs]
        return label_scores(true, predicted, labels=self.labels, metrics=self.metrics)

    def naive_prediction(self, train: Sequence[TextExample]) -> LabelPrediction:
        """Say the most frequent label of the training part; for F1 of one label, always that."""
        counts = Counter(str(example.label) for example in train if example.label is not None)
        label = max(self.labels, key=lambda name: counts[name])
        if self.monitor in self.scores_of_second:
            label = self.labels[1]
        return LabelPrediction(label, {name: float(name == label) for name in self.labels})


def _size(name: str) -> float:
    """Give the size of a number; other names stand behind, nan among them: a language's code."""
    try:
        size = float(name)
    except ValueError:
        return math.inf
    return math.inf if math.isnan(size) else size
