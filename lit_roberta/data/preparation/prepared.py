"""A text, ready to be packed: its parts as arrays, its tokenizer, and what was noticed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.corpus.split import Parts
from lit_roberta.data.corpus.word_sample import WordSample
from lit_roberta.data.preparation.held_out_words import FACT, read_words
from lit_roberta.data.preparation.inputs import hash_text, key_of
from lit_roberta.data.preparation.manifest import PARTS, TOKENIZER, Manifest
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must


@dataclass(frozen=True, kw_only=True)
class PreparedText:
    """A corpus, ready to be packed."""

    parts: Parts[TokenizedCorpus]
    tokenizer: Tokenizer
    notes: list[str]
    """What was detected, cut or missing, a line each."""
    digest: str
    """Hash of the text of all three parts, in order."""
    identity: str | None = None
    """Hash of what its tokens are known by; None where it lies in no folder."""
    weights: dict[str, float] | None = None
    """The share of each source in training that was asked for when the text was prepared."""
    sources: list[str] = field(default_factory=list)
    """The names of the sources, by number."""
    words: WordSample | None = None
    """Some words of the test part; None in a folder that an older version prepared."""
    kept_alive: list[Any] = field(default_factory=list)
    """Temporary folders, which go when this does."""
    _counts: dict[int, Int64[np.ndarray, " vocab"]] = field(default_factory=dict)

    def token_counts(self, part: TokenizedCorpus | None = None) -> Int64[np.ndarray, " vocab"]:
        """Count each token of a part (None: the training part)."""
        part = self.parts.train if part is None else part
        if id(part) not in self._counts:
            self._counts[id(part)] = count_tokens(part, self.tokenizer.vocab_size)
        return self._counts[id(part)]

    def unknown_share(self, part: TokenizedCorpus) -> float:
        """Give the share of tokens that the tokenizer could not spell."""
        unknown = self.tokenizer.vocabulary.unk_id
        if unknown is None or not part.num_tokens:
            return 0.0
        return float(self.token_counts(part)[unknown] / part.num_tokens)


def count_tokens(part: TokenizedCorpus, size: int) -> Int64[np.ndarray, " vocab"]:
    """Count each token, some at a time: a part may be larger than memory."""
    counts = np.zeros(size, dtype=np.int64)
    for tokens in part.blocks("tokens"):
        counts += np.bincount(tokens, minlength=size)
    return counts


def open_prepared(folder: Path, manifest: Manifest) -> PreparedText:
    """Open a prepared folder.

    Args:
        folder: The folder.
        manifest: Its own, which was checked.

    Raises:
        UserError: If its tokenizer is not the one that the text was encoded with.
    """
    tokenizer = _read_tokenizer(folder, manifest)
    dtype = np.dtype(tokenizer.dtype)
    parts = {name: TokenizedCorpus.open(folder / name, dtype) for name in PARTS}
    return PreparedText(
        parts=Parts(**parts),
        tokenizer=tokenizer,
        notes=list(manifest.notes),
        digest=manifest.digest,
        identity=key_of(manifest.identity),
        weights=manifest.weights,
        sources=list(manifest.inputs["corpus"]),
        words=read_words(folder, manifest.facts.get(FACT)),
    )


def _read_tokenizer(folder: Path, manifest: Manifest) -> Tokenizer:
    path = folder / TOKENIZER
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    if hash_text(text) != manifest.tokenizer:
        remedy = "Prepare the text anew, or copy the folder again."
        raise must(
            "data.corpus",
            f"hold the tokenizer that its tokens are of in {TOKENIZER}",
            str(folder),
            remedy,
        )
    return Tokenizer.from_json(text)
