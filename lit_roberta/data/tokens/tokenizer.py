"""The tokenizer: sentences to ids and back.

In: text. Out: ids without special tokens; the formats add those. Whatever stands in a text is
text: `[SEP]`, `</s>` or `<mask>` typed by a person never becomes a control token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import tokenizers

from lit_roberta.data.text.reading import Document
from lit_roberta.data.tokens.backend import (
    describe,
    hardened,
    mark_of_words,
    number_words,
    save_for_others,
)
from lit_roberta.data.tokens.blanks import encode_parts
from lit_roberta.data.tokens.chunks import works_by_chunk
from lit_roberta.data.tokens.config import (
    SPECIAL_TOKENS,
    TokenizerConfig,
    TokenizerKind,
    notice_small,
)
from lit_roberta.data.tokens.encoding import (
    ChunkTable,
    Encoded,
    Pieces,
    batches,
    concatenate,
    join_pieces,
)
from lit_roberta.data.tokens.flattening import flatten
from lit_roberta.data.tokens.loading import SpecialTokens, load_tokenizer
from lit_roberta.data.tokens.located import Located, in_ordinary_tokens, locate
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.training import train_backend
from lit_roberta.errors import must

__all__ = ["SpecialTokens", "Tokenizer", "TokenizerConfig", "TokenizerKind"]

_UINT16_SIZE = 2**16


class Tokenizer:
    """Text to ids and back, of any kind.

    Attributes:
        vocabulary: Size and special ids, for packing and masking.
        word_to_id: The id of each token, as it is spelled in the vocabulary.
        id_to_word: The other way round; "" where a foreign vocabulary leaves an id out.
        special_tokens: What the control tokens are called.
        notices: What was asked for and could not be had, or had to be guessed; a line each.
    """

    def __init__(
        self,
        backend: tokenizers.Tokenizer,
        *,
        special_tokens: SpecialTokens,
        config: TokenizerConfig | None = None,
        notices: Sequence[str] = (),
    ) -> None:
        self._backend = hardened(backend, special_tokens)
        self._config = config
        self.special_tokens = special_tokens
        self.notices = list(notices)
        self.word_to_id: dict[str, int] = self._backend.get_vocab()
        self.id_to_word = [""] * (max(self.word_to_id.values()) + 1)
        for word, number in self.word_to_id.items():
            self.id_to_word[number] = word
        self.vocabulary = describe(self._backend, special_tokens, self.id_to_word)
        self._mark = mark_of_words(self._backend)
        self._control = self.vocabulary.special_ids - {self.vocabulary.unk_id}
        if config is not None:
            self.notices += notice_small(self.vocab_size - config.extend, config)

    @classmethod
    def train(cls, sentences: Iterable[str], config: TokenizerConfig) -> Tokenizer:
        """Train a tokenizer. The same sentences always give the same one.

        Args:
            sentences: The training part of a corpus, and nothing else.
            config: Its settings; with a `path` nothing is trained.

        Raises:
            UserError: If the text does not suit the kind, or holds nothing to learn.
            TypeError: If documents are given in place of their sentences.
        """
        if config.path is not None:
            return cls.from_path(config.path)
        backend = train_backend(sentences, config)
        tokenizer = cls(backend, special_tokens=SpecialTokens(), config=config)
        if tokenizer.vocab_size == len(SPECIAL_TOKENS):
            rule = f"hold a word that is seen {config.min_frequency} times"
            raise must("data.corpus", rule, "none", "Give more text, or a smaller min_frequency.")
        return tokenizer

    @classmethod
    def from_path(cls, path: str) -> Tokenizer:
        """Take a tokenizer of the Hugging Face world, with its own ids and control tokens.

        Args:
            path: A `tokenizer.json`, or a folder with one, with `vocab.txt`, or with
                `vocab.json` and `merges.txt`.

        Raises:
            UserError: If it can't be read, or lacks a control token that masking needs.
        """
        backend, special_tokens, notices = load_tokenizer(path)
        return cls(backend, special_tokens=special_tokens, notices=notices)

    @classmethod
    def from_json(cls, text: str) -> Tokenizer:
        """Take the tokenizer that `to_json` wrote."""
        state = json.loads(text)
        return cls(
            tokenizers.Tokenizer.from_str(json.dumps(state["backend"])),
            special_tokens=SpecialTokens(**state["special_tokens"]),
            config=None if state["config"] is None else TokenizerConfig(**state["config"]),
        )

    def to_json(self) -> str:
        """Write everything that encoding and decoding need. This text travels in checkpoints."""
        state = {
            "config": None if self._config is None else asdict(self._config),
            "special_tokens": asdict(self.special_tokens),
            "backend": json.loads(self._backend.to_str()),
        }
        return json.dumps(state, ensure_ascii=False)

    def save(self, folder: Path) -> None:
        """Write what `from_path` and Hugging Face's `AutoTokenizer` read.

        Args:
            folder: It is made.
        """
        save_for_others(self._backend, self.special_tokens, folder)

    def __reduce__(self) -> tuple[Callable[[str], Tokenizer], tuple[str]]:
        # The library's own pickle forgets that control tokens in text are text.
        return Tokenizer.from_json, (self.to_json(),)

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, special tokens included."""
        return len(self.id_to_word)

    def encode(self, text: str) -> list[int]:
        """Turn text into ids, without special tokens."""
        return self._pieces(self._backend.encode(text, add_special_tokens=False))[0]

    def encode_around_masks(self, parts: Sequence[str]) -> list[int]:
        """Turn the parts of a text between its masked words into ids, with masks between them.

        The ids are those of the text with a word in place of each mask, and that word masked.
        """
        ids: list[int] = []
        for part in encode_parts(self._backend, parts):
            ids += chain.from_iterable(map(self._as_text, part))
            ids.append(self.vocabulary.mask_id)
        return ids[:-1]

    def encode_located(self, texts: Sequence[str]) -> list[list[Located]]:
        """Turn texts into tokens that know which characters they stand for."""
        encodings = self._backend.encode_batch(list(texts), add_special_tokens=False)
        return [locate(encoding, self._as_text) for encoding in encodings]

    def decode(self, ids: Sequence[int]) -> str:
        """Turn ids into readable text; special tokens are shown by their names.

        Raises:
            ValueError: If an id is not in the vocabulary.
        """
        strange = [number for number in ids if not 0 <= number < self.vocab_size]
        if strange:
            raise ValueError(f"ids must lie below {self.vocab_size}, got {strange[:5]}.")
        text: str = self._backend.decode(list(ids), skip_special_tokens=False)
        # The library tidies pieces, but not words.
        is_word = self._config is not None and self._config.kind == "word"
        return re.sub(r" ([.,;:!?])(?!\S)", r"\1", text) if is_word else text

    def encode_corpus(self, documents: Sequence[Document]) -> TokenizedCorpus:
        """Encode documents of sentences.

        Sentences without a token, and documents without a sentence, are left out.
        """
        sentences = chain.from_iterable(documents)
        encoded = concatenate([self.encode_sentences(b) for b in batches(sentences)], self.dtype)
        return flatten(
            encoded.tokens,
            word_starts=encoded.word_starts,
            sentence_lengths=encoded.lengths,
            document_lengths=np.asarray(list(map(len, documents)), dtype=np.int64),
        )

    def encode_sentences(self, sentences: Sequence[str]) -> Encoded:
        """Encode sentences, without special tokens."""
        if self._by_chunk and not any("\n" in sentence for sentence in sentences):
            return self._chunk_table.encode(sentences)
        return join_pieces(self._encode_batch(list(sentences)), self.dtype)

    @property
    def dtype(self) -> type[np.integer]:
        """The smallest of the two types that hold every id of the vocabulary: 16 or 32 bits."""
        return np.uint16 if self.vocab_size <= _UINT16_SIZE else np.int32

    @cached_property
    def _by_chunk(self) -> bool:
        return works_by_chunk(self._backend)

    @cached_property
    def _chunk_table(self) -> ChunkTable:
        return ChunkTable(self._encode_batch, self.dtype)

    def _encode_batch(self, texts: list[str]) -> list[Pieces]:
        # Not the fast form, which does not tell words apart.
        return list(map(self._pieces, self._backend.encode_batch(texts, add_special_tokens=False)))

    def _pieces(self, encoding: tokenizers.Encoding) -> tuple[list[int], list[int]]:
        """Give ids and word numbers, control tokens turned back into text.

        Special tokens are not matched in raw text, but a vocabulary may still hold one as a word.
        """
        ids: list[int] = encoding.ids
        words: list[int | None] = number_words(encoding, self._mark)
        if not self._control.isdisjoint(ids):
            pairs = [
                (piece, word)
                for number, word in zip(ids, words, strict=True)
                for piece in self._as_text(number)
            ]
            ids, words = [number for number, _ in pairs], [word for _, word in pairs]
        return ids, [-1 if word is None else word for word in words]

    def _as_text(self, number: int) -> list[int]:
        """Say a control token in ordinary ones."""
        if number not in self._control:
            return [number]
        unk_id = self.vocabulary.unk_id
        return in_ordinary_tokens(self.id_to_word[number], self._backend, unk_id=unk_id)
