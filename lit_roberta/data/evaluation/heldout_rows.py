"""Held-out text laid out in any input format, so that every token is predicted in exactly one row.

In: held-out documents. Out: spans of tokens, and which of them are predicted there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from lit_roberta.data.evaluation.heldout_masks import HELD_OUT_SEED
from lit_roberta.data.examples.blocks import Block
from lit_roberta.data.examples.packing import PAIR_FORMATS, Format, PackingConfig, pack
from lit_roberta.data.examples.runs import follow, runs_of
from lit_roberta.data.rows.building import single_spans
from lit_roberta.data.rows.collation import Spans
from lit_roberta.data.tokens.store import TokenizedCorpus


class HeldOutRows(NamedTuple):
    """Rows that hold every token of a corpus."""

    spans: Spans
    predicted: Bool[np.ndarray, " spans"]
    """False: the span is context only, because its tokens are predicted in another row."""

    def take(self, rows: Int64[np.ndarray, " taken"]) -> HeldOutRows:
        """Take some rows, in the order given."""
        return HeldOutRows(self.spans.take(rows), self.predicted[self.spans.of_rows(rows)])


def lay_out_held_out(corpus: TokenizedCorpus, *, format: Format, max_length: int) -> HeldOutRows:
    """Lay out a corpus so that every token is predicted in exactly one row.

    Single formats do so as they are. Pairs of training overlap, and skip documents of one
    sentence; here they follow each other without overlap, B is always the true next, an odd last
    sentence is a B behind the sentence before it (which is context only), and a document of one
    sentence is an A alone.

    Args:
        corpus: Held-out documents.
        format: The input format.
        max_length: Longest row, in tokens, special tokens included.

    Returns:
        The rows, in corpus order.
    """
    config = PackingConfig(format=format, max_length=max_length)
    if format in PAIR_FORMATS:
        return _pairs(corpus, config)
    examples = pack(corpus, config, seed=HELD_OUT_SEED)
    spans = single_spans(examples, np.arange(len(examples)))
    return HeldOutRows(spans, np.ones(len(spans.rows), dtype=bool))


def _pairs(corpus: TokenizedCorpus, config: PackingConfig) -> HeldOutRows:
    block = Block.whole(corpus, room=config.sentence_room)
    pieces, runs = block.pieces, runs_of(block, config, seed=HELD_OUT_SEED)
    first = follow(runs.next_stops)
    documents = pieces.documents[first]
    last = first + 1 == pieces.document_stops[first]
    odd = last & (first > pieces.document_offsets[documents])
    middle = np.where(odd, first, runs.stops[first])
    borders = np.stack([first - odd, middle, runs.next_stops[first]], axis=1)
    starts, stops = pieces.offsets[borders[:, :2]].ravel(), pieces.offsets[borders[:, 1:]].ravel()
    predicted = np.stack([~odd, np.ones_like(odd)], axis=1).ravel()
    real = starts < stops
    rows = np.repeat(np.arange(len(first)), 2)
    return HeldOutRows(Spans.of(rows[real], starts[real], stops[real]), predicted[real])
