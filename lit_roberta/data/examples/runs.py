"""Runs of pieces: where each would stop, and which of them a walk over the corpus meets.

In: pieces of sentences. Out: numbers of pieces. Runs are greedy, so where one starts depends on
where the one before it stopped. Therefore every piece says where a run from there would stop
(vectorised), and one walk visits the runs that are real.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.examples.blocks import Block
from lit_roberta.data.examples.config import PAIR_FORMATS, PackingConfig
from lit_roberta.randomness import Purpose, below, random_bits, unit


class Runs(NamedTuple):
    """The text, or the A and the true B, that would start at each piece of a block."""

    stops: Int64[np.ndarray, " pieces"]
    """The piece behind the text, or behind A, where B starts."""
    next_stops: Int64[np.ndarray, " pieces"]
    """The piece behind B; the last piece of a document has no B. Of a single format: `stops`."""
    targets: Int64[np.ndarray, " pieces"]
    """Tokens that are to be filled, 0 for one sentence, or one each."""


class Walked(NamedTuple):
    """What a walk meets in one block."""

    block: Block
    runs: Runs
    visited: Int64[np.ndarray, " visited"]
    """The pieces of the block at which an example starts."""


def walk(blocks: Iterable[Block], config: PackingConfig, *, seed: int) -> Iterator[Walked]:
    """Walk over a corpus from run to run, a block at a time.

    Args:
        blocks: The blocks, in order; the walk goes on where it left the one before.
        config: The format and its settings.
        seed: Draws lengths, by the number of the piece in the corpus.
    """
    start = 0
    for block in blocks:
        runs = runs_of(block, config, seed=seed)
        visited = follow(runs.stops, first=start - block.first)
        if len(visited):
            start = block.first + int(runs.stops[visited[-1]])
        yield Walked(block, runs, visited)


def follow(
    links: Int64[np.ndarray, " pieces"], *, first: int = 0
) -> Int64[np.ndarray, " visited"]:
    """Walk from piece to piece, each giving the next one, until the last is behind.

    Runs of pieces are greedy: where one starts depends on where the one before it stopped. So
    every piece says where a run that starts there would stop (vectorised), and this walk visits
    the ones that are real.

    Example:
        >>> follow(np.array([2, 3, 3, 5, 5])).tolist()
        [0, 2, 3]
    """
    link = np.ascontiguousarray(links).data
    visited = array("q")
    piece = first
    while piece < len(link):
        visited.append(piece)
        piece = link[piece]
    return np.frombuffer(visited, dtype=np.int64) if visited else np.empty(0, dtype=np.int64)


def fitting_stops(
    ends: Int64[np.ndarray, " pieces"],
    limits: Int64[np.ndarray, " runs"],
    *,
    at_least: Int64[np.ndarray, " runs"],
    at_most: Int64[np.ndarray, " runs"],
) -> Int64[np.ndarray, " runs"]:
    """Find where a run of pieces stops that ends no later than a limit.

    Args:
        ends: Where each piece ends, ascending, in the unit of `limits`.
        limits: Where each run has to end.
        at_least: The first piece that the run must not lack; it counts more than the limit.
        at_most: The last stop that is allowed; it counts most.

    Returns:
        The piece behind the last one of each run.
    """
    stops = np.searchsorted(ends, limits, side="right")
    return np.minimum(np.maximum(stops, at_least), at_most)


def runs_of(block: Block, config: PackingConfig, *, seed: int) -> Runs:
    """Find the example that would start at each piece of a block, in any format."""
    pairs = config.format in PAIR_FORMATS
    if config.format in ("sentence", "sentence-pair"):
        stops = np.arange(1, block.size + 1)
        behind = np.minimum(stops + 1, block.pieces.document_stops[: block.size])
        return Runs(stops, behind if pairs else stops, np.zeros_like(stops))
    targets = _targets(block, config, seed=seed)
    if pairs:
        return _pair_runs(block, targets, room=config.max_length - 3, seed=seed)
    stops = _run_stops(block, config, targets)
    return Runs(stops, stops, targets)


def _run_stops(
    block: Block, config: PackingConfig, targets: Int64[np.ndarray, " pieces"]
) -> Int64[np.ndarray, " pieces"]:
    """Find where a run of a format that fills the length would stop."""
    pieces, own = block.pieces, slice(block.size)
    starts, ends = pieces.offsets[:-1], pieces.offsets[1:]
    last = pieces.document_stops
    if config.format == "full-sentences":
        # Each document boundary inside costs a [SEP]: shift every document by one more token.
        starts, ends = starts + pieces.documents, ends + pieces.documents
        last = np.full_like(last, len(pieces))
    return fitting_stops(
        ends, starts[own] + targets, at_least=np.arange(1, block.size + 1), at_most=last[own]
    )


def _targets(block: Block, config: PackingConfig, *, seed: int) -> Int64[np.ndarray, " pieces"]:
    """Draw the length to fill for an example that starts at each piece.

    Source: google-research/bert create_pretraining_data.py:230-238, which draws it once a
    document.
    """
    room = config.max_length - (3 if config.format in PAIR_FORMATS else 2)
    targets = np.full(block.size, room)
    if not config.short_sequence_probability:
        return targets
    numbers = block.first + np.arange(block.size)
    chance = unit(random_bits(seed, Purpose.SHORT_SEQUENCE, numbers, 0))
    shorter = 2 + below(random_bits(seed, Purpose.SHORT_SEQUENCE, numbers, 1), max(room - 1, 1))
    return np.where(chance < config.short_sequence_probability, np.minimum(shorter, room), targets)


def _pair_runs(
    block: Block, targets: Int64[np.ndarray, " pieces"], *, room: int, seed: int
) -> Runs:
    """Find the A and the B that would start at each piece.

    A is a run of pieces up to a length drawn uniformly below the target, and at least one; it
    leaves room for the piece behind it, and leaves a piece behind it. B is the run of pieces
    behind A that fills up the target, and at least one.

    Args:
        block: The pieces; two of them fit the room together.
        targets: Tokens that A and B fill together.
        room: The most tokens that A and B may have together.
        seed: Draws the length of A.
    """
    pieces, numbers = block.pieces, np.arange(block.size)
    starts, ends = pieces.offsets[: block.size], pieces.offsets[1:]
    last = pieces.document_stops[: block.size]
    lengths = 1 + below(
        random_bits(seed, Purpose.SEGMENT_SPLIT, block.first + numbers),
        np.maximum(targets - 1, 1),
    )
    behind = np.searchsorted(ends, starts + room, side="right") - 1
    stops = fitting_stops(
        ends,
        starts + lengths,
        at_least=numbers + 1,
        at_most=np.maximum(np.minimum(behind, last - 1), numbers + 1),
    )
    next_stops = fitting_stops(ends, starts + targets, at_least=stops + 1, at_most=last)
    return Runs(stops, next_stops, targets)
