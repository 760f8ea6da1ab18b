"""The smallest module that trains by hand, to test when a run is saved and stopped."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from lit_roberta.training.checkpointing import UpdateCheckpoint


class TinyModule(pl.LightningModule):
    """One weight, which grows by one with each update; validation losses as they are told."""

    def __init__(self, losses: Sequence[float] = ()) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.losses = list(losses)
        self.validated: list[int] = []
        self.stop_requested: Callable[[], bool] = lambda: False

    @property
    def num_updates(self) -> float:
        """What the weight says of the updates made, over all starts."""
        return float(self.weight.detach())

    def training_step(self, batch: Tensor) -> None:
        optimizer: Any = self.optimizers()
        optimizer.zero_grad()
        for _ in range(2):
            if self.stop_requested():
                return
            self.manual_backward(-self.weight.sum() / 2)
        optimizer.step()

    def validation_step(self, batch: Tensor) -> None:
        pass

    def on_validation_epoch_end(self) -> None:
        if self.trainer.sanity_checking:
            return
        self.validated.append(self.trainer.global_step)
        if self.losses:
            self.log("val/masked_lm_loss", self.losses.pop(0))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=1.0)

    def train_dataloader(self) -> Any:
        return DataLoader(_Rest(self), batch_size=None)

    def val_dataloader(self) -> Any:
        return DataLoader([0, 1], batch_size=None)  # type: ignore[arg-type]


class _Rest(Dataset[int]):
    """As many items as the run has updates, whatever was done before."""

    def __init__(self, module: TinyModule) -> None:
        self.module = module

    def __len__(self) -> int:
        return self.module.trainer.max_steps

    def __getitem__(self, place: int) -> int:
        return place


def fit(
    module: TinyModule,
    folder: Path,
    *callbacks: Callback,
    updates: int = 10,
    validate_every: int = 4,
    checkpoint: UpdateCheckpoint | None = None,
    ckpt_path: Path | None = None,
    **settings: Any,
) -> pl.Trainer:
    """Train a tiny module in a folder."""
    trainer = pl.Trainer(
        max_steps=updates,
        max_epochs=-1,
        val_check_interval=validate_every,
        check_val_every_n_epoch=None,
        accelerator="cpu",
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
        callbacks=[*callbacks, checkpoint or UpdateCheckpoint(every_n_updates=3)],
        **{"num_sanity_val_steps": 0, **settings},
    )
    with warnings.catch_warnings():
        # Nothing here is resumable, because nothing here is random.
        warnings.filterwarnings("ignore", ".*your dataloader is not resumable.*")
        trainer.fit(module, ckpt_path=ckpt_path)
    return trainer


def read(folder: Path, name: str = "last") -> dict[str, Any]:
    """Load a checkpoint of a run."""
    return torch.load(folder / "checkpoints" / f"{name}.ckpt", weights_only=True)
