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

SplitUnit = Literal["document", "file"]


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
        return 0.0 if unknown is None else float(np.mean(part.tokens == unknown))


def prepare_text(config: TextConfig, *, tokenizer: Tokenizer | None = None) -> PreparedText:
    """Read a corpus, hold out its parts, and encode them.

    Args:
        config: Which text, read how.
        tokenizer: One that is already there (a checkpoint's); None trains one on the training
            part.

    Returns:
        The parts as arrays, the tokenizer, and the notes.

    Raises:
        UserError: If the text can't be read, or is too small to hold anything out.
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
    text.notes.append(_describe_parts(text))
    return text


def _read_parts(config: TextConfig) -> tuple[Parts[list[Document]], list[str]]:
    """Read every corpus that is named, and split off what is not."""
    corpus = read_corpus(config.corpus, config.reading)
    notes = list(corpus.notes)
    given = {}
    for part in ("validation", "test"):
        source = getattr(config, f"{part}_corpus")
        if source is not None:
            held_out = read_corpus(source, config.reading)
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


def _describe_parts(text: PreparedText) -> str:
    sizes = (
        f"{name} {part.num_tokens:,} tokens in {part.num_documents:,} documents"
        for name, part in vars(text.parts).items()
    )
    unknown = text.unknown_share(text.parts.test)
    return f"{', '.join(sizes)}; vocabulary {text.tokenizer.vocab_size:,}, unknown {unknown:.1%}"


def _digest(parts: Parts[list[Document]]) -> str:
    """Hash the hashes of the parts, so that no document can change its part without a new one."""
    return digest_of([[digest_of(part) for part in (parts.train, parts.validation, parts.test)]])
