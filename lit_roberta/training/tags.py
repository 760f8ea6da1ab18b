"""What the values of a run are called: in TensorBoard, in the progress bar, for the best save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class RunTags:
    """The tags that callbacks look for."""

    train_loss: str
    monitor: str
    """The value of a validation that a run is judged by."""
    higher_is_better: bool = False
    final: Sequence[str]
    """Shown beside the hyperparameters, by their newest values."""
    layout: Mapping[str, Mapping[str, Sequence[Any]]]
    """The custom-scalars page: which curves share a picture."""


PRETRAINING = RunTags(
    train_loss="train/masked_lm_loss",
    monitor="val/masked_lm_loss",
    final=("train/masked_lm_loss", "val/masked_lm_loss", "val/perplexity"),
    # training, validation and the unigram floor in one picture
    layout={
        "Masked language modelling": {
            "loss (nats per predicted token)": [
                "Multiline",
                ["train/masked_lm_loss", "val/masked_lm_loss", "val/unigram_loss"],
            ],
            "accuracy": ["Multiline", ["val/masked_lm_accuracy"]],
        },
        "Next sentence": {
            "accuracy": ["Multiline", ["val/next_sentence_accuracy"]],
        },
    },
)
"""Of pretraining, under any recipe."""
