"""What `predict` writes: each masked place of the test text, and what the model puts there."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytorch_lightning as pl
from jaxtyping import Float, Int
from pytorch_lightning.callbacks import Callback
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX, Batch, HeldOutBatch
from lit_roberta.data.tokens.tokenizer import Tokenizer

logger = logging.getLogger(__name__)

NUM_GUESSES = 5


class SlotGuesses(NamedTuple):
    """The best guesses at each slot, best first."""

    token_ids: Int[Tensor, "batch slots guesses"]
    probabilities: Float[Tensor, "batch slots guesses"]


def best_guesses(logits: Float[Tensor, "batch slots vocab"]) -> SlotGuesses:
    """Keep the few most probable tokens of each slot."""
    best = logits.float().softmax(dim=-1).topk(min(NUM_GUESSES, logits.shape[-1]))
    return SlotGuesses(best.indices, best.values)


class FillMaskPredictions(Callback):
    """Write one line of JSON for each sequence, into `predictions.jsonl` of a folder.

    Several processes write a file each: `predictions-1.jsonl` and so on.

    Args:
        folder: The run's folder.
    """

    def __init__(self, *, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self._file: IO[str] | None = None

    def on_predict_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Open the file beside its place: what is there stays whole until this one is."""
        rank = trainer.global_rank
        self._path = self.folder / f"predictions{f'-{rank}' if rank else ''}.jsonl"
        self._part = self._path.with_name(self._path.name + ".part")
        self._file = self._part.open("w", encoding="utf-8")

    def on_predict_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Tensor,
        batch: HeldOutBatch,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Write the sequences of a batch."""
        data: Any = trainer.datamodule  # type: ignore[attr-defined]
        assert self._file is not None, "opened at the start"
        for row in fill_mask_rows(batch.batch, best_guesses(outputs), data.tokenizer):
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")

    def on_predict_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Put the file in its place."""
        assert self._file is not None, "opened at the start"
        self._file.close()
        self._part.replace(self._path)
        logger.info("Predictions: %s", self._path)


def fill_mask_rows(
    batch: Batch, guesses: SlotGuesses, tokenizer: Tokenizer
) -> Iterator[dict[str, Any]]:
    """Give what a model puts at the masked places of each sequence.

    Args:
        batch: Masked text.
        guesses: For slots 1, 2, ...
        tokenizer: Turns ids into text.

    Yields:
        input: the text as the model saw it. masked: for each place its position in tokens, the
        answer, and the best guesses with their probabilities, best first. Nothing for a sequence
        without such a place.
    """
    words = tokenizer.id_to_word
    mask = batch.attention_mask
    for row, ids in enumerate(batch.input_ids):
        kept = ids if mask is None else ids[mask[row]]
        masked = []
        for slot, label in enumerate(batch.labels[row, 1:].tolist()):
            if label == IGNORE_INDEX:
                continue
            tokens = guesses.token_ids[row, slot].tolist()
            shares = guesses.probabilities[row, slot].tolist()
            best = [
                [words[token], round(share, 4)]
                for token, share in zip(tokens, shares, strict=True)
            ]
            masked.append(
                {
                    "position": int(batch.positions[row, slot + 1]),
                    "answer": words[label],
                    "guesses": best,
                }
            )
        if not masked:
            continue  # a sequence that another process writes
        yield {"input": " ".join(words[token] for token in kept.tolist()), "masked": masked}
