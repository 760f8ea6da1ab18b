"""Held-out results by what is predicted and where, as sums that can be pooled over runs.

In: the predictions of one scoring, batch after batch. Out: nats, counts and right first guesses,
in buckets that hold every prediction once for each way to sort them. It does not know which model
made them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Int64

from lit_roberta.comparison.runs.predictions import KINDS, Predictions
from lit_roberta.comparison.runs.run import Bucket, Buckets
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.evaluation.heldout import HeldOutDataset
from lit_roberta.data.tokens.tokenizer import Tokenizer

PIECES = ("whole word", "first piece", "continuation", "number", "punctuation")
"""What a token is by its own letters and by where it stands in the tokenizer's word."""

_NUMBER, _PUNCTUATION = PIECES.index("number"), PIECES.index("punctuation")
_PART_OF_BYTES = "\N{REPLACEMENT CHARACTER}"
_TENS = 10 ** np.arange(10)
_TWOS = 2 ** np.arange(3, 24)


def frequency_bucket(counts: Int64[np.ndarray, " tokens"]) -> Int64[np.ndarray, " tokens"]:
    """Sort by how often a token stands in the training part: 0, 1 to 9, 10 to 99, and so on."""
    return np.searchsorted(_TENS, counts, side="right")


def position_bucket(columns: Int64[np.ndarray, " tokens"]) -> Int64[np.ndarray, " tokens"]:
    """Sort by place in the row, `[CLS]` being 0: below 8, 8 to 15, 16 to 31, and so on."""
    return np.searchsorted(_TWOS, columns, side="right")


def class_of_piece(piece: str) -> int | None:
    """Tell whether a piece is a number or punctuation, as a place in PIECES; None for a word's.

    A piece of a character's bytes is a word's, as most characters are.

    Example:
        >>> class_of_piece("1984"), class_of_piece("..."), class_of_piece("##ing")
        (3, 4, None)
    """
    letters = piece.strip()
    if len(letters) > 2:
        letters = letters.removeprefix("##")
    kinds = {unicodedata.category(letter)[0] for letter in letters if letter != _PART_OF_BYTES}
    if "N" in kinds and kinds <= set("NPS"):
        return _NUMBER
    return _PUNCTUATION if kinds and kinds <= set("PS") else None


class BucketTally:
    """Sort predictions into buckets.

    Args:
        data: The tokenizer and the training part that tokens are counted in.
        text: The text that is scored; its batches come in order.
    """

    def __init__(self, data: PretrainingDataModule, text: HeldOutDataset) -> None:
        self._text = text
        self._token_counts = data.token_counts
        self._classes = _classes_of(data.tokenizer)
        self._sums: dict[str, np.ndarray] = {}

    def add(self, predictions: Predictions) -> None:
        """Count the predictions of a batch."""
        labels = predictions.labels.numpy()
        self._count("frequency", frequency_bucket(self._token_counts[labels]), predictions)
        self._count("position", position_bucket(predictions.columns), predictions)
        self._count("piece", self._pieces(labels, predictions.batch), predictions)
        self._count("mask", predictions.kinds, predictions)

    def buckets(self) -> Buckets:
        """Give the sums."""
        return {
            name: {
                _NAMES[name](place): Bucket(
                    nats=round(float(nats), 6), count=int(count), right=int(right)
                )
                for place, (nats, count, right) in enumerate(sums.T)
                if count
            }
            for name, sums in self._sums.items()
        }

    def _pieces(
        self, labels: Int64[np.ndarray, " predictions"], batch: int
    ) -> Int64[np.ndarray, " predictions"]:
        begins, ends = self._text.word_bounds(batch)
        of_words = np.where(begins, np.where(ends, 0, 1), 2)
        return np.where(self._classes[labels] < 0, of_words, self._classes[labels])

    def _count(
        self, name: str, places: Int64[np.ndarray, " predictions"], predictions: Predictions
    ) -> None:
        sums = self._sums.setdefault(name, np.zeros((3, _MOST_BUCKETS)))
        for row, weights in enumerate((predictions.nats, None, predictions.right)):
            sums[row] += np.bincount(places, weights=weights, minlength=_MOST_BUCKETS)


_MOST_BUCKETS = max(len(_TENS), len(_TWOS)) + 1


def _classes_of(tokenizer: Tokenizer) -> Int64[np.ndarray, " vocab"]:
    """Give each token's class where its letters alone decide it, -1 where they do not."""
    pieces = (tokenizer.decode([number]) for number in range(tokenizer.vocab_size))
    found = (class_of_piece(piece) for piece in pieces)
    return np.array([-1 if each is None else each for each in found])


def _between(edges: Sequence[int] | np.ndarray, first: str) -> Callable[[int], str]:
    """Name the buckets between edges; the one before the first edge has a name of its own."""

    def name(place: int) -> str:
        if not place:
            return first
        if place == len(edges):
            return f"{edges[-1]}+"
        return f"{edges[place - 1]}-{edges[place] - 1}"

    return name


_NAMES: dict[str, Callable[[int], str]] = {
    "frequency": _between(_TENS, "0"),
    "position": _between(_TWOS, "1-7"),
    "piece": PIECES.__getitem__,
    "mask": KINDS.__getitem__,
}
