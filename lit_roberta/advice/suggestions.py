"""Settings to start from, by the amount of text: what others found, and what lies between.

In: how much text there is. Out: settings, each with its source. It knows no text, no model and no
trainer, and imports nothing that is slow to import.

A suggestion is a start, not a result: nobody has tried the settings on this text. `compare.py`
does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from lit_roberta.advice.studies import (
    STUDIES,
    SUBWORDS_FROM,
    VOCABULARIES,
    WARMUP_SHARE,
    WARMUP_SOURCE,
    ModelSize,
    Suggestion,
    between,
)
from lit_roberta.errors import must

BYTES_PER_WORD = 5.7
"""Of English prose in UTF-8, the space behind a word included (5.6 in Dickens)."""
TOKENS_PER_WORD = 1.25
"""Of English in a large subword vocabulary: RoBERTa's paper makes 32 passes of 1M updates of 256
x 512 tokens (Liu et al. 2019, table 3), which are 4.1 G tokens, over BERT's 3.3 G words."""
_BYTES_PER_WORD_AT_MOST = 20.0
"""A text with fewer words a byte is not written with spaces, and its words can't be counted."""


@dataclass(frozen=True, kw_only=True)
class Suggestions:
    """Settings to start from."""

    num_words: int
    """The amount that they are for; estimated where it was given in another unit."""
    tokenizer_kind: Suggestion[Literal["word", "bytelevel-bpe"]]
    vocab_size: Suggestion[int | None]
    """None: every word seen twice or more."""
    model_size: Suggestion[ModelSize]
    max_length: Suggestion[int]
    """Tokens."""
    batch_size: Suggestion[int]
    """Sequences of an update."""
    learning_rate: Suggestion[float]
    """Peak."""
    warmup_share: Suggestion[float]
    """Of all updates."""
    updates: Suggestion[int]
    epochs: Suggestion[float]
    """Passes over the text that these updates make, at the most: padding makes them fewer."""
    note: str | None
    """What to know where the amount lies outside of what was ever tried."""

    def options(self) -> list[str]:
        """Give the settings as words of a command line, for `train.py fit` and `plan`."""
        vocab_size = self.vocab_size.value
        vocabulary = [] if vocab_size is None else [f"--data.tokenizer.vocab_size={vocab_size}"]
        return [
            f"--config=size/{self.model_size.value}",
            f"--data.tokenizer.kind={self.tokenizer_kind.value}",
            *vocabulary,
            f"--data.max_length={self.max_length.value}",
            f"--data.batch_size={self.batch_size.value}",
            f"--model.optimizer.lr={self.learning_rate.value:g}",
            f"--model.schedule.warmup_share={self.warmup_share.value:g}",
            f"--trainer.max_steps={self.updates.value}",
        ]


def suggest(
    *,
    num_words: int | float | None = None,
    num_bytes: int | float | None = None,
    num_tokens: int | float | None = None,
) -> Suggestions:
    """Suggest settings for an amount of text, in any of three units.

    Between two studies the settings are interpolated, amount and setting by their logarithms;
    outside of all, those of the nearest are taken.

    Args:
        num_words: Words, as white space parts them.
        num_bytes: Bytes in UTF-8.
        num_tokens: Tokens of a large subword vocabulary.

    Raises:
        UserError: If no amount is given, or a negative one.

    Example:
        >>> two_gigabytes = suggest(num_bytes=2e9)
        >>> two_gigabytes.model_size.value, two_gigabytes.batch_size.value
        ('base', 2176)
    """
    words = estimate_words(num_words=num_words, num_bytes=num_bytes, num_tokens=num_tokens)
    nearest = min(STUDIES, key=lambda study: abs(math.log(study.num_words / words)))
    updates = _of_studies("updates", words).map(lambda value: int(_two_digits(value)))
    batch_size = _of_studies("batch_size", words).map(_multiple_of_64)
    num_tokens_read = updates.value * batch_size.value * nearest.max_length
    return Suggestions(
        num_words=round(words),
        tokenizer_kind=_tokenizer_kind(words),
        vocab_size=_vocab_size(words),
        model_size=Suggestion(value=nearest.size, source=nearest.source),
        max_length=Suggestion(value=nearest.max_length, source=nearest.source),
        batch_size=batch_size,
        learning_rate=_of_studies("learning_rate", words).map(_two_digits),
        warmup_share=Suggestion(value=WARMUP_SHARE, source=WARMUP_SOURCE),
        updates=updates,
        epochs=Suggestion(
            value=num_tokens_read / (words * TOKENS_PER_WORD),
            source="follows from updates, batch size, length and the amount of text",
        ),
        note=_note(words),
    )


def estimate_words(
    *,
    num_words: int | float | None = None,
    num_bytes: int | float | None = None,
    num_tokens: int | float | None = None,
) -> float:
    """Tell how many English words an amount of text is like, at least 1.

    Words count where they are given, unless the bytes show that white space does not part them (as
    in Chinese); then bytes, then tokens.

    Raises:
        UserError: If no amount is given, or a negative one.
    """
    amounts = {"num_words": num_words, "num_bytes": num_bytes, "num_tokens": num_tokens}
    for name, amount in amounts.items():
        if amount is not None and not 0 <= amount < math.inf:
            raise must(name, "be 0 or more, and finite", amount, "Give the amount of text.")
    parted = num_bytes is None or (num_bytes <= _BYTES_PER_WORD_AT_MOST * (num_words or 0))
    if num_words is not None and parted:
        return max(1.0, float(num_words))
    if num_bytes is not None:
        return max(1.0, num_bytes / BYTES_PER_WORD)
    if num_tokens is not None:
        return max(1.0, num_tokens / TOKENS_PER_WORD)
    raise must("the amount of text", "be given", None, "Give words, bytes or tokens.")


def _of_studies(
    name: Literal["batch_size", "updates", "learning_rate"], words: float
) -> Suggestion[float]:
    return between([(s.num_words, float(getattr(s, name)), s.source) for s in STUDIES], words)


def _tokenizer_kind(words: float) -> Suggestion[Literal["word", "bytelevel-bpe"]]:
    if words < SUBWORDS_FROM:
        return Suggestion(value="word", source=VOCABULARIES[0][2])
    return Suggestion(value="bytelevel-bpe", source="Liu et al. 2019, section 4.4: no unknowns")


def _vocab_size(words: float) -> Suggestion[int | None]:
    size = between(VOCABULARIES, words)
    if words < SUBWORDS_FROM:
        return Suggestion(value=None, source=VOCABULARIES[0][2])
    return Suggestion(value=_multiple_of_64(size.value), source=size.source)


def _note(words: float) -> str | None:
    least, most = STUDIES[0].num_words, STUDIES[-1].num_words
    if words < least:
        return f"Less text than the {least:,.0f} words of the smallest study: its settings."
    if words > most:
        return f"More text than the {most:,.0f} words of the largest study: its settings."
    return None


def _multiple_of_64(value: float) -> int:
    """Round down, to what matrix products like; rounding keeps the order of two amounts."""
    return max(64, int(value + 1e-6) // 64 * 64)


def _two_digits(value: float) -> float:
    return float(f"{value:.1e}")
