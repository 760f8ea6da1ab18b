"""The tokenized corpus: arrays of tokens and offsets, and nothing else.

Everything behind this seam (packing, masking, the stream) sees arrays, never strings, so that a
corpus that is larger than memory is a matter of where the arrays lie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int64, Integer


@dataclass(frozen=True, kw_only=True)
class TokenizedCorpus:
    """Documents of sentences of tokens, flattened. No special tokens are in it."""

    tokens: Integer[np.ndarray, " tokens"]
    word_starts: Bool[np.ndarray, " tokens"]
    """True at the first piece of each word, by the tokenizer's own words."""
    sentence_offsets: Int64[np.ndarray, " sentence_offsets"]
    """Where each sentence starts, in tokens; the last entry is the number of tokens."""
    document_offsets: Int64[np.ndarray, " document_offsets"]
    """Where each document starts, in sentences; the last entry is the number of sentences."""

    @property
    def num_tokens(self) -> int:
        """Tokens in all, without special ones."""
        return len(self.tokens)

    @property
    def num_sentences(self) -> int:
        """Sentences in all; none is empty."""
        return len(self.sentence_offsets) - 1

    @property
    def num_documents(self) -> int:
        """Documents in all; none is empty."""
        return len(self.document_offsets) - 1

    @property
    def document_token_offsets(self) -> Int64[np.ndarray, " document_offsets"]:
        """Where each document starts, in tokens."""
        return self.sentence_offsets[self.document_offsets]
