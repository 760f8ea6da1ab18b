"""What is held out together: documents that read alike, or those of a file.

In: the table of a corpus. Out: units with their ranks, and of these the first ones, in bounded
memory: however large the corpus, only as much as may be held out is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, Shaped, UInt64

from lit_roberta.data.corpus.alike import Key, buckets, key_of
from lit_roberta.data.corpus.documents import Documents
from lit_roberta.data.text.splitting import DIGEST_SIZE


@dataclass(frozen=True)
class Units:
    """Documents that stay together."""

    rank: Key
    """Hash of the content: the place in the ranking."""
    words: Int64[np.ndarray, " units"]
    distinct: Int64[np.ndarray, " units"]
    """Documents, those that read alike counted once."""
    members: Int64[np.ndarray, " members"]
    """Numbers of documents, unit after unit."""
    offsets: Int64[np.ndarray, " unit_offsets"]
    """Where each unit starts in `members`; the last entry is their number."""

    def __len__(self) -> int:
        return len(self.words)

    def take(self, chosen: Int64[np.ndarray, " chosen"]) -> Units:
        """Take some units, in the order given."""
        sizes = np.diff(self.offsets)[chosen]
        parts = [self.members[self.offsets[n] : self.offsets[n + 1]] for n in chosen.tolist()]
        return Units(
            (self.rank[0][chosen], self.rank[1][chosen]),
            self.words[chosen],
            self.distinct[chosen],
            np.concatenate([np.zeros(0, np.int64), *parts]),
            np.append(0, np.cumsum(sizes)),
        )

    def joined(self, other: Units) -> Units:
        """Put other units behind these."""
        return Units(
            (np.append(self.rank[0], other.rank[0]), np.append(self.rank[1], other.rank[1])),
            np.append(self.words, other.words),
            np.append(self.distinct, other.distinct),
            np.append(self.members, other.members),
            np.append(self.offsets, len(self.members) + other.offsets[1:]),
        )

    def ranked(self) -> Units:
        """Sort by rank."""
        return self.take(np.lexsort((self.rank[1], self.rank[0])))

    def count_from_front(self, *, words: float, documents: int, first: int = 0) -> int:
        """Count the units, from the first one given, that reach both amounts; or all of them."""
        enough_words = np.searchsorted(np.cumsum(self.words[first:]), words) + 1
        enough_documents = np.searchsorted(np.cumsum(self.distinct[first:]), documents) + 1
        return min(int(max(enough_words, enough_documents)), len(self) - first)


def no_units() -> Units:
    """Give no units at all."""
    none = np.zeros(0, np.int64)
    keys = none.astype(np.uint64)
    return Units((keys, keys), none, none, none, np.zeros(1, np.int64))


def documents_as_units(
    rows: Shaped[np.ndarray, " documents"], numbers: Int64[np.ndarray, " kept"]
) -> Iterator[Units]:
    """Let documents that read alike be a unit, whatever their case and white space.

    A group is ranked by its text as written, so that folding moves no document that is alone.

    Args:
        rows: The table of the corpus.
        numbers: The documents that count.

    Yields:
        All units, some millions of documents at a time.
    """
    folded = rows["folded"][numbers]
    for bucket in buckets(folded):
        members = numbers[bucket]
        high, low = key_of(folded[bucket])
        rank_high, rank_low = key_of(rows["content"][members])
        order = np.lexsort((members, rank_low, rank_high, low, high))
        starts = _starts(high[order], low[order])
        yield Units(
            (rank_high[order][starts], rank_low[order][starts]),
            np.add.reduceat(rows["words"][members[order]], starts),
            np.ones(len(starts), np.int64),
            members[order],
            np.append(starts, len(members)),
        )


def files_as_units(
    rows: Shaped[np.ndarray, " documents"],
    numbers: Int64[np.ndarray, " kept"],
    ranks: Mapping[int, bytes],
) -> Units:
    """Let the documents of a file be a unit.

    Args:
        rows: The table of the corpus.
        numbers: The documents that count, ascending.
        ranks: The hash of each file's documents.
    """
    files = rows["file"][numbers]
    order = np.argsort(files, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(files[order]) != 0))
    bounds = np.append(starts, len(numbers))
    members = numbers[order]
    digests = np.array([ranks[int(files[order][start])] for start in starts], f"V{DIGEST_SIZE}")
    distinct = [
        len(np.unique(np.stack(key_of(rows["folded"][members[start:stop]])), axis=1).T)
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]
    words = np.add.reduceat(rows["words"][members], starts)
    return Units(key_of(digests), words, np.array(distinct), members, bounds)


def rank_files(documents: Documents) -> dict[int, bytes]:
    """Hash the documents of each file, in order: a file that is renamed keeps its rank."""
    hashes: dict[int, hashlib.blake2b] = {}
    for run in documents.runs():
        files = documents.rows["file"][run.documents].tolist()
        for file, text in zip(files, run.texts(behind=b"\n"), strict=True):
            hashes.setdefault(file, hashlib.blake2b(digest_size=DIGEST_SIZE)).update(text)
    return {file: one.digest() for file, one in hashes.items()}


def _starts(
    high: UInt64[np.ndarray, " documents"], low: UInt64[np.ndarray, " documents"]
) -> Int64[np.ndarray, " units"]:
    """Find where a new key begins."""
    return np.flatnonzero(np.append(True, (np.diff(high) != 0) | (np.diff(low) != 0)))
