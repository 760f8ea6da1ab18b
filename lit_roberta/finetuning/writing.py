"""What `predict` writes: each example of the test part, and what the model says of it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import IO, Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.whole_files import written_beside

logger = logging.getLogger(__name__)


class TaskPredictions(Callback):
    """Write one line of JSON for each example, into `predictions.jsonl` of a folder.

    Several processes write a file each: `predictions-1.jsonl` and so on.

    Args:
        folder: The run's folder.
    """

    def __init__(self, *, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self._found: dict[int, list[tuple[int, Any]]] = {}

    def on_predict_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Keep the predictions of a batch: they come by length, and are written in order."""
        self._found.setdefault(dataloader_idx, []).extend(outputs)

    def on_predict_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the file beside its place, then put it there."""
        rank = trainer.global_rank
        path = self.folder / f"predictions{f'-{rank}' if rank else ''}.jsonl"
        data: Any = trainer.datamodule  # type: ignore[attr-defined]
        sets = [(name, each) for name, each in data.examples("test").items() if each]
        with written_beside(path) as part, part.open("w", encoding="utf-8") as file:
            for number, (name, examples) in enumerate(sets):
                self._write(file, name, examples, self._found.get(number, []))
        logger.info("Predictions: %s", path)

    def _write(
        self, file: IO[str], name: str, examples: Any, found: list[tuple[int, Any]]
    ) -> None:
        for number, prediction in sorted(found, key=lambda each: each[0]):
            row = {"set": name} if name else {}
            example = examples[number]._asdict()
            row |= {key: value for key, value in example.items() if value is not None}
            row["prediction"] = prediction.as_dict()
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
