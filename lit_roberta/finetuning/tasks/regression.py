"""A number for a text or for a pair of texts, such as how similar they are."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from lit_roberta.exchange.tasks import Task
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.judging.numbers import check_number_metrics, number_scores
from lit_roberta.finetuning.predictions import NumberPrediction
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.texts import read_numbers
from lit_roberta.finetuning.tasks.losses import TaskLosses, Weighting
from lit_roberta.finetuning.tasks.texts import TextTask, labelled, text_items

NAME = "value"
"""What Hugging Face's `id2label` calls the one number."""


class Regression(TextTask[NumberPrediction]):
    """A number, read at [CLS], that comes close to the label's in squares."""

    metrics = ("pearson", "spearmanr", "mse")
    has_accuracy = False
    weighs_labels = False

    @classmethod
    def read(cls, source: str, reading: LabelledReading) -> list[TextExample]:
        """Read rows with a text, or two, and a number."""
        return read_numbers(source, reading)

    def items(self, examples: Sequence[TextExample], layout: Layout) -> list[Item]:
        """Lay out each example as a row."""
        numbers = [math.nan if each.label is None else float(each.label) for each in examples]
        return text_items(examples, layout, [np.asarray(each, np.float32) for each in numbers])

    def losses(
        self, logits: Float[Tensor, "*logits"], labels: Shaped[Tensor, "*labels"], how: Weighting
    ) -> TaskLosses:
        """Sum up squared errors: a number for each row beside a number for each row."""
        difference = logits.float().squeeze(-1) - labels
        loss = torch.where(labels.isnan(), 0.0, difference).square().sum()
        return TaskLosses(loss, torch.zeros_like(loss))

    def exchange_task(self) -> Task:
        """Give one label, whose logit is the number."""
        return Task(kind=self.kind, labels=(NAME,), problem_type="regression")

    def predictions(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."]
    ) -> list[NumberPrediction]:
        """Take the logit as it is."""
        return [NumberPrediction(value) for value in logits.squeeze(-1).tolist()]

    def scores(
        self, examples: Sequence[TextExample], predictions: Sequence[NumberPrediction]
    ) -> dict[str, float]:
        """Correlate."""
        check_number_metrics(self.metrics)
        pairs = labelled(examples, predictions)
        if not pairs:
            return {}
        true = [float(example.label) for example, _ in pairs if example.label is not None]
        predicted = [prediction.value for _, prediction in pairs]
        return number_scores(true, predicted, metrics=self.metrics)

    def naive_prediction(self, train: Sequence[TextExample]) -> NumberPrediction:
        """Say the mean of the training part."""
        numbers = [float(example.label) for example in train if example.label is not None]
        return NumberPrediction(sum(numbers) / max(1, len(numbers)))
