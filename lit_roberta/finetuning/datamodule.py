"""The LightningDataModule of fine-tuning: labelled examples as updates and as parts to judge by.

In: files of examples, and the tokenizer of the model that is fine-tuned. Out: updates by their
number, and batches of the validation and test parts.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from lit_roberta.errors import must
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.loaders import HeldOutPart, TaskLoaders
from lit_roberta.finetuning.parts import Files, Parts, PartsConfig, load_parts
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.texts import label_names
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.table import TaskSpec, find_task
from lit_roberta.finetuning.updates import TaskContents, TaskUpdates, UpdateSizes


class FinetuningDataModule(TaskLoaders):
    """Supply the updates of a task, and the parts that it is judged on.

    Args:
        task: What is learned: classification, regression, ..., or the name of a benchmark's task.
        folder: Of a benchmark's task in its standard layout, or the one above it.
        train: A file of one's own; hub:OWNER/NAME; or a mapping of labels to files of lines.
        validation: The same. None: a share of the training part, or the folder's own.
        test: The same.
        validation_share: Of the training part, where no validation part was named.
        test_share: The same, for a test part.
        num_train_examples: Learn from so many training examples only. None: from all.
        reading: How files are to be read: columns, encoding, quotes.
        labels: Their names in the order of their numbers. None: those of the training part,
            sorted.
        metrics: Names of the scores, the one that decides which model is best first. None: the
            task's own.
        options: Of the task.
        max_length: Tokens of a row, control tokens included; longer text is cut, and counted.
        batch_size: The most examples of an update, over all devices.
        micro_batch_size: The most that a device holds at once; the gradient does not depend on it.
            None: its whole share.
        num_workers: Processes that build updates beside the training.
        seed: Of the order; the command line links it to seed_everything.
    """

    def __init__(
        self,
        task: str,
        *,
        folder: str | None = None,
        train: Files | None = None,
        validation: Files | None = None,
        test: Files | None = None,
        validation_share: float = 0.1,
        test_share: float = 0.0,
        num_train_examples: int | None = None,
        reading: LabelledReading = LabelledReading(),  # noqa: B008 - frozen
        labels: list[str | int | float | bool] | None = None,
        metrics: list[str] | None = None,
        options: dict[str, Any] | None = None,
        max_length: int = 128,
        batch_size: int = 32,
        micro_batch_size: int | None = None,
        num_workers: int = 0,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.spec: TaskSpec = find_task(task)
        self.sources = PartsConfig(
            folder=folder,
            train=train,
            validation=validation,
            test=test,
            validation_share=validation_share,
            test_share=test_share,
            num_train_examples=num_train_examples,
            reading=reading,
        )
        for name, value in (("batch_size", batch_size), ("micro_batch_size", micro_batch_size)):
            if value is not None and value < 1:
                raise must(f"data.{name}", "be 1 or more", value, "Give a positive whole number.")
        if num_workers < 0:
            raise must("data.num_workers", "be 0 or more", num_workers, "Give 0 for none.")
        self.asked_labels, self.asked_metrics = label_names(labels), metrics
        self.asked_options = options or {}
        self.max_length = max_length
        self.batch_size, self.micro_batch_size = batch_size, micro_batch_size
        self.num_workers = num_workers
        self.seed = seed
        self._layout: Layout | None = None
        self.learns = True
        """False where a model is only judged, so that files to learn from may be missing."""

    # ---- what it is about

    @cached_property
    def parts(self) -> Parts:
        """The examples; read when they are first asked for."""
        return load_parts(self.spec, self.sources, learns=self.learns)

    @cached_property
    def task(self) -> FinetuningTask[Any, Any]:
        """The task, with its labels."""
        labels = self.asked_labels or self.spec.labels
        if labels is None and self.spec.task.learns_labels:
            labels = self.spec.task.found_labels(self.parts.train)
        found = self.spec.task.found_options(self.parts.train)
        options = {**found, **self.spec.options, **self.asked_options}
        return self.spec.task(
            labels or (), metrics=self.asked_metrics or self.spec.metrics, options=options
        )

    def use_task(self, task: FinetuningTask[Any, Any]) -> None:
        """Take the task of a model that was fine-tuned already, with its labels in their order.

        Options that are asked for go before its own. Must be called before anything is asked for.

        Raises:
            UserError: If the model stands on another option.
        """
        if self.asked_options:
            task = task.with_options(self.asked_options)
        self.__dict__["task"] = task

    def use_model(self, pretrained: Pretrained) -> None:
        """Take the tokenizer of the model that is fine-tuned, and its way to join two texts.

        Raises:
            UserError: If it has none, or if rows would be longer than the model takes.
        """
        tokenizer, longest = pretrained.tokenizer, pretrained.longest_text
        if tokenizer is None:
            remedy = "Import it with its tokenizer's files beside it."
            raise must("model.pretrained", "have a tokenizer", pretrained.source, remedy)
        if self.max_length > longest:
            remedy = f"Give --data.max_length {longest}: the model takes no more."
            raise must("data.max_length", f"be at most {longest}", self.max_length, remedy)
        self._layout = Layout.of(pretrained, tokenizer, max_length=self.max_length)

    @property
    def layout(self) -> Layout:
        """How texts become rows."""
        assert self._layout is not None, "use_model comes first"
        return self._layout

    @property
    def tokenizer(self) -> Any:
        """The model's."""
        return self.layout.tokenizer

    # ---- items

    @cached_property
    def train_items(self) -> list[Item]:
        """What is learned from."""
        return self.task.items(self.parts.train, self.layout)

    def examples(self, part: HeldOutPart) -> Mapping[str, Sequence[Any]]:
        """Give the examples of a part, by the name of the set."""
        found: Mapping[str, Sequence[Any]] = getattr(self.parts, part)
        return found

    def items(self, part: HeldOutPart) -> dict[str, list[Item]]:
        """Give the items of a part, by the name of the set."""
        name = f"_{part}_items"
        if name not in self.__dict__:
            sets = self.examples(part).items()
            self.__dict__[name] = {
                key: self.task.items(examples, self.layout) for key, examples in sets
            }
        items: dict[str, list[Item]] = self.__dict__[name]
        return items

    @cached_property
    def digest(self) -> str:
        """A hash of what is learned from: ids, labels and their order."""
        digest = hashlib.blake2b(digest_size=16)
        for item in self.train_items:
            for row in item.rows:
                digest.update(row.input_ids.tobytes())
            digest.update(item.labels.tobytes())
        return digest.hexdigest()

    # ---- updates

    @property
    def sizes(self) -> UpdateSizes:
        """What an update is."""
        return UpdateSizes.of(len(self.train_items), self.batch_size)

    def updates_for_epochs(self, epochs: int | float) -> int:
        """Turn passes over the training part into a number of updates, rounded up."""
        return math.ceil(epochs * self.sizes.updates_per_epoch * (1 - 1e-12))

    def sequences_before(self, number: int) -> int:
        """Count the examples of the run before an update."""
        return self.sizes.items_before(number)

    def updates(self, *, rank: int = 0, world_size: int = 1) -> TaskUpdates:
        """Build the updates of one rank."""
        return TaskUpdates(
            self.train_items,
            batch_size=self.batch_size,
            micro_batch_size=self.micro_batch_size or self.batch_size,
            pad_id=self.layout.tokenizer.vocabulary.pad_id,
            segments=self.layout.segments,
            by_place=self.task.by_place,
            seed=self.seed,
            rank=rank,
            world_size=world_size,
        )

    def update_contents(self, number: int, *, total: int) -> TaskContents:
        """Tell which examples an update holds.

        Args:
            number: The update's.
            total: Updates of the run, which nothing here depends on.
        """
        items = self.updates().items_of(number).tolist()
        numbers = [self.train_items[item].example for item in items]
        texts = [self.task.key_text(self.parts.train[number]) for number in numbers]
        return TaskContents(numbers, texts)

    def state_dict(self) -> dict[str, Any]:
        """Give what a checkpoint keeps: which examples it was trained on, as plain data."""
        return {"task": self.spec.name, **asdict(self.sources)}
