"""How much of a text says again what it has said: such text is learned by heart, not read."""

from __future__ import annotations

from typing import Any

import numpy as np

from lit_roberta.data.examples.partners import hash_texts
from lit_roberta.data.examples.pieces import cut_sentences
from lit_roberta.data.preparation.sampling import spread_sample
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer

_LOOKED_AT = 4_000_000
"""Tokens; a larger text is looked at in part."""
_SHOWN = 24
"""Tokens of the commonest sentence that are shown."""


def measure_repetition(
    corpus: TokenizedCorpus, tokenizer: Tokenizer, *, at_most: int = _LOOKED_AT
) -> dict[str, Any]:
    """Count sentences that are equal to others, as the tokenizer sees them.

    Args:
        corpus: The training part.
        tokenizer: What it was encoded with.
        at_most: About how many tokens are looked at.

    Returns:
        `repeated_sentence_share`, the share of sentences that are equal to an earlier one,
        `commonest_sentence_share` and the beginning of the `commonest_sentence`. The first is the
        least that it can be where the text was looked at in part.
    """
    some = spread_sample(corpus, at_most=at_most)
    hashes = hash_texts(some, cut_sentences(some, room=max(1, some.num_tokens)))
    _, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    commonest = int(np.argmax(counts))
    start, stop = some.sentence_offsets[first[commonest] :][:2].tolist()
    shown = tokenizer.decode(some.tokens[start : min(stop, start + _SHOWN)].tolist())
    return {
        "repeated_sentence_share": 1 - len(counts) / len(hashes),
        "commonest_sentence_share": int(counts[commonest]) / len(hashes),
        "commonest_sentence": shown + "..." * (stop - start > _SHOWN),
    }
