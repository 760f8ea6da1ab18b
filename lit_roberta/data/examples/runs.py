"""Runs of pieces: where each would stop, and which of them a walk over the corpus meets.

In: pieces of sentences. Out: numbers of pieces. Runs are greedy, so where one starts depends on
where the one before it stopped. Therefore every piece says where a run from there would stop
(vectorised), and one walk visits the runs that are real.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.examples.pieces import Pieces
from lit_roberta.randomness import Purpose, below, random_bits


def follow(
    links: Int64[np.ndarray, " pieces"], *, first: int = 0
) -> Int64[np.ndarray, " visited"]:
    """Walk from piece to piece, each giving the next one, until the end of the corpus.

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


class PairRuns(NamedTuple):
    """The A and the true B that would start at each piece; the last of a document has no B."""

    stops: Int64[np.ndarray, " pieces"]
    """The piece behind A, where B starts."""
    next_stops: Int64[np.ndarray, " pieces"]
    """The piece behind B."""
    targets: Int64[np.ndarray, " pieces"]
    """Tokens that A and B fill together, 0 for one sentence each."""


def pair_runs(
    pieces: Pieces, *, targets: Int64[np.ndarray, " pieces"] | None, room: int, seed: int
) -> PairRuns:
    """Find the A and the B that would start at each piece.

    A is a run of pieces up to a length drawn uniformly below the target, and at least one; it
    leaves room for the piece behind it, and leaves a piece behind it. B is the run of pieces
    behind A that fills up the target, and at least one.

    Args:
        pieces: The pieces; two of them fit the room together.
        targets: Tokens that A and B fill together. None: a single piece each.
        room: The most tokens that A and B may have together.
        seed: Draws the length of A.

    Returns:
        The runs, as numbers of pieces.
    """
    starts, ends = pieces.offsets[:-1], pieces.offsets[1:]
    numbers = np.arange(len(pieces))
    last = pieces.document_stops
    if targets is None:
        targets = np.zeros_like(numbers)
        return PairRuns(numbers + 1, np.minimum(numbers + 2, last), targets)
    lengths = 1 + below(
        random_bits(seed, Purpose.SEGMENT_SPLIT, numbers), np.maximum(targets - 1, 1)
    )
    behind = np.searchsorted(ends, starts + room, side="right") - 1
    stops = fitting_stops(
        ends,
        starts + lengths,
        at_least=numbers + 1,
        at_most=np.maximum(np.minimum(behind, last - 1), numbers + 1),
    )
    next_stops = fitting_stops(ends, starts + targets, at_least=stops + 1, at_most=last)
    return PairRuns(stops, next_stops, targets)
