"""Where a random B may start, and whether every A can have one.

In: pieces of sentences and where the true Bs start. Out: places, in tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.data.examples.pieces import Pieces
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import must
from lit_roberta.randomness import Purpose, random_bits

_HASH_BLOCK = 1 << 16
"""Pieces hashed at a time; bounds the memory that the hashes of their tokens take."""


@dataclass(frozen=True, kw_only=True)
class Partners:
    """Where a random B may start."""

    starts: Int64[np.ndarray, " candidates"]
    """In tokens, ascending."""
    texts: UInt64[np.ndarray, " candidates"]
    """Hash of the text of the sentence that starts there."""


def find_partners(
    corpus: TokenizedCorpus,
    pieces: Pieces,
    *,
    true_starts: Int64[np.ndarray, " examples"],
    any_sentence: bool,
) -> Partners:
    """List the places where a random B may start, and see that every A has one.

    Without `any_sentence` those are the starts of all true Bs. Averaged over all A, each is then
    drawn as often as it occurs as a true B, so that B alone tells nothing about the label. (That
    is exact for documents of equal size. A sentence of a document that holds a share `s` of all
    pairs is drawn less often by about that share, because no A of its own document draws it.)

    Args:
        corpus: The tokenized corpus.
        pieces: Its pieces.
        true_starts: Where the true Bs start, in tokens.
        any_sentence: Let B start at every sentence, as Google's script does.

    Returns:
        The candidates.

    Raises:
        UserError: If some A has no candidate in another document that differs from its true B.
    """
    starts = pieces.offsets[:-1] if any_sentence else true_starts
    candidates = np.searchsorted(pieces.offsets, starts)
    texts = hash_texts(corpus, pieces)[candidates]
    documents = pieces.documents[candidates]
    own = np.searchsorted(starts, true_starts)
    lonely = _count_others(documents, texts)[own] == 0
    if lonely.any():
        raise must(
            "data.corpus",
            "offer each pair a sentence of another document that is not the true next one",
            f"{corpus.num_documents} document{'s' * (corpus.num_documents != 1)} with"
            f" {int(lonely.sum())} of {len(own)} pairs left without",
            "Give more documents, or choose doc-sentences without next-sentence prediction.",
        )
    return Partners(starts=starts, texts=texts)


def _count_others(
    documents: Int64[np.ndarray, " candidates"], texts: UInt64[np.ndarray, " candidates"]
) -> Int64[np.ndarray, " candidates"]:
    """Count, for each candidate, those of other documents with another text."""
    kinds, text, same_text = np.unique(texts, return_inverse=True, return_counts=True)
    both = documents * len(kinds) + text
    _, own_text, same_both = np.unique(both, return_inverse=True, return_counts=True)
    outside = len(texts) - np.bincount(documents)[documents]
    return outside - (same_text[text] - same_both[own_text])


def hash_texts(corpus: TokenizedCorpus, pieces: Pieces) -> UInt64[np.ndarray, " pieces"]:
    """Hash the tokens of each piece, in their order."""
    hashes = np.empty(len(pieces), dtype=np.uint64)
    for first in range(0, len(pieces), _HASH_BLOCK):
        offsets = pieces.offsets[first : first + _HASH_BLOCK + 1]
        places = np.arange(offsets[0], offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
        tokens = corpus.tokens[offsets[0] : offsets[-1]]
        bits = random_bits(0, Purpose.NEXT_SENTENCE_PARTNER, places, tokens)
        hashes[first : first + _HASH_BLOCK] = np.add.reduceat(bits, offsets[:-1] - offsets[0])
    return hashes
