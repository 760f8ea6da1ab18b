"""Token documents to examples, as spans of tokens: the five input formats.

In: a tokenized corpus. Out: where each example starts and stops, in tokens. No token is copied, no
special token is placed and nothing is masked here; those happen anew in every update. The corpus
is gone through in blocks; where examples are written to a folder, memory does not grow with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.examples.blocks import SENTENCES, blocks_of
from lit_roberta.data.examples.columns import Columns
from lit_roberta.data.examples.config import LONGEST, PAIR_FORMATS, Format, PackingConfig
from lit_roberta.data.examples.partners import hash_texts, require_partners
from lit_roberta.data.examples.runs import Walked, walk
from lit_roberta.data.examples.spans import TOTALS, Examples, Totals
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import must

__all__ = ["LONGEST", "PAIR_FORMATS", "Examples", "Format", "PackingConfig", "pack"]

_DOCUMENTS = 1 << 18
"""Documents that are looked at together."""


def pack(
    corpus: TokenizedCorpus,
    config: PackingConfig,
    *,
    seed: int,
    folder: Path | None = None,
    sentences: int = SENTENCES,
) -> Examples:
    """Pack a corpus into examples of one format.

    Args:
        corpus: The tokenized corpus.
        config: The format and its settings.
        seed: Draws the lengths of segments and short sequences; neither moves between epochs.
        folder: An empty folder, where the examples are written. None: they stay in memory.
        sentences: Sentences that are packed together; they decide nothing but the memory it takes.

    Returns:
        The examples. `kept_tokens + dropped_tokens` is the number of tokens of the corpus.

    Raises:
        UserError: If there is no example, or if a pair could find no random B.
        OSError: If the folder can't be written.
    """
    if not corpus.num_tokens:
        raise must("data.corpus", "hold at least one sentence", "none", "Give a longer text.")
    blocks = blocks_of(
        corpus, room=config.sentence_room, reach=config.max_length, sentences=sentences
    )
    pairs = config.format in PAIR_FORMATS
    add = _add_pairs if pairs else _add_singles
    total = longest = 0
    with Columns(folder) as columns:
        for walked in walk(blocks, config, seed=seed):
            lengths = add(columns, walked, corpus, config)
            total += int(lengths.sum())
            longest = max(longest, int(lengths.max(initial=0)))
        _add_ends(columns, corpus, config)
        arrays = columns.arrays()
    dropped = sum(_lone_tokens(corpus, room=config.sentence_room)) if pairs else 0
    totals = Totals(corpus.num_tokens - dropped, dropped, total, longest)
    if folder is not None:
        (folder / TOTALS).write_text(json.dumps(totals._asdict()))
    examples = Examples.of(config, arrays, totals, folder=folder)
    if pairs:
        _require_pairs(examples)
    return examples


def _add_singles(
    columns: Columns, walked: Walked, corpus: TokenizedCorpus, config: PackingConfig
) -> Int64[np.ndarray, " examples"]:
    """Add the examples of a block, and give their lengths."""
    block, runs, first = walked
    offsets, documents = block.pieces.offsets, block.pieces.documents
    stops = runs.stops[first]
    columns.add("borders", offsets[first])
    return offsets[stops] - offsets[first] + 2 + documents[stops - 1] - documents[first]


def _add_pairs(
    columns: Columns, walked: Walked, corpus: TokenizedCorpus, config: PackingConfig
) -> Int64[np.ndarray, " examples"]:
    """Let A run over each document, with a B behind each A."""
    block, runs, first = walked
    pieces = block.pieces
    first = first[first + 1 < pieces.document_stops[first]]
    starts, next_stops = pieces.offsets[first], pieces.offsets[runs.next_stops[first]]
    columns.add("starts", starts)
    columns.add("stops", pieces.offsets[runs.stops[first]])
    columns.add("next_stops", next_stops)
    columns.add("piece_offsets", pieces.offsets[: block.size])
    if config.format == "segment-pair":
        columns.add("pair_targets", runs.targets[first])
    candidates = slice(block.size) if config.nsp_first_sentences else runs.stops[first]
    columns.add("texts", hash_texts(corpus, pieces)[candidates])
    return next_stops - starts + 3


def _add_ends(columns: Columns, corpus: TokenizedCorpus, config: PackingConfig) -> None:
    """Add the places at which the last ones end, and the boundaries of documents."""
    pairs = config.format in PAIR_FORMATS
    columns.add("piece_offsets" if pairs else "borders", np.array([corpus.num_tokens]))
    for first in range(0, len(corpus.document_offsets), _DOCUMENTS):
        some = corpus.document_offsets[first : first + _DOCUMENTS]
        columns.add("document_token_offsets", corpus.sentence_offsets[some])


def _lone_tokens(corpus: TokenizedCorpus, *, room: int) -> Iterator[int]:
    """Count the tokens of documents of one piece, which give no pair, some documents at a time."""
    for first in range(0, corpus.num_documents, _DOCUMENTS):
        offsets = corpus.document_offsets[first : first + _DOCUMENTS + 1]
        sizes = np.diff(corpus.sentence_offsets[offsets])
        yield int(sizes[(np.diff(offsets) == 1) & (sizes <= room)].sum())


def _require_pairs(examples: Examples) -> None:
    """See that there are pairs, and that each could get a random B."""
    borders = examples.document_token_offsets
    if not len(examples):
        raise must(
            "data.corpus",
            f"hold a document of two sentences for {examples.config.format}",
            f"{len(borders) - 1} documents of one sentence",
            "Choose doc-sentences, or mark documents by blank lines.",
        )
    assert examples.partners is not None, "the examples are pairs"
    require_partners(examples.partners, true_starts=examples.stops, document_token_offsets=borders)
