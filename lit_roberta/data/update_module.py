"""The half of the data module that trains: updates by their number, for a trainer's run.

In: the training part as updates. Out: what each update of a run is, and the loader of those that
are left. It owns no rule of its own: sizes, stages and streams are functions in the modules beside
it.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.accelerators import CUDAAccelerator
from torch.utils.data import DataLoader

from lit_roberta.batch import Update
from lit_roberta.data.batching import BudgetUnit
from lit_roberta.data.contents import UpdateContents, update_contents
from lit_roberta.data.examples.packing import Examples
from lit_roberta.data.loaders import StagedUpdates, update_loader
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateSampler, UpdateStream
from lit_roberta.data.training_text import TrainingText
from lit_roberta.errors import must


class UpdateDataModule(pl.LightningDataModule):
    """Supply the updates of a run, whatever the text is."""

    num_workers: int
    """Processes that build updates beside the training."""
    _stage_starts: tuple[int, ...] | None = None
    """Where stages start if that was fixed earlier."""

    @cached_property
    @abstractmethod
    def training(self) -> TrainingText:
        """The training part as updates, by stage of length."""

    # ---- what an update is

    @property
    def examples(self) -> Examples:
        """The training examples at max_length, as spans."""
        return self.training.examples(self.training.last_stage)

    @property
    def num_examples(self) -> int:
        """Training examples of one epoch at max_length."""
        return self.training.num_examples(self.training.last_stage)

    @property
    def tokens_per_sequence(self) -> float:
        """Mean length of an example at max_length in tokens, special tokens included."""
        return self.training.tokens_per_sequence(self.training.last_stage)

    @property
    def sequences_per_update(self) -> int:
        """The full batch at max_length, over all devices, also where it was given in tokens."""
        return self.training.full_batch(self.training.last_stage)

    def sizes(self, total: int) -> UpdateSizes:
        """Tell what each update of a run of `total` updates is."""
        return self.training.sizes(total, starts=self._stage_starts)

    def keep_stages(self, starts: Sequence[int]) -> None:
        """Let each stage start where it was to start when the run began, whatever its length now.

        Args:
            starts: The first update of each stage.

        Raises:
            UserError: If there is another number of stages.
        """
        if len(starts) != self.training.num_stages:
            rule = f"be as many as the checkpoint's, {len(starts) - 1}"
            remedy = "Give the stages that the run was started with."
            raise must("data.length_stages", rule, self.training.last_stage, remedy)
        self._stage_starts = tuple(starts)

    def alone(self, stage: int, *, batch_size: int) -> UpdateDataModule:
        """Give a data module whose runs have one stage, at one batch, all through."""
        other = copy.copy(self)
        other.training = self.training.alone(stage, batch_size=batch_size)
        other._stage_starts = None
        return other

    @property
    def run_sizes(self) -> UpdateSizes:
        """What each update of the trainer's run is."""
        return self.sizes(self._trainer.max_steps)

    def sequences_before(self, number: int) -> int:
        """Count the sequences of the trainer's run before an update."""
        return self.run_sizes.sequences(0, number)

    def updates_for(self, unit: BudgetUnit, amount: float | int) -> int:
        """Turn an amount of training into a number of updates, rounded up."""
        return self.training.updates_for(unit, amount)

    def stream(
        self, stage: int = 0, *, total: int = 1, rank: int = 0, world_size: int = 1
    ) -> UpdateStream:
        """Build the training stream of one rank in one stage: updates by their number.

        Args:
            stage: The stage, from 0.
            total: Updates of the run, which decide where a later stage starts.
            rank: This process.
            world_size: Processes in all.
        """
        sizes = self.sizes(total)
        return self.training.stream(stage, sizes=sizes, rank=rank, world_size=world_size)

    def update_contents(self, number: int, *, total: int = 1) -> UpdateContents:
        """Tell which examples an update holds, and where they lie in the training part.

        Args:
            number: The update's number, from 0, which is how many are finished before it.
            total: Updates of the run, which decide where a later stage starts.
        """
        sizes = self.sizes(total)
        stage = sizes.stage_of(number)
        numbers = self.training.stream(stage, sizes=sizes).examples_of(number)
        return update_contents(number, numbers, self.training.examples(stage))

    # ---- the loader

    def train_dataloader(self) -> DataLoader[Update] | StagedUpdates:
        """Give the updates from the trainer's present one on."""
        trainer, sizes = self._trainer, self.run_sizes
        module: Any = trainer.lightning_module
        rank, world_size = trainer.global_rank, trainer.world_size

        def load(stage: int, sampler: UpdateSampler) -> DataLoader[Update]:
            return update_loader(
                self.training.stream(stage, sizes=sizes, rank=rank, world_size=world_size),
                sampler,
                num_workers=self.num_workers,
                pin_memory=self._pin_memory,
            )

        # Read when the updates are iterated, not now: a resumed run's position is restored in
        # between.
        left = UpdateSampler(lambda: module.update_number, lambda: trainer.max_steps)
        return load(0, left) if len(sizes.stages) == 1 else StagedUpdates(sizes, left, load)

    @property
    def _pin_memory(self) -> bool:
        return isinstance(self._trainer.accelerator, CUDAAccelerator)

    @property
    def _trainer(self) -> pl.Trainer:
        assert self.trainer is not None, "the loaders are the trainer's to ask for"
        return self.trainer
