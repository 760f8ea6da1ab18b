"""From files to documents on disk, a block of paragraphs at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from lit_roberta.data.corpus.documents import DocumentWriter
from lit_roberta.data.corpus.progress import ReadingProgress
from lit_roberta.data.text.boundaries import Cutter
from lit_roberta.data.text.layout import Layout, Splitter, head_of
from lit_roberta.data.text.paragraphs import join_paragraphs, wrap_width
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.sources import Lines, SourceFile
from lit_roberta.data.text.splitting import SplitBlock, split_block
from lit_roberta.data.work import ordered_map

_BLOCK = 1 << 18
"""Characters of paragraphs that are split at a time."""
_SAVED = 64 << 20
"""Bytes of text after which progress is saved, at the end of the file."""


class Block(NamedTuple):
    """Paragraphs that follow one another in a file."""

    file: int
    is_last: bool
    """Whether the file ends here."""
    paragraphs: list[str | None]
    """None ends a document."""


def write_documents(
    files: Sequence[SourceFile],
    layout: Layout,
    reading: ReadingConfig,
    folder: Path,
    *,
    workers: int,
    on_progress: Callable[[int], None],
) -> ReadingProgress:
    """Write the documents of files, from the file at which an earlier call was interrupted.

    Args:
        files: The corpus.
        layout: What separates documents and sentences.
        reading: How files are read.
        folder: Where to.
        workers: Processes that split sentences; 0 for none beside this one.
        on_progress: Told the bytes of text that are written, now and then.

    Returns:
        What was written.

    Raises:
        UserError: If a file can't be read, or the boundary stands in none of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    progress = ReadingProgress.load(folder)
    cutter = Cutter(layout.boundary)
    cutter.found |= progress.boundary_found
    blocks = _blocks(files, layout, cutter, reading, first=progress.files)
    split = partial(_split, splitter=layout.splitter, language=reading.language)
    saved = progress.sizes.text
    with DocumentWriter(folder, progress.sizes) as writer:
        for block, result in ordered_map(split, blocks, workers=workers):
            _write(block, result, writer, progress)
            if not block.is_last:
                continue
            progress.files, progress.sizes = block.file + 1, writer.sizes()
            on_progress(progress.sizes.text)
            if progress.sizes.text - saved >= _SAVED or progress.files == len(files):
                progress.boundary_found = cutter.found
                writer.sync()
                progress.save(folder)
                saved = progress.sizes.text
    cutter.require_found()
    return progress


def _split(block: Block, *, splitter: Splitter, language: str) -> tuple[Block, SplitBlock]:
    result = split_block(block.paragraphs, splitter=splitter, language=language)
    return block._replace(paragraphs=[]), result


def _write(
    block: Block, result: SplitBlock, writer: DocumentWriter, progress: ReadingProgress
) -> None:
    """Write a block; between two of its pieces a document ends."""
    for number, piece in enumerate(result.pieces):
        if number:
            writer.end_document(file=block.file)
        writer.add(piece)
    progress.control_characters += result.control_characters
    if result.replacement_characters:
        counts, key = progress.replacement_characters, str(block.file)
        counts[key] = counts.get(key, 0) + result.replacement_characters


def _blocks(
    files: Sequence[SourceFile],
    layout: Layout,
    cutter: Cutter,
    reading: ReadingConfig,
    *,
    first: int,
) -> Iterator[Block]:
    for number in range(first, len(files)):
        paragraphs = _paragraphs(files[number], layout, cutter, reading)
        taken: list[str | None] = []
        size = 0
        for paragraph in paragraphs:
            taken.append(paragraph)
            size += 1 if paragraph is None else len(paragraph)
            if size >= _BLOCK:
                yield Block(number, False, taken)
                taken, size = [], 0
        yield Block(number, True, taken)


def _paragraphs(file: SourceFile, layout: Layout, cutter: Cutter, reading: ReadingConfig) -> Lines:
    """Read one file up to its paragraphs."""
    lines = file.lines(reading)
    head = head_of(lines)
    width = wrap_width(line for line in head if line is not None)
    lines = chain(head, lines)
    if not file.rows:
        # Only rows end documents by themselves.
        lines = cutter.cut(_without_ends(lines))
    return lines if layout.splitter == "lines" else join_paragraphs(lines, width=width)


def _without_ends(lines: Iterable[str | None]) -> Iterator[str]:
    return (line for line in lines if line is not None)
