"""From the name of a corpus to tokenized parts: read, hold out, train the tokenizer, encode.

In: the settings of the text. Out: arrays, the tokenizer, and what was noticed on the way, for a
person to read. It knows nothing of formats, masks or batches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.text.corpus import digest_of, read_corpus
from lit_roberta.data.text.overlap import measure_overlap
from lit_roberta.data.text.reading import Document, ReadingConfig
from lit_roberta.data.text.split import Parts, split_corpus
from lit_roberta.data.tokens.cache import cached_tokenizer
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.errors import UserError, must

SplitUnit = Literal["document", "file"]

_MOST_UNKNOWN = 0.05
"""Share of training tokens that may be unknown without a note."""


@dataclass(frozen=True, kw_only=True)
class TextConfig:
    """Which text, read how, held out how."""

    corpus: str = "toy"
    validation_corpus: str | None = None
    test_corpus: str | None = None
    split_by: SplitUnit = "document"
    reading: ReadingConfig = field(default_factory=ReadingConfig)
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)


@dataclass(frozen=True, kw_only=True)
class PreparedText:
    """A corpus, ready to be packed."""

    parts: Parts[TokenizedCorpus]
    tokenizer: Tokenizer
    notes: list[str]
    """What was detected, cut or missing, a line each."""
    digest: str
    """Hash of the text of all three parts, in order."""

    def token_counts(self, part: TokenizedCorpus | None = None) -> Int64[np.ndarray, " vocab"]:
        """Count each token of a part (None: the training part)."""
        tokens = (self.parts.train if part is None else part).tokens
        return np.bincount(tokens, minlength=self.tokenizer.vocab_size).astype(np.int64)

    def unknown_share(self, part: TokenizedCorpus) -> float:
        """Give the share of tokens that the tokenizer could not spell."""
        unknown = self.tokenizer.vocabulary.unk_id
        if unknown is None or not part.num_tokens:
            return 0.0
        return float(np.mean(part.tokens == unknown))


def prepare_text(config: TextConfig, *, tokenizer: Tokenizer | None = None) -> PreparedText:
    """Read a corpus, hold out its parts, and encode them.

    Args:
        config: Which text, read how.
        tokenizer: One that is already there (a checkpoint's); None trains one on the training
            part.

    Returns:
        The parts as arrays, the tokenizer, and the notes.

    Raises:
        UserError: If the text can't be read, is too small to hold anything out, or has a part of
            which the tokenizer knows no token.
    """
    parts, notes = _read_parts(config)
    notes.append(str(measure_overlap(parts.train, [*parts.validation, *parts.test])))
    if tokenizer is None:
        tokenizer = cached_tokenizer(parts.train, config.tokenizer)
    encoded = Parts(
        train=tokenizer.encode_corpus(parts.train),
        validation=tokenizer.encode_corpus(parts.validation),
        test=tokenizer.encode_corpus(parts.test),
    )
    text = PreparedText(
        parts=encoded,
        tokenizer=tokenizer,
        notes=[*notes, *tokenizer.notices],
        digest=_digest(parts),
    )
    _require_known_tokens(text, config)
    text.notes.append(_describe_parts(text))
    text.notes.extend(_note_unknown(text, config.tokenizer))
    return text


def _read_parts(config: TextConfig) -> tuple[Parts[list[Document]], list[str]]:
    """Read every corpus that is named, and split off what is not."""
    corpus = read_corpus(config.corpus, config.reading)
    notes = list(corpus.notes)
    given = {}
    for part in ("validation", "test"):
        source = getattr(config, f"{part}_corpus")
        if source is not None:
            held_out = read_corpus(source, config.reading, setting=f"data.{part}_corpus")
            given[part] = held_out.documents
            notes += [f"{part}: {note}" for note in held_out.notes]
    if len(given) == 2:
        return Parts(train=corpus.documents, **given), notes
    parts = split_corpus(corpus, by=config.split_by)
    # What the user holds out takes the place of ours; the text that ours would have had is trained
    # on.
    train = list(parts.train)
    for part in given:
        train += getattr(parts, part)
    ours = {"validation": parts.validation, "test": parts.test} | given
    return Parts(train=train, **ours), notes


def _require_known_tokens(text: PreparedText, config: TextConfig) -> None:
    """Refuse a part without a token to predict: nothing could be learned or judged by it.

    Special and unknown tokens are never predicted.
    """
    for name, part in vars(text.parts).items():
        if not text.tokenizer.vocabulary.maskable[part.tokens].any():
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


def _note_unknown(text: PreparedText, config: TokenizerConfig) -> list[str]:
    """Say that much of the text is lost on the vocabulary, which trains without complaint."""
    share = text.unknown_share(text.parts.train)
    if share <= _MOST_UNKNOWN:
        return []
    other = "--data.tokenizer.kind " + ("wordpiece" if config.kind == "word" else "bytelevel-bpe")
    if config.path is not None:
        other = "another --data.tokenizer.path"
    return [
        f"the vocabulary can't spell {share:.1%} of the training tokens: try {other} or a larger "
        "text"
    ]


def _describe_parts(text: PreparedText) -> str:
    sizes = (
        f"{name} {part.num_tokens:,} tokens in {part.num_documents:,} documents"
        for name, part in vars(text.parts).items()
    )
    unknown = text.unknown_share(text.parts.test)
    return (
        f"{', '.join(sizes)}; vocabulary {text.tokenizer.vocab_size:,}, "
        f"unknown {unknown:.1%} of test tokens"
    )


def _digest(parts: Parts[list[Document]]) -> str:
    """Hash the hashes of the parts, so that no document can change its part without a new one."""
    return digest_of([[digest_of(part) for part in (parts.train, parts.validation, parts.test)]])
