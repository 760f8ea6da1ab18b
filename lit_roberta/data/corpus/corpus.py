"""A corpus: documents of sentences, from whatever the user named.

Reading goes through steps, each a module of its own: files (`sources`), documents (`boundaries`),
paragraphs (`paragraphs`), sentences (`splitting`), sections (`sections`). What was detected on the
way (`layout`) is said in notes, because a corpus that was cut in the wrong places trains without
complaint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from lit_roberta.counted import counted
from lit_roberta.data.corpus.documents import Documents
from lit_roberta.data.corpus.progress import ReadingProgress
from lit_roberta.data.corpus.sections import LARGEST_SHARE, Cut, cut_large_documents
from lit_roberta.data.corpus.writing import write_documents
from lit_roberta.data.text.layout import Layout, detect_layout
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.sources import few, find_source, note_without_text
from lit_roberta.errors import must

_SAMPLE_WIDTH = 120
_MOST_WORDLESS = 0.1


@dataclass(frozen=True)
class Corpus:
    """Documents of sentences, and where they come from."""

    documents: Documents
    """None is empty."""
    files: list[str]
    """The names of its files, by number."""
    notes: list[str]
    """What was detected, cut or skipped, a line each."""
    control_characters: int
    replacement_characters: int


def read_corpus(
    source: str,
    reading: ReadingConfig,
    folder: Path,
    *,
    setting: str = "data.corpus",
    workers: int = 0,
    on_progress: Callable[[int], None] = lambda size: None,
) -> Corpus:
    """Read a corpus and cut it into documents of sentences, on disk.

    Args:
        source: `toy` (bundled), `python-docs` (inside every CPython), a file, a folder, a glob or
            a dataset of the hub.
        reading: How to read it.
        folder: Where its documents are written. What an interrupted call has left there is gone
            on with, from the file at which it stood.
        setting: What the source is called in errors; held-out text has settings of its own.
        workers: Processes that split sentences; 0 for none beside this one.
        on_progress: Told the bytes of text that are written, now and then.

    Returns:
        The corpus, files in the order of their names.

    Raises:
        UserError: If there is no text, or it can't be read as asked.
    """
    files, notes = find_source(source, setting=setting)
    names = [file.name for file in files]
    layout = detect_layout(files, reading)
    if layout is None:
        note_without_text(names, total=len(names), source=source, setting=setting)
        raise must(setting, "hold text", source, "Its first lines are all blank.")
    progress = write_documents(
        files, layout, reading, folder, workers=workers, on_progress=on_progress
    )
    whole = Documents.open(folder)
    if not len(whole):
        remedy = f"With document_boundary {layout.boundary} nothing is left of it."
        raise must(setting, "hold a sentence", source, remedy)
    filled = set(np.unique(whole.rows["file"]).tolist())
    empty = [name for number, name in enumerate(names) if number not in filled]
    cut = cut_large_documents(whole)
    notes += note_without_text(empty, total=len(names), source=source, setting=setting)
    notes += _note_replacements(names, progress, reading)
    notes.append(_describe(len(filled), whole, layout))
    notes += _note_wordless(layout) + _note_cut(cut, len(whole)) + _samples(whole)
    return Corpus(
        cut.documents,
        names,
        notes,
        control_characters=progress.control_characters,
        replacement_characters=sum(progress.replacement_characters.values()),
    )


def _describe(files: int, documents: Documents, layout: Layout) -> str:
    sentences = int(documents.rows["sentences"].sum())
    return (
        f"{counted(files, 'file')}, {counted(len(documents), 'document')} "
        f"(boundary: {layout.boundary}), "
        f"{counted(sentences, 'sentence')} (splitter: {layout.splitter}; {layout.evidence})"
    )


def _note_replacements(
    names: Sequence[str], progress: ReadingProgress, reading: ReadingConfig
) -> list[str]:
    counts = progress.replacement_characters
    if reading.errors == "strict" or not counts:
        return []
    touched = few([names[int(number)] for number in counts])
    total = sum(counts.values())
    return [f"U+FFFD stands {total} times for bytes that are not {reading.encoding}: {touched}"]


def _note_wordless(layout: Layout) -> list[str]:
    share = layout.evidence.wordless_share
    if share <= _MOST_WORDLESS:
        return []
    return [f"{share:.0%} of the lines hold no letter or digit: is this plain text?"]


def _note_cut(cut: Cut, whole: int) -> list[str]:
    if not cut.num_cut:
        return []
    return [
        f"each document above {LARGEST_SHARE:.0%} of the corpus ({cut.num_cut} of {whole}) "
        f"was cut at sentence ends into sections of about {cut.section_words:,} words, which "
        f"serve as documents: {cut.num_sections} of them"
    ]


def _samples(documents: Documents) -> list[str]:
    """Show three sentences from all over the corpus."""
    ends = np.cumsum(documents.rows["sentences"])
    chosen = []
    for quarter in (1, 2, 3):
        place = int(ends[-1]) * quarter // 4
        number = int(np.searchsorted(ends, place, side="right"))
        before = int(ends[number]) - int(documents.rows["sentences"][number])
        line = next(islice(documents.lines(number), place - before, None))
        chosen.append(line.decode().removesuffix("\n"))
    return [f"a sentence: {_short(sentence)}" for sentence in chosen]


def _short(text: str) -> str:
    return text if len(text) <= _SAMPLE_WIDTH else text[: _SAMPLE_WIDTH - 3] + "..."
