"""One of several texts: each is read beside the others, and the one that fits best is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Shaped
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.errors import must
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.predictions import ChoicePrediction
from lit_roberta.finetuning.reading.choices import read_choices
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.losses import TaskLosses, Weighting, class_losses
from lit_roberta.finetuning.tasks.texts import encode_all


class MultipleChoice(FinetuningTask[ChoiceExample, ChoicePrediction]):
    """A logit for each choice, read at its [CLS]; the choices of an example compete.

    Source: Devlin et al. 2019, section 4.4; Liu et al. 2019, section 5.3.
    """

    kind = "multiple-choice"
    metrics = ("accuracy",)
    weighs_labels = False

    @classmethod
    def read(cls, source: str, reading: LabelledReading) -> list[ChoiceExample]:
        """Read examples of RACE, COPA, SWAG, or of one's own."""
        return read_choices(source, reading)

    def items(self, examples: Sequence[ChoiceExample], layout: Layout) -> list[Item]:
        """Lay out each example as a row for each choice.

        Raises:
            UserError: If an example has another number of choices than the first.
        """
        _check_counts(examples)
        pairs = [pair for example in examples for pair in example.choices]
        # texts repeat: an article stands before each of its answers
        texts = list(dict.fromkeys(text for pair in pairs for text in pair if text is not None))
        ids = dict(zip(texts, encode_all(texts, layout), strict=True))
        return [_item(number, example, ids, layout) for number, example in enumerate(examples)]

    @classmethod
    def key_text(cls, example: ChoiceExample) -> str:
        """Give all texts."""
        return "\t".join(text for pair in example.choices for text in pair if text is not None)

    def losses(
        self, logits: Float[Tensor, "*logits"], labels: Shaped[Tensor, "*labels"], how: Weighting
    ) -> TaskLosses:
        """Sum up cross entropies over the choices."""
        return class_losses(logits, labels)

    def predictions(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."]
    ) -> list[ChoicePrediction]:
        """Take the most probable choice."""
        shares = logits.softmax(dim=-1).tolist()
        return [
            ChoicePrediction(best, tuple(each))
            for best, each in zip(logits.argmax(dim=-1).tolist(), shares, strict=True)
        ]

    def scores(
        self, examples: Sequence[ChoiceExample], predictions: Sequence[ChoicePrediction]
    ) -> dict[str, float]:
        """Count right choices."""
        if self.metrics != ("accuracy",):
            raise must("data.metrics", "be accuracy", list(self.metrics), "Leave it out.")
        hits = [
            example.label == prediction.choice
            for example, prediction in zip(examples, predictions, strict=True)
            if example.label is not None
        ]
        return {"accuracy": sum(hits) / len(hits)} if hits else {}

    def naive_prediction(self, train: Sequence[ChoiceExample]) -> ChoicePrediction:
        """Say the place that is most often right in the training part."""
        counts = Counter(example.label for example in train if example.label is not None)
        place = max(sorted(counts), key=lambda each: counts[each], default=0)
        size = len(train[0].choices)
        return ChoicePrediction(place, tuple(float(each == place) for each in range(size)))


def _item(number: int, example: ChoiceExample, ids: dict[str, list[int]], layout: Layout) -> Item:
    laid = [
        layout.lay_out(ids[text], None if pair is None else ids[pair])
        for text, pair in example.choices
    ]
    label = IGNORE_INDEX if example.label is None else example.label
    is_cut = any(each for _, each in laid)
    return Item(tuple(row for row, _ in laid), np.asarray(label), number, is_cut)


def _check_counts(examples: Sequence[ChoiceExample]) -> None:
    for example in examples:
        if len(example.choices) != len(examples[0].choices):
            rule = f"have {len(examples[0].choices)} choices as {examples[0].place} has"
            remedy = "All examples of a file must have as many."
            raise must(f"{example.place},", rule, len(example.choices), remedy)
