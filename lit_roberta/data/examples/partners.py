"""Where a random B may start, and whether every A can have one.

In: pieces of sentences and where the true Bs start. Out: places, in tokens. What is looked at is
looked at a block at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int64, UInt64

from lit_roberta.data.examples.pieces import Pieces
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import must
from lit_roberta.randomness import Purpose, random_bits

_HASH_TOKENS = 1 << 18
"""Tokens hashed at a time; bounds the memory that their hashes take."""

_BLOCK = 1 << 18
"""Candidates looked at together."""

_Some = tuple[Int64[np.ndarray, " some"], UInt64[np.ndarray, " some"]]
"""The documents and the texts of some candidates."""

_NO_DOCUMENT = -1


@dataclass(frozen=True, kw_only=True)
class Partners:
    """Where a random B may start.

    Those are the starts of all true Bs. Averaged over all A, each is then drawn as often as it
    occurs as a true B, so that B alone tells nothing about the label. (That is exact for documents
    of equal size. A sentence of a document that holds a share `s` of all pairs is drawn less often
    by about that share, because no A of its own document draws it.) With `nsp_first_sentences` it
    is every sentence, as in Google's script.
    """

    starts: Int64[np.ndarray, " candidates"]
    """In tokens, ascending."""
    texts: UInt64[np.ndarray, " candidates"]
    """Hash of the text of the sentence that starts there."""


def require_partners(
    partners: Partners,
    *,
    true_starts: Int64[np.ndarray, " examples"],
    document_token_offsets: Int64[np.ndarray, " document_offsets"],
) -> None:
    """See that each pair has a candidate in another document that differs from its true B.

    Args:
        partners: The candidates, the true Bs among them.
        true_starts: Where the true Bs start, in tokens.
        document_token_offsets: Where each document starts, in tokens.

    Raises:
        UserError: If some pair has none.
    """

    def blocks(places: Int64[np.ndarray, " places"]) -> Iterator[_Some]:
        for first in range(0, len(places), _BLOCK):
            some = np.asarray(places[first : first + _BLOCK])
            documents = np.searchsorted(document_token_offsets, some, side="right") - 1
            own = np.searchsorted(partners.starts, some)
            yield documents, partners.texts[own]

    witnesses = _Witnesses()
    for some in blocks(partners.starts):
        witnesses.hear(*some)
        if witnesses.are_enough:
            return
    lonely = sum(int(witnesses.count_lonely(*some)) for some in blocks(true_starts))
    if lonely:
        count = len(document_token_offsets) - 1
        raise must(
            "data.corpus",
            "offer each pair a sentence of another document that is not the true next one",
            f"{count} document{'s' * (count != 1)} with"
            f" {lonely} of {len(true_starts)} pairs left without",
            "Give more documents, or choose doc-sentences without next-sentence prediction.",
        )


class _Witnesses:
    """A few candidates that say of every document whether two texts stand outside of it, or one.

    With two, whatever the true B of a pair in it is, one of them differs. A candidate is heard if
    it is a text that some document lacks, which is so for a few only.
    """

    def __init__(self) -> None:
        self._heard: list[tuple[int, int]] = []

    @property
    def are_enough(self) -> bool:
        """Whether two texts stand outside of every document."""
        return all(len(self._outside(document)) >= 2 for document in self._documents())

    def hear(
        self, documents: Int64[np.ndarray, " some"], texts: UInt64[np.ndarray, " some"]
    ) -> None:
        """Look at some candidates."""
        while (new := self._first_new(documents, texts)) is not None:
            self._heard.append((int(documents[new]), int(texts[new])))

    def count_lonely(
        self, documents: Int64[np.ndarray, " some"], texts: UInt64[np.ndarray, " some"]
    ) -> np.int64:
        """Count the pairs, by the document and the true B of each, that have no candidate."""
        lonely = np.zeros(len(texts), dtype=bool)
        for document in self._documents():
            outside = self._outside(document)
            if len(outside) < 2:
                lonely |= (documents == document) & _in(texts, outside, if_none=True)
        others = self._outside(_NO_DOCUMENT)
        if len(others) < 2:
            unheard = ~np.isin(documents, [document for document, _ in self._heard])
            lonely |= unheard & _in(texts, others, if_none=True)
        return lonely.sum()

    def _documents(self) -> set[int]:
        """Name the documents that are heard of, and one that stands for all others."""
        return {document for document, _ in self._heard} | {_NO_DOCUMENT}

    def _outside(self, document: int) -> set[int]:
        return {text for own, text in self._heard if own != document}

    def _first_new(
        self, documents: Int64[np.ndarray, " some"], texts: UInt64[np.ndarray, " some"]
    ) -> int | None:
        for document in self._documents():
            outside = self._outside(document)
            if len(outside) < 2:
                new = (documents != document) & ~_in(texts, outside, if_none=False)
                if new.any():
                    return int(new.argmax())
        return None


def _in(
    texts: UInt64[np.ndarray, " some"], known: set[int], *, if_none: bool
) -> Bool[np.ndarray, " some"]:
    """Tell which texts are known ones; where none is known, what was said."""
    if not known:
        return np.full(len(texts), if_none)
    return np.isin(texts, np.array(list(known), dtype=np.uint64))


def hash_texts(corpus: TokenizedCorpus, pieces: Pieces) -> UInt64[np.ndarray, " pieces"]:
    """Hash the tokens of each piece, in their order."""
    hashes = np.empty(len(pieces), dtype=np.uint64)
    first = 0
    while first < len(pieces):
        behind = np.searchsorted(pieces.offsets, pieces.offsets[first] + _HASH_TOKENS)
        stop = min(max(int(behind), first + 1), len(pieces))
        offsets = pieces.offsets[first : stop + 1]
        places = np.arange(offsets[0], offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
        tokens = corpus.tokens[offsets[0] : offsets[-1]]
        bits = random_bits(0, Purpose.NEXT_SENTENCE_PARTNER, places, tokens)
        hashes[first:stop] = np.add.reduceat(bits, offsets[:-1] - offsets[0])
        first = stop
    return hashes
