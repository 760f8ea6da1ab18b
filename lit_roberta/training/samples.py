"""Held-out sentences with blanks, and what the model puts into them at each validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import TensorBoardLogger

from lit_roberta.training.sample_sentences import (
    Guess,
    Sample,
    choose_samples,
    guess_blanks,
    write_out,
)
from lit_roberta.training.tensorboard import tensorboard_writer


class SamplePredictions(Callback):
    """Write the guesses for the same few validation sentences as text, at each validation.

    The sentences are the first by a hash of their number, never picked, and the same for all
    recipes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._samples: list[Sample] | None = None

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Guess, and write the guesses down."""
        if trainer.state.fn != "fit" or trainer.sanity_checking:
            return
        if not any(isinstance(logger, TensorBoardLogger) for logger in trainer.loggers):
            return
        data: Any = trainer.datamodule  # type: ignore[attr-defined]
        tokenizer = data.tokenizer
        if self._samples is None:
            room = data.packing.max_length - 2  # [CLS] and [SEP]
            self._samples = choose_samples(data.parts.validation, tokenizer, room=room)
        model: Any = pl_module.model
        # On every rank, because a sharded model computes on all of them or on none.
        guesses = [guess_blanks(model, sample, tokenizer) for sample in self._samples]
        texts = [write_out(sample, tokenizer) for sample in self._samples]
        writer = tensorboard_writer(trainer)
        if writer is not None:
            writer.add_text("samples", write_table(texts, guesses), trainer.global_step)


def write_table(
    texts: Sequence[Sequence[str]], guesses: Sequence[Sequence[Sequence[Guess]]]
) -> str:
    """Write sentences and guesses as a table in Markdown.

    Args:
        texts: Of each sentence: text, hidden word, text, hidden word, ..., text.
        guesses: Of each sentence and blank, best first.

    Example:
        >>> guess = Guess(text="cat", probability=0.25, right=True)
        >>> print(write_table([["the", "cat", "sat"]], [[[guess]]]))
        | sentence | guesses |
        |---|---|
        | the **cat** sat | *cat* 25% |
    """
    rows = ["| sentence | guesses |", "|---|---|"]
    for parts, blanks in zip(texts, guesses, strict=True):
        words = [f"**{part}**" if place % 2 else part for place, part in enumerate(parts)]
        sentence = " ".join(_escape(word) for word in words if word)
        columns = "; ".join(", ".join(_write_guess(guess) for guess in blank) for blank in blanks)
        rows.append(f"| {sentence} | {columns} |")
    return "\n".join(rows)


def _write_guess(guess: Guess) -> str:
    word = _escape(guess.text)
    return f"{f'*{word}*' if guess.right else word} {guess.probability:.0%}"


def _escape(text: str) -> str:
    """Keep a text's own bars and line ends from ending a cell."""
    return text.replace("|", "\\|").replace("\n", " ")
