"""A corpus: documents of sentences, from whatever the user named.

Reading goes through steps, each a module of its own: files (`sources`), documents (`boundaries`),
sentences (`sentences`), sections (`sections`). What was detected on the way (`layout`) is said in
notes, because a corpus that was cut in the wrong places trains without complaint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from lit_roberta.data.text.boundaries import cut_documents
from lit_roberta.data.text.layout import Layout, detect_layout
from lit_roberta.data.text.reading import Document, ReadingConfig
from lit_roberta.data.text.sections import LARGEST_SHARE, cut_large_documents
from lit_roberta.data.text.sentences import split_sentences, wrap_width
from lit_roberta.data.text.sources import SourceFile, read_source
from lit_roberta.errors import must

_SAMPLE_WIDTH = 120
_MOST_WORDLESS = 0.1


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


def read_corpus(
    source: str, reading: ReadingConfig | None = None, *, setting: str = "data.corpus"
) -> Corpus:
    """Read a corpus and cut it into documents of sentences.

    Args:
        source: `toy` (bundled), `python-docs` (inside every CPython), a text file, a .jsonl
            file, a folder or a glob.
        reading: How to read it; None for the defaults.
        setting: What the source is called in errors; held-out text has settings of its own.

    Returns:
        The corpus, files in the order of their names.

    Raises:
        UserError: If there is no text, or it can't be read as asked.
    """
    reading = reading or ReadingConfig()
    files, notes = read_source(source, reading, setting=setting)
    layout = detect_layout(files, reading)
    whole, origins = _read_documents(files, layout, reading)
    if not whole:
        remedy = f"With document_boundary {layout.boundary} nothing is left of it."
        raise must(setting, "hold a sentence", source, remedy)
    sections, length = cut_large_documents(whole)
    documents = list(chain.from_iterable(sections))
    sources = [name for name, parts in zip(origins, sections, strict=True) for _ in parts]
    notes.append(_describe(files, whole, layout))
    notes += _note_wordless(layout) + _note_cut(sections, length) + _samples(whole)
    return Corpus(documents, sources, notes, digest_of(documents))


def digest_of(documents: Iterable[Document]) -> str:
    """Hash the content of documents, in order."""
    digest = hashlib.blake2b(digest_size=16)
    for document in documents:
        # Neither a sentence nor a document can be moved into its neighbour without a new hash.
        digest.update("\n".join(document).encode("utf-8", "surrogatepass") + b"\n\n")
    return digest.hexdigest()


def _read_documents(
    files: Sequence[SourceFile], layout: Layout, reading: ReadingConfig
) -> tuple[list[Document], list[str]]:
    """Cut files into documents and those into sentences; say which file each comes from."""
    plain = iter(
        cut_documents([file.texts[0] for file in files if not file.rows], layout.boundary)
    )
    documents: list[Document] = []
    origins: list[str] = []
    for file in files:
        # A row is a document as it is; a text file is cut at the boundary.
        parts = file.texts if file.rows else next(plain)
        width = wrap_width(list(chain.from_iterable(parts)))
        for part in parts:
            document = split_sentences(
                part, splitter=layout.splitter, language=reading.language, width=width
            )
            if document:
                documents.append(document)
                origins.append(file.name)
    return documents, origins


def _describe(files: Sequence[SourceFile], documents: Sequence[Document], layout: Layout) -> str:
    count = f"{len(files):,} file{'s' if len(files) != 1 else ''}"
    sentences = sum(map(len, documents))
    return (
        f"{count}, {len(documents):,} documents (boundary: {layout.boundary}), "
        f"{sentences:,} sentences (splitter: {layout.splitter}; {layout.evidence})"
    )


def _note_wordless(layout: Layout) -> list[str]:
    share = layout.evidence.wordless_share
    if share <= _MOST_WORDLESS:
        return []
    return [f"{share:.0%} of the lines hold no letter or digit: is this plain text?"]


def _note_cut(sections: Sequence[Sequence[Document]], length: int) -> list[str]:
    cut = [len(parts) for parts in sections if len(parts) > 1]
    if not cut:
        return []
    return [
        f"each document above {LARGEST_SHARE:.0%} of the corpus ({len(cut)} of {len(sections)}) "
        f"was cut at sentence ends into sections of about {length:,} words, which serve as "
        f"documents: {sum(cut)} of them"
    ]


def _samples(documents: Sequence[Document]) -> list[str]:
    """Show three sentences from all over the corpus."""
    sentences = [sentence for document in documents for sentence in document]
    chosen = [sentences[len(sentences) * quarter // 4] for quarter in (1, 2, 3)]
    return [f"a sentence: {_short(sentence)}" for sentence in chosen]


def _short(text: str) -> str:
    return text if len(text) <= _SAMPLE_WIDTH else text[: _SAMPLE_WIDTH - 3] + "..."
