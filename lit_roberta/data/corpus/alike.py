"""Documents that are alike, found in bounded memory, whatever the size of the corpus.

Hashes are compared, not texts. They are looked at in buckets by their first bits, so that only one
bucket's worth is in memory; equal ones always fall into the same bucket.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Int64, Shaped, UInt64

_BUCKET = 1 << 21
"""Documents that are looked at together: some 200 MB."""

Key = tuple[UInt64[np.ndarray, " keys"], UInt64[np.ndarray, " keys"]]
"""Two halves of a hash, in the order of its bytes."""


def key_of(digests: Shaped[np.ndarray, " keys"]) -> Key:
    """Read hashes of 16 bytes as numbers that sort as the bytes do."""
    halves = np.frombuffer(digests.tobytes(), ">u8").reshape(-1, 2).astype(np.uint64)
    return halves[:, 0], halves[:, 1]


def buckets(
    digests: Shaped[np.ndarray, " documents"], *, size: int = _BUCKET
) -> Iterator[Int64[np.ndarray, " bucket"]]:
    """Give the numbers of documents, bucket by bucket of their hashes.

    Args:
        digests: A hash of 16 bytes for each.
        size: About how many documents a bucket has.
    """
    count = -(-len(digests) // size)
    if count <= 1:
        yield np.arange(len(digests))
        return
    # The first two bytes of a hash are as good as drawn, so the buckets are about equal.
    firsts = np.empty(len(digests), dtype=np.uint16)
    for start in range(0, len(digests), size):
        block = digests[start : start + size].tobytes()
        firsts[start : start + size] = np.frombuffer(block, ">u2").reshape(-1, 8)[:, 0]
    places = firsts.astype(np.int32) * count >> 16
    for bucket in range(count):
        yield np.flatnonzero(places == bucket)


def find_copies(
    digests: Shaped[np.ndarray, " documents"], *, size: int = _BUCKET
) -> Bool[np.ndarray, " documents"]:
    """Mark every document that an earlier one is equal to.

    Args:
        digests: The hash of each document's content.
        size: About how many documents are looked at together.

    Example:
        >>> texts = np.array([b"a" * 16, b"b" * 16, b"a" * 16], "V16")
        >>> find_copies(texts).tolist()
        [False, False, True]
    """
    copies = np.zeros(len(digests), dtype=bool)
    for numbers in buckets(digests, size=size):
        high, low = key_of(digests[numbers])
        order = np.lexsort((numbers, low, high))
        same = (high[order][1:] == high[order][:-1]) & (low[order][1:] == low[order][:-1])
        copies[numbers[order[1:][same]]] = True
    return copies
