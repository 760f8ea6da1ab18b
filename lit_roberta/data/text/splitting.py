"""From paragraphs to sentences, and to what is known of a document: the work of many processes.

In: a block of paragraphs. Out: the sentences of each document, or of the part of it that stands in
the block, as bytes, with their counts. It is a pure function, so that it does not matter which
process does it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lit_roberta.data.text.layout import Splitter
from lit_roberta.data.text.segmentation import segment
from lit_roberta.data.text.words import count_words

Digest = bytes
DIGEST_SIZE = 16

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Piece(NamedTuple):
    """What a block holds of one document."""

    text: bytes
    """Its sentences in UTF-8, each with a newline behind it."""
    sentences: int
    words: int
    folded: bytes
    """What is left of it without case, white space and Unicode's variants."""


class SplitBlock(NamedTuple):
    """The documents of a block; the first may have begun before it, the last may go on."""

    pieces: list[Piece]
    control_characters: int
    replacement_characters: int


def split_block(
    paragraphs: Sequence[str | None], *, splitter: Splitter, language: str
) -> SplitBlock:
    """Split a block into sentences.

    Args:
        paragraphs: Paragraphs, with None where a document ends.
        splitter: `lines`: a paragraph is a sentence. `sentencex`: it is split.
        language: ISO 639 code.

    Returns:
        One piece more than there are ends of documents.
    """
    pieces = [_piece(document, splitter, language) for document in _between_ends(paragraphs)]
    texts = [piece.text.decode() for piece in pieces]
    return SplitBlock(
        pieces,
        control_characters=sum(len(_CONTROL.findall(text)) for text in texts),
        replacement_characters=sum(text.count("\ufffd") for text in texts),
    )


def _between_ends(paragraphs: Sequence[str | None]) -> Iterator[list[str]]:
    document: list[str] = []
    for paragraph in paragraphs:
        if paragraph is None:
            yield document
            document = []
        else:
            document.append(paragraph)
    yield document


def _piece(paragraphs: Sequence[str], splitter: Splitter, language: str) -> Piece:
    if splitter == "lines":
        sentences = [text for paragraph in paragraphs if (text := paragraph.strip())]
    else:
        sentences = [text for paragraph in paragraphs for text in segment(paragraph, language)]
    text = "".join(sentence + "\n" for sentence in sentences)
    return Piece(
        text.encode(), len(sentences), sum(map(count_words, sentences)), fold(text).encode()
    )


def piece_of(line: bytes) -> Piece:
    """Describe one sentence, with its newline."""
    text = line.decode()
    return Piece(line, 1, count_words(text), fold(text).encode())


def fold(text: str) -> str:
    r"""Take away what a model that lower-cases can't see: case, white space, Unicode's variants.

    Example:
        >>> fold("The  CAT\u00a0sat\n")
        'the cat sat'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    text = unicodedata.normalize("NFKC", text).casefold()
    text = unicodedata.normalize("NFKC", text)  # folding can leave a letter decomposed
    return " ".join(text.split())


class DocumentHash:
    """The hash of a document that comes in pieces.

    `content` tells one text from another; `folded` does not see case and white space.
    """

    def __init__(self) -> None:
        self._content = hashlib.blake2b(digest_size=DIGEST_SIZE)
        self._folded = hashlib.blake2b(digest_size=DIGEST_SIZE)
        self._begun = False

    def add(self, piece: Piece) -> None:
        """Go on with a piece; a document never goes on within a word."""
        self._content.update(piece.text)
        if piece.folded:
            self._folded.update(b" " * self._begun + piece.folded)
            self._begun = True

    def digests(self) -> tuple[Digest, Digest]:
        """Give the hashes of content and folded text, now that the document has ended."""
        # Neither a sentence nor a document can be moved into its neighbour without a new hash.
        self._content.update(b"\n")
        self._folded.update(b"\n\n")
        return self._content.digest(), self._folded.digest()
