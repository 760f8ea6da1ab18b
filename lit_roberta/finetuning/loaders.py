"""The loaders of fine-tuning: updates from where a run stands, and parts to judge it on."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import pytorch_lightning as pl
from pytorch_lightning.accelerators import CUDAAccelerator
from torch.utils.data import DataLoader

from lit_roberta.batch import JudgedBatch, TaskUpdate
from lit_roberta.data.stream import UpdateSampler
from lit_roberta.finetuning.held_out import JudgedBatches
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.updates import TaskUpdates

HeldOutPart = Literal["validation", "test"]
PARTS: tuple[HeldOutPart, ...] = ("validation", "test")


class TaskLoaders(pl.LightningDataModule):
    """The half of a data module that a trainer asks; a subclass says what is in the parts."""

    num_workers: int
    """Processes that build updates beside the training."""

    @property
    @abstractmethod
    def layout(self) -> Layout:
        """How texts become rows."""

    @abstractmethod
    def updates(self, *, rank: int = 0, world_size: int = 1) -> TaskUpdates:
        """Build the updates of one rank."""

    @abstractmethod
    def items(self, part: HeldOutPart) -> dict[str, list[Item]]:
        """Give the items of a part, by the name of the set."""

    def train_dataloader(self) -> DataLoader[TaskUpdate]:
        """Give the updates from the trainer's present one on."""
        trainer = self._trainer
        return DataLoader(
            self.updates(rank=trainer.global_rank, world_size=trainer.world_size),
            sampler=UpdateSampler(lambda: trainer.global_step, lambda: trainer.max_steps),
            batch_size=None,
            collate_fn=_as_it_is,
            num_workers=self.num_workers,
            pin_memory=isinstance(trainer.accelerator, CUDAAccelerator),
        )

    def val_dataloader(self) -> list[DataLoader[JudgedBatch]]:
        """Give the validation part."""
        return self._loaders_of("validation")

    def test_dataloader(self) -> list[DataLoader[JudgedBatch]]:
        """Give the test part."""
        return self._loaders_of("test")

    def predict_dataloader(self) -> list[DataLoader[JudgedBatch]]:
        """Give the test part."""
        return self._loaders_of("test")

    def _loaders_of(self, part: HeldOutPart) -> list[DataLoader[JudgedBatch]]:
        trainer = self._trainer
        return [
            DataLoader(
                JudgedBatches(
                    items,
                    pad_id=self.layout.tokenizer.vocabulary.pad_id,
                    segments=self.layout.segments,
                    rank=trainer.global_rank,
                    world_size=trainer.world_size,
                ),
                batch_size=None,
                collate_fn=_as_it_is,
                pin_memory=isinstance(trainer.accelerator, CUDAAccelerator),
            )
            for items in self.items(part).values()
            if items
        ]

    @property
    def _trainer(self) -> pl.Trainer:
        assert self.trainer is not None, "a loader is asked for by a trainer"
        return self.trainer


def _as_it_is(item: Any) -> Any:
    return item
