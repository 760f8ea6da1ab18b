"""What a person should know of a text that was encoded, before anything is trained on it."""

from __future__ import annotations

from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.errors import UserError, must

_MOST_UNKNOWN = 0.05
"""Share of training tokens that may be unknown without a note."""


def require_known_tokens(text: PreparedText, config: TextConfig) -> None:
    """Refuse a part without a token to predict: nothing could be learned or judged by it.

    Special and unknown tokens are never predicted.

    Raises:
        UserError: Names the part, and what would help.
    """
    for name, part in vars(text.parts).items():
        if not text.token_counts(part)[text.tokenizer.vocabulary.maskable].any():
            raise _nothing_to_predict(name, text, config.tokenizer)


def _nothing_to_predict(name: str, text: PreparedText, config: TokenizerConfig) -> UserError:
    part = getattr(text.parts, name)
    share = f"{text.unknown_share(part):.1%} of {part.num_tokens:,} tokens are unknown"
    rule = f"leave tokens of the {name} part to predict"
    remedy = f"With {text.tokenizer.vocab_size:,} entries {share}."
    if config.path is not None:
        remedy += " Give a tokenizer of this language."
        return must("data.tokenizer.path", rule, config.path, remedy)
    remedy += " Give a larger one, or --data.tokenizer.kind bytelevel-bpe, which spells any text."
    return must("data.tokenizer.vocab_size", rule, config.vocab_size, remedy)


def note_unknown(text: PreparedText, config: TokenizerConfig, *, given: bool = False) -> list[str]:
    """Say that much of the text is lost on the vocabulary, which trains without complaint.

    Args:
        text: What was encoded.
        config: The settings of a tokenizer that was made for it.
        given: Whether the tokenizer came with weights instead, which have no other.
    """
    share = text.unknown_share(text.parts.train)
    if share <= _MOST_UNKNOWN:
        return []
    other = "--data.tokenizer.kind " + ("wordpiece" if config.kind == "word" else "bytelevel-bpe")
    if config.path is not None:
        other = "another --data.tokenizer.path"
    remedy = "try a model of another vocabulary" if given else f"try {other} or a larger text"
    return [f"the vocabulary can't spell {share:.1%} of the training tokens: {remedy}"]


def describe_parts(text: PreparedText) -> str:
    """Say how large each part is."""
    sizes = (
        f"{name} {part.num_tokens:,} tokens in {part.num_documents:,} documents"
        for name, part in vars(text.parts).items()
    )
    unknown = text.unknown_share(text.parts.test)
    return (
        f"{', '.join(sizes)}; vocabulary {text.tokenizer.vocab_size:,}, "
        f"unknown {unknown:.1%} of test tokens"
    )
