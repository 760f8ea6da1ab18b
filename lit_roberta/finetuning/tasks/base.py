"""What a task is: the one class that a new kind of task implements.

A task is immutable. It knows its labels by name; numbers of labels exist only inside of a model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.exchange.pretrained import Pretrained, build_task_model
from lit_roberta.exchange.tasks import Task
from lit_roberta.finetuning.asking import rows_of
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.tasks.losses import TaskLosses, Weighting
from lit_roberta.model.cloze import ClozeModel
from lit_roberta.model.task_heads import TaskKind, TaskModel

ExampleT = TypeVar("ExampleT")
PredictionT = TypeVar("PredictionT")

TunedModel = TaskModel | ClozeModel
"""What is fine-tuned: an encoder with the head of a task, or with that of its pretraining."""


class FinetuningTask(ABC, Generic[ExampleT, PredictionT]):
    """A task: its labels, what examples become, what is learned, and how it is judged.

    Args:
        labels: By number. Empty for a task that has none.
        metrics: Names of the scores that it is judged by, the one that decides first. None: the
            kind's own.
        options: Of the kind, by name, as plain data: they travel in a checkpoint.

    Raises:
        UserError: If the kind has no such option.
    """

    kind: ClassVar[TaskKind]
    metrics: tuple[str, ...]
    """Its scores by default."""
    has_accuracy: ClassVar[bool] = True
    """Whether a label of training is right or wrong."""
    weighs_labels: ClassVar[bool] = True
    """Whether labels can be weighed and smoothed."""
    by_place: ClassVar[bool] = False
    """Whether each place of a row has a label."""
    learns_labels: ClassVar[bool] = False
    """Whether its labels are those of its training part."""
    learns_from_lines: ClassVar[bool] = False
    """Whether a file of lines for each label is a way to give its examples."""
    option_names: ClassVar[tuple[str, ...]] = ()
    """What its options may be."""

    def __init__(
        self,
        labels: Sequence[str] = (),
        *,
        metrics: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.labels = tuple(labels)
        if metrics is not None:
            self.metrics = tuple(metrics)
        self.options = dict(options or {})
        for name in self.options:
            if name not in self.option_names:
                known = (
                    f"be of {', '.join(self.option_names)}" if self.option_names else "be empty"
                )
                raise must("data.options", known, name, "Leave it out.")

    def with_options(self, asked: Mapping[str, Any]) -> FinetuningTask[ExampleT, PredictionT]:
        """Give the task of a model that stands, with options that are asked for in judging it.

        Raises:
            UserError: If the model stands on another one.
        """
        options = {**self.options, **asked}
        return type(self)(self.labels, metrics=self.metrics, options=options)

    # ---- from files to rows

    @classmethod
    @abstractmethod
    def read(cls, source: str, reading: LabelledReading) -> list[ExampleT]:
        """Read examples from a file.

        Args:
            source: A file, or what else `--data.train` takes.
            reading: How it is to be read.

        Raises:
            UserError: Names file and line.
        """

    @classmethod
    def found_labels(cls, examples: Sequence[ExampleT]) -> tuple[str, ...]:
        """Find the labels of a training part, in the order that they are numbered in."""
        return ()

    @classmethod
    def found_options(cls, examples: Sequence[ExampleT]) -> dict[str, Any]:
        """Find what of a training part travels with the task, as options; given ones win."""
        return {}

    @abstractmethod
    def items(self, examples: Sequence[ExampleT], layout: Layout) -> list[Item]:
        """Turn examples into rows of ids, the items of an example side by side.

        Raises:
            UserError: If a label is none of the task's. Names its place.
        """

    def check_labels(self, examples: Sequence[ExampleT]) -> None:
        """See that labels are the task's, without laying out a row.

        Raises:
            UserError: If a label is none of them. Names its place.
        """

    @classmethod
    @abstractmethod
    def key_text(cls, example: ExampleT) -> str:
        """Give the text that an example is split and recognised by."""

    def length(self, example: ExampleT, layout: Layout) -> int:
        """Count the tokens of an example's longest row, control tokens included, uncut."""
        rows = [[text for text in row if text is not None] for row in rows_of(example)]
        return max(
            sum(len(layout.tokenizer.encode(text)) for text in row)
            + layout.num_control(pair=len(row) > 1)
            for row in rows
        )

    def notes(self, items: Sequence[Item]) -> list[str]:
        """Tell what became of a part that nobody asked for, a line each.

        Args:
            items: Of the part.
        """
        return []

    # ---- learning

    @abstractmethod
    def losses(
        self, logits: Float[Tensor, "*logits"], labels: Shaped[Tensor, "*labels"], how: Weighting
    ) -> TaskLosses:
        """Sum up the losses of a micro-batch over the labels that count."""

    def without_padding(
        self, logits: Float[Tensor, "*logits"], attention_mask: Bool[Tensor, "*mask"] | None
    ) -> Float[Tensor, "*logits"]:
        """Take padding out, where the logits of a row are judged beside each other."""
        return logits

    def exchange_task(self) -> Task | None:
        """Give what Hugging Face has to know of the task; None: the head is pretraining's."""
        return Task(kind=self.kind, labels=self.labels)

    def build_model(self, pretrained: Pretrained, *, seed: int = 0) -> TunedModel:
        """Build the model, in evaluation mode.

        Args:
            pretrained: Its settings and weights; what it lacks is drawn.
            seed: Of what is drawn.
        """
        return build_task_model(pretrained, seed=seed)

    # ---- judging

    @abstractmethod
    def predictions(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."]
    ) -> list[PredictionT]:
        """Turn logits into predictions, one for each example.

        Args:
            items: All items of some examples, those of an example side by side.
            logits: On the CPU, in single precision.
        """

    @abstractmethod
    def scores(
        self, examples: Sequence[ExampleT], predictions: Sequence[PredictionT]
    ) -> dict[str, float]:
        """Judge predictions; unlabelled examples are left out.

        Args:
            examples: With what is true.
            predictions: One for each.

        Returns:
            Each of `metrics`; nothing where no example is labelled.
        """

    @classmethod
    def units(cls, examples: Sequence[ExampleT]) -> list[list[int]]:
        """Say which examples chance has put there together: a list of their numbers for each draw.

        Args:
            examples: Of a part.
        """
        return [[number] for number in range(len(examples))]

    @abstractmethod
    def naive_prediction(self, train: Sequence[ExampleT]) -> PredictionT:
        """Give what is best said without reading: the most frequent label, the mean, ..."""

    @property
    def monitor(self) -> str:
        """The score that decides which model is best."""
        return self.metrics[0]

    @property
    def higher_is_better(self) -> bool:
        """Which way it is better."""
        return self.monitor != "mse"


def label_number(label: str, labels: Sequence[str], *, place: str) -> int:
    """Find the number of a label.

    Raises:
        UserError: If it is none of them. Names its place.
    """
    try:
        return labels.index(label)
    except ValueError:
        shown = ", ".join(labels[:10]) + (", ..." if len(labels) > 10 else "")
        remedy = "The labels are those of the training part, or of --data.labels."
        raise must(f"the label at {place}", f"be one of {shown}", label, remedy) from None
