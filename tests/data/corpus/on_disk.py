"""Documents to disk and back, so that tests can speak of lists of sentences."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lit_roberta.data.corpus.corpus import read_corpus
from lit_roberta.data.corpus.documents import Documents, DocumentWriter
from lit_roberta.data.corpus.split import TEST, TRAIN, VALIDATION, Parts, SplitUnit, hold_out
from lit_roberta.data.corpus.units import documents_as_units, files_as_units, rank_files
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.splitting import piece_of
from lit_roberta.data.text.words import count_words


@dataclass(frozen=True)
class ReadCorpus:
    """A corpus in memory."""

    documents: list[list[str]]
    sources: list[str]
    """The file of each document."""
    notes: list[str]


def read(
    source: object,
    reading: ReadingConfig | None = None,
    *,
    setting: str = "data.corpus",
    workers: int = 0,
) -> ReadCorpus:
    with tempfile.TemporaryDirectory() as folder:
        corpus = read_corpus(
            str(source), reading or ReadingConfig(), Path(folder), setting=setting, workers=workers
        )
        files = corpus.documents.rows["file"].tolist()
        return ReadCorpus(list(corpus.documents), [corpus.files[n] for n in files], corpus.notes)


def written(
    folder: Path, documents: Iterable[Sequence[str]], files: Sequence[str] | None = None
) -> Documents:
    """Write documents, and the number of each one's file in the order of their first sight."""
    numbers: dict[str, int] = {}
    with DocumentWriter(folder) as writer:
        for place, document in enumerate(documents):
            name = files[place] if files else "a.txt"
            for sentence in document:
                writer.add(piece_of(f"{sentence}\n".encode()))
            writer.end_document(file=numbers.setdefault(name, len(numbers)))
    return Documents.open(folder)


def split_corpus(
    documents: Sequence[list[str]],
    sources: Sequence[str] | None = None,
    *,
    by: SplitUnit = "document",
) -> Parts[list[list[str]]]:
    with tempfile.TemporaryDirectory() as folder:
        corpus = written(Path(folder), documents, sources)
        numbers = np.arange(len(corpus))
        units = (
            documents_as_units(corpus.rows, numbers)
            if by == "document"
            else [files_as_units(corpus.rows, numbers, rank_files(corpus))]
        )
        parts = hold_out(corpus.rows, units, by=by).tolist()
    return Parts(
        **{
            name: [one for one, part in zip(documents, parts, strict=True) if part == number]
            for name, number in (("train", TRAIN), ("validation", VALIDATION), ("test", TEST))
        }
    )


def digest_of(documents: Iterable[Sequence[str]]) -> str:
    """Hash the content of documents, in order, by itself."""
    digest = hashlib.blake2b(digest_size=16)
    for document in documents:
        digest.update("\n".join(document).encode() + b"\n\n")
    return digest.hexdigest()


def words_of(document: Sequence[str]) -> int:
    return sum(map(count_words, document))
