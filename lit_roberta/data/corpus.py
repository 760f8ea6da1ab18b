"""A corpus: documents of sentences, from whatever the user named.

Reading goes through four steps, each a module of its own: files (`sources`), documents (`boundaries`),
sentences (`sentences`), sections (`sections`). What was detected on the way is said in notes, because a
corpus that was cut in the wrong places trains without complaint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from lit_roberta.data.boundaries import cut_documents, detect_boundary
from lit_roberta.data.reading import Document, ReadingConfig, Splitter, split_lines
from lit_roberta.data.sections import LARGEST_SHARE, cut_sections, section_words, words_of
from lit_roberta.data.sentences import LineEvidence, is_wrapped, split_sentences, weigh_lines
from lit_roberta.data.sources import SourceFile, read_source
from lit_roberta.errors import must

_SAMPLE_WIDTH = 120


@dataclass(frozen=True)
class Corpus:
    """Documents of sentences, and where they come from."""

    documents: list[Document]
    """None is empty."""
    sources: list[str]
    """The file of each document."""
    notes: list[str]
    """What was detected, cut or skipped, a line each."""
    digest: str
    """Hash of the content: of the documents, in order."""


def read_corpus(source: str, reading: ReadingConfig | None = None) -> Corpus:
    """Read a corpus and cut it into documents of sentences.

    Args:
        source: `toy` (bundled), `python-docs` (inside every CPython), a text file, a .jsonl file, a folder
            or a glob.
        reading: How to read it; None for the defaults.

    Returns:
        The corpus, files in the order of their names.

    Raises:
        UserError: If there is no text, or it can't be read as asked.
    """
    reading = reading or ReadingConfig()
    files, notes = read_source(source, reading)
    evidence = _weigh(files, reading)
    splitter = _choose_splitter(reading, evidence)
    boundary = _choose_boundary(files, reading, evidence)
    documents: list[Document] = []
    sources: list[str] = []
    for file, parts in zip(files, _cut(files, boundary), strict=True):
        wrapped = is_wrapped(list(chain.from_iterable(parts)))
        for part in parts:
            sentences = split_sentences(
                part, splitter=splitter, language=reading.language, wrapped=wrapped
            )
            if sentences:
                documents.append(sentences)
                sources.append(file.name)
    notes.append(
        _describe(files, documents, boundary=boundary, splitter=splitter, evidence=evidence)
    )
    documents, sources, cuts = _cut_large(documents, sources)
    return Corpus(documents, sources, [*notes, *cuts, *_samples(documents)], digest_of(documents))


def digest_of(documents: Iterable[Document]) -> str:
    """Hash the content of documents, in order."""
    digest = hashlib.blake2b(digest_size=16)
    for document in documents:
        # Neither a sentence nor a document can be moved into its neighbour without a new hash.
        digest.update("\n".join(document).encode("utf-8", "surrogatepass") + b"\n\n")
    return digest.hexdigest()


def _weigh(files: Sequence[SourceFile], reading: ReadingConfig) -> LineEvidence:
    lines = [line for file in files for text in file.texts for line in split_lines(text)]
    return weigh_lines(lines, language=reading.language)


def _choose_splitter(reading: ReadingConfig, evidence: LineEvidence) -> Splitter:
    if reading.sentence_splitter != "auto":
        return reading.sentence_splitter
    return "lines" if evidence.lines_are_sentences else "sentencex"


def _choose_boundary(
    files: Sequence[SourceFile], reading: ReadingConfig, evidence: LineEvidence
) -> str:
    plain = [split_lines(file.texts[0]) for file in files if not file.rows]
    if not plain:
        if reading.document_boundary not in ("auto", "row"):
            rule = "be auto or row where a row is a document"
            remedy = "Leave it out for .jsonl files and python-docs."
            raise must("reading.document_boundary", rule, reading.document_boundary, remedy)
        return "row"
    if reading.document_boundary != "auto":
        return reading.document_boundary
    return detect_boundary(plain, lines_are_sentences=evidence.lines_are_sentences)


def _cut(files: Sequence[SourceFile], boundary: str) -> list[list[list[str]]]:
    """Cut text files at the boundary; a row is a document as it is."""
    plain = iter(cut_documents([split_lines(f.texts[0]) for f in files if not f.rows], boundary))
    return [list(map(split_lines, file.texts)) if file.rows else next(plain) for file in files]


def _cut_large(
    documents: list[Document], sources: list[str]
) -> tuple[list[Document], list[str], list[str]]:
    """Cut each document above 2% of the corpus, unless it is shorter than two sections anyway."""
    words = [words_of(document) for document in documents]
    length = section_words(documents)
    limit = LARGEST_SHARE * sum(words)
    sections = [
        cut_sections(document, words=length) if count > limit else [document]
        for document, count in zip(documents, words, strict=True)
    ]
    cut = [len(parts) for parts in sections if len(parts) > 1]
    if not cut:
        return documents, sources, []
    note = (
        f"each document above {LARGEST_SHARE:.0%} of the corpus ({len(cut)} of {len(documents)}) was cut at "
        f"sentence ends into sections of about {length:,} words, which serve as documents: {sum(cut)} of them"
    )
    repeated = [name for name, parts in zip(sources, sections, strict=True) for _ in parts]
    return list(chain.from_iterable(sections)), repeated, [note]


def _describe(
    files: Sequence[SourceFile],
    documents: Sequence[Document],
    *,
    boundary: str,
    splitter: Splitter,
    evidence: LineEvidence,
) -> str:
    count = f"{len(files):,} file{'s' if len(files) != 1 else ''}"
    sentences = sum(map(len, documents))
    return (
        f"{count}, {len(documents):,} documents (boundary: {boundary}), {sentences:,} sentences "
        f"(splitter: {splitter}; {evidence})"
    )


def _samples(documents: Sequence[Document]) -> list[str]:
    """Show three sentences from all over the corpus."""
    sentences = [sentence for document in documents for sentence in document]
    chosen = [sentences[len(sentences) * quarter // 4] for quarter in (1, 2, 3)]
    return [f"a sentence: {_short(sentence)}" for sentence in chosen]


def _short(text: str) -> str:
    return text if len(text) <= _SAMPLE_WIDTH else text[: _SAMPLE_WIDTH - 3] + "..."
