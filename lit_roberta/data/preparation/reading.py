"""Every source of a text to documents on disk, and what each document is for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Shaped, UInt8

from lit_roberta.data.corpus.alike import find_copies
from lit_roberta.data.corpus.corpus import Corpus, read_corpus
from lit_roberta.data.corpus.overlap import Passage
from lit_roberta.data.corpus.split import DROPPED, TEST, TRAIN, VALIDATION, hold_out
from lit_roberta.data.corpus.units import documents_as_units, files_as_units, rank_files
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.encoding import Shelf

_ROLES = {"validation": VALIDATION, "test": TEST}


@dataclass(frozen=True, kw_only=True)
class ReadText:
    """All documents of a text, and what each is for."""

    shelves: list[Shelf]
    notes: list[str]
    corpora: list[Corpus]
    """The sources, those of the user's own held-out parts last."""
    num_copies: int
    """Documents that are equal to an earlier one, of all sources of the corpus."""

    def passages(self, part: int) -> Iterator[Passage]:
        """Read the text of a part, some megabyte at a time."""
        for shelf in self.shelves:
            for run in shelf.documents.runs():
                chosen = (shelf.parts[run.documents] == part).tolist()
                if any(chosen):
                    texts = list(compress(run.texts(), chosen))
                    yield Passage(texts, run.begins or not chosen[0])

    def sentences(self, part: int) -> Iterator[str]:
        """Read the sentences of a part."""
        for passage in self.passages(part):
            for text in passage.texts:
                yield from text.decode().split("\n")[:-1]


def read_text(
    config: TextConfig,
    folder: Path,
    *,
    workers: int,
    on_progress: Callable[[int], None],
) -> ReadText:
    """Read every corpus that is named, and hold out what is not.

    Args:
        config: Which text, read how.
        folder: Where documents are written; an interrupted call is gone on with.
        workers: Processes beside this one.
        on_progress: Told the bytes of text that are written.

    Raises:
        UserError: If the text can't be read, or is too small to hold anything out.
    """

    def read(source: str, setting: str, name: str) -> Corpus:
        return read_corpus(
            source,
            config.reading,
            folder / name,
            setting=setting,
            workers=workers,
            on_progress=on_progress,
        )

    sources = config.sources
    corpora = [read(each, "data.corpus", str(n)) for n, each in enumerate(sources.values())]
    notes = [
        f"{name}: {note}" if len(sources) > 1 else note
        for name, corpus in zip(sources, corpora, strict=True)
        for note in corpus.notes
    ]
    given = {
        part: read(source, f"data.{part}_corpus", part)
        for part in _ROLES
        if (source := getattr(config, f"{part}_corpus")) is not None
    }
    notes += [f"{part}: {note}" for part, corpus in given.items() for note in corpus.notes]
    rows = _joined_rows(corpora)
    copies = find_copies(rows["content"])
    if config.deduplicate and copies.any():
        notes.append(f"{int(copies.sum()):,} documents that are equal to earlier ones left out")
    parts = _parts(rows, corpora, config, given=set(given), kept=~(copies & config.deduplicate))
    return ReadText(
        shelves=_shelves(corpora, parts, given),
        notes=notes,
        corpora=[*corpora, *given.values()],
        num_copies=int(copies.sum()),
    )


def _shelves(
    corpora: list[Corpus], parts: UInt8[np.ndarray, " documents"], given: dict[str, Corpus]
) -> list[Shelf]:
    """Lay out the sources with what their documents are for, then the user's own parts."""
    ends = np.cumsum([len(corpus.documents) for corpus in corpora])[:-1]
    shelves = [
        Shelf(corpus.documents, part, number)
        for number, (corpus, part) in enumerate(zip(corpora, np.split(parts, ends), strict=True))
    ]
    for name, corpus in given.items():
        whole = np.full(len(corpus.documents), _ROLES[name], np.uint8)
        shelves.append(Shelf(corpus.documents, whole, 0))
    return shelves


def _joined_rows(corpora: list[Corpus]) -> Shaped[np.ndarray, " documents"]:
    """Put the tables of several sources behind one another, and number their files on."""
    if len(corpora) == 1:
        return corpora[0].documents.rows
    first, tables = 0, []
    for corpus in corpora:
        rows = np.array(corpus.documents.rows)
        rows["file"] += first
        first += len(corpus.files)
        tables.append(rows)
    return np.concatenate(tables)


def _parts(
    rows: Shaped[np.ndarray, " documents"],
    corpora: list[Corpus],
    config: TextConfig,
    *,
    given: set[str],
    kept: Bool[np.ndarray, " documents"],
) -> UInt8[np.ndarray, " documents"]:
    """Say what each document is for."""
    if len(given) == len(_ROLES):
        return np.where(kept, TRAIN, DROPPED).astype(np.uint8)
    numbers = np.flatnonzero(kept)
    if config.split_by == "file":
        ranks: dict[int, bytes] = {}
        first = 0
        for corpus in corpora:
            found = rank_files(corpus.documents)
            ranks |= {first + file: rank for file, rank in found.items()}
            first += len(corpus.files)
        parts = hold_out(rows, [files_as_units(rows, numbers, ranks)], by="file")
    else:
        parts = hold_out(rows, documents_as_units(rows, numbers), by="document")
    for part in given:
        # What the user holds out takes the place of ours; the text that ours would have had is
        # trained on.
        parts[parts == _ROLES[part]] = TRAIN
    return parts
