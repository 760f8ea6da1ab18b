"""Which tokens of held-out text are predicted in which draw, and what stands there.

The masks are keyed to the token's document and its place there, and to a constant: never to a run,
a format or a batch. Over all draws each token is predicted exactly once, and a draw predicts the
same tokens in every format.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.data.examples.pieces import ragged_range
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.randomness import Purpose, below, random_bits

HELD_OUT_SEED = 20190726
"""The constant in place of a run's seed (the day on which the RoBERTa paper appeared)."""

NEVER = -1
"""The draw of a token that is never predicted."""


def num_draws(masking: MaskingConfig) -> int:
    """Count the draws that predict every token once at a masking rate."""
    return math.ceil(1 / masking.rate - 1e-9)


@dataclass(frozen=True, kw_only=True)
class HeldOutMasks:
    """The masks of a held-out corpus."""

    draws: Int64[np.ndarray, " tokens"]
    """The draw that predicts each token, NEVER where it is not maskable."""
    firsts: Int64[np.ndarray, " tokens"]
    """The first token of each token's word, or the token itself where words are not kept whole."""
    documents: Int64[np.ndarray, " tokens"]
    """Number of each token's document, in its part of the corpus."""
    places: Int64[np.ndarray, " tokens"]
    """Place of each token in its document."""

    def bits(self, tokens: Int64[np.ndarray, "..."]) -> UInt64[np.ndarray, "..."]:
        """Give the random bits of tokens that are predicted."""
        return random_bits(
            HELD_OUT_SEED, Purpose.MASK_ACTION, self.documents[tokens], self.places[tokens]
        )


def held_out_masks(
    corpus: TokenizedCorpus,
    vocabulary: Vocabulary,
    *,
    documents: Int64[np.ndarray, " documents"],
    masking: MaskingConfig,
) -> HeldOutMasks:
    """Give every token the draw that predicts it.

    The tokens (or words) of a document are ranked by a hash, and take the draws by turns from one
    that is hashed from the document: so each draw takes an equal share of every document, as
    nearly as it can.

    Args:
        corpus: Held-out documents.
        vocabulary: Knows which tokens are maskable.
        documents: Number of each document in its part: the key of its masks.
        masking: The rate, and whether words stay whole.

    Returns:
        The masks.
    """
    maskable = vocabulary.maskable[corpus.tokens]
    offsets = corpus.document_token_offsets
    owners = np.repeat(np.arange(corpus.num_documents), np.diff(offsets))
    places = np.arange(corpus.num_tokens) - offsets[owners]
    starts = corpus.word_starts | (places == 0) if masking.whole_word else places >= 0
    starts = np.flatnonzero(starts)
    firsts = np.repeat(starts, np.diff(starts, append=corpus.num_tokens))
    units = starts[maskable[starts]]
    hashes = random_bits(
        HELD_OUT_SEED, Purpose.HELD_OUT_DRAW, documents[owners[units]], places[units]
    )
    draws = np.full(corpus.num_tokens, NEVER)
    draws[units] = _take_turns(hashes, owners[units], documents, num_draws(masking))
    draws = np.where(maskable, draws[firsts], NEVER)
    return HeldOutMasks(draws=draws, firsts=firsts, documents=documents[owners], places=places)


def _take_turns(
    hashes: UInt64[np.ndarray, " units"],
    owners: Int64[np.ndarray, " units"],
    documents: Int64[np.ndarray, " documents"],
    draws: int,
) -> Int64[np.ndarray, " units"]:
    """Deal the units of each document to the draws, in hash order."""
    counts = np.bincount(owners, minlength=len(documents))
    ranks = np.empty(len(owners), dtype=np.int64)
    ranks[np.lexsort((hashes, owners))] = ragged_range(np.zeros_like(counts), counts)
    turns = below(random_bits(HELD_OUT_SEED, Purpose.HELD_OUT_DRAW, documents), draws)
    return (ranks + turns[owners]) % draws
