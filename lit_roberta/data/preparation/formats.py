"""What each input format would make of a text at a length, before anything is trained on it.

In: the training part. Out: plain data. Where the part is large this is measured on some of it, in
memory that does not grow with the text, and counts are scaled up.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.examples.keys import visit_keys
from lit_roberta.data.examples.order import examples_at
from lit_roberta.data.examples.packing import (
    LONGEST,
    Examples,
    Format,
    PackingConfig,
    pack,
)
from lit_roberta.data.examples.pairs import draw_pairs
from lit_roberta.data.preparation.sampling import spread_sample
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import UserError, must

FORMATS: tuple[Format, ...] = get_args(Format)

ROWS_TOGETHER = 32
"""Examples that are padded to the longest of them, where padding in a batch is measured."""

_MEASURED = 4_000_000
"""Tokens up to which a text is measured as a whole."""
_BATCHES = 64
"""Batches in which padding is measured."""
_DRAWN = 4096
"""Pairs whose labels are drawn."""
_SEED = 0


def check_max_length(max_length: int) -> None:
    """Refuse a length that no format can have.

    Raises:
        UserError: If it is too short or too long for a single sentence.
    """
    if not 3 <= max_length <= LONGEST:
        remedy = "It is in tokens, special ones included; BERT has 128, then 512."
        raise must("max_length", f"lie between 3 and {LONGEST}", max_length, remedy)


def measure_formats(
    corpus: TokenizedCorpus, *, max_length: int, at_most: int = _MEASURED
) -> dict[str, Any]:
    """Measure what each format would make of a training text.

    Args:
        corpus: The training part.
        max_length: Longest example, in tokens, special tokens included.
        at_most: About how many tokens are looked at.

    Returns:
        `max_length`, `tokens` of the text, `measured_tokens`, and in `formats` for each one either
        `impossible`, a sentence, or

        - `examples` of an epoch, and `tokens_per_example`, special ones included;
        - `padding_share` of rows padded to `max_length`, and `batch_padding_share` of rows padded
          to the longest of ROWS_TOGETHER;
        - `cut_share` of sentences that are too long for the format, and are cut in pieces;
        - `dropped_share` of tokens that are in no example;
        - `negative_share` of pairs whose B is random; None where there are no pairs.
    """
    measured = spread_sample(corpus, at_most=at_most)
    scale = corpus.num_tokens / max(1, measured.num_tokens)
    return {
        "max_length": max_length,
        "tokens": corpus.num_tokens,
        "measured_tokens": measured.num_tokens,
        "formats": {
            format: _measure(measured, format, max_length=max_length, scale=scale)
            for format in FORMATS
        },
    }


def _measure(
    corpus: TokenizedCorpus, format: Format, *, max_length: int, scale: float
) -> dict[str, Any]:
    try:
        config = PackingConfig(format=format, max_length=max_length)
        examples = pack(corpus, config, seed=_SEED)
    except UserError as error:
        return {"impossible": str(error)}
    sizes = np.diff(corpus.sentence_offsets)
    mean = float(np.mean(examples.lengths))
    return {
        "examples": round(len(examples) * scale),
        "tokens_per_example": mean,
        "padding_share": 1 - mean / max_length,
        "batch_padding_share": _batch_padding(examples.lengths),
        "cut_share": float(np.mean(sizes > config.sentence_room)),
        "dropped_share": examples.dropped_tokens / corpus.num_tokens,
        "negative_share": None if examples.partners is None else _negatives(examples),
    }


def _batch_padding(lengths: Int64[np.ndarray, " examples"]) -> float:
    """Measure the padding of batches, whose examples are drawn as training draws them."""
    count = min(_BATCHES, max(1, len(lengths) // ROWS_TOGETHER))
    places = np.arange(min(len(lengths), count * ROWS_TOGETHER))
    drawn = lengths[examples_at(places, num_examples=len(lengths), seed=_SEED)]
    rows = drawn.reshape(count, -1)
    return float(1 - rows.sum() / (rows.max(axis=1).sum() * rows.shape[1]))


def _negatives(examples: Examples) -> float:
    numbers = np.arange(len(examples))
    if len(numbers) > _DRAWN:
        numbers = np.linspace(0, len(numbers) - 1, _DRAWN).astype(np.int64)
    keys = visit_keys(numbers, np.zeros_like(numbers), seed=_SEED)
    return float(np.mean(draw_pairs(examples, numbers, keys).labels == 0))
