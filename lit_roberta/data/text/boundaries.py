"""Where one document ends and the next begins.

In: the lines of a file. Out: the lines of each document, blank ones kept: they separate
paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from lit_roberta.data.text.reading import BOUNDARIES
from lit_roberta.errors import must

Lines = list[str]

# WikiText writes a title as " = Title = " and a section as " = = Section = = ", blank lines
# around both.
_WIKI_TITLE = re.compile(r"\s*= (?!= )\S(.*\S)? =\s*")
_WIKI_HEADING = re.compile(r"\s*(?:= )+(?P<words>[^\s=].*?)(?: =)+\s*")
_GUTENBERG_MARK = re.compile(
    r"\s*\*\*\* ?(?P<mark>START|END) OF (THE|THIS) PROJECT GUTENBERG", re.IGNORECASE
)


def detect_boundary(files: Sequence[Sequence[str]], *, lines_are_sentences: bool) -> str:
    """Find out what separates documents in a corpus, by the marks that it holds.

    WikiText's titles and Project Gutenberg's marks speak for themselves. Blank lines separate
    documents in a file of its own, and in files with a sentence a line; in a folder of prose
    they separate paragraphs, and a document is a file. Without blank lines a document is a file.

    Args:
        files: The lines of each file.
        lines_are_sentences: Whether a line holds one sentence.

    Returns:
        A `document_boundary` other than `auto`.
    """
    if any(_is_wiki_title(lines, number) for lines in files for number in range(len(lines))):
        return "wikitext"
    if any(_gutenberg_mark(line) for lines in files for line in lines):
        return "gutenberg"
    if any(_has_blank_line_inside(lines) for lines in files) and (
        lines_are_sentences or len(files) == 1
    ):
        return "blank-line"
    return "file"


def cut_documents(files: Sequence[Lines], boundary: str) -> list[list[Lines]]:
    """Cut each file into documents.

    Args:
        files: The lines of each file.
        boundary: A `document_boundary` other than `auto`.

    Returns:
        For each file, the lines of each of its documents; none is all blank.

    Raises:
        UserError: If the boundary stands nowhere in the corpus.
    """
    if boundary == "wikitext":
        _require(boundary, any(_is_wiki_title(f, n) for f in files for n in range(len(f))))
    elif boundary == "gutenberg":
        _require(boundary, any(_gutenberg_mark(line) for lines in files for line in lines))
    elif boundary not in _CUTTERS:
        pattern = re.compile(boundary)
        _require(boundary, any(pattern.search(line) for lines in files for line in lines))
    cut = _CUTTERS.get(boundary) or (lambda lines: _cut_at_pattern(lines, re.compile(boundary)))
    return [[part for part in cut(lines) if any(map(str.strip, part))] for lines in files]


def _require(boundary: str, found: bool) -> None:
    if not found:
        rule = "stand somewhere in the corpus"
        remedy = f"The names are {', '.join(BOUNDARIES)}; auto looks for what is there."
        raise must("data.reading.document_boundary", rule, boundary, remedy)


def _has_blank_line_inside(lines: Sequence[str]) -> bool:
    """Tell whether a blank line stands between two lines of text."""
    texts = [number for number, line in enumerate(lines) if line.strip()]
    return bool(texts) and texts[-1] - texts[0] + 1 > len(texts)


def _is_wiki_title(lines: Sequence[str], number: int) -> bool:
    return bool(_WIKI_TITLE.fullmatch(lines[number])) and _stands_alone(lines, number)


def _stands_alone(lines: Sequence[str], number: int) -> bool:
    """Tell a heading from a formula: a heading has blank lines around it."""
    around = [*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2]]
    return not any(map(str.strip, around))


def _cut_at(lines: Lines, starts: Callable[[int], bool]) -> Iterator[Lines]:
    """Begin a new part at each line whose number `starts` says yes to."""
    part: Lines = []
    for number, line in enumerate(lines):
        if starts(number):
            yield part
            part = []
        part.append(line)
    yield part


def _cut_at_blank_lines(lines: Lines) -> Iterator[Lines]:
    return _cut_at(lines, lambda number: not lines[number].strip())


def _cut_at_titles(lines: Lines) -> Iterator[Lines]:
    """Cut before each title, and take the fences off every heading: its words are a paragraph."""
    for part in _cut_at(lines, lambda number: _is_wiki_title(lines, number)):
        yield [_without_fences(part, number) for number in range(len(part))]


def _without_fences(lines: Lines, number: int) -> str:
    heading = _WIKI_HEADING.fullmatch(lines[number])
    return heading["words"] if heading and _stands_alone(lines, number) else lines[number]


def _gutenberg_mark(line: str) -> str | None:
    """Read a mark line: START, END, or None for any other line."""
    match = _GUTENBERG_MARK.match(line)
    return match["mark"].upper() if match else None


def _cut_at_gutenberg_marks(lines: Lines) -> Iterator[Lines]:
    """Keep what stands between START and END marks; a file without any is one document."""
    first = next(filter(None, map(_gutenberg_mark, lines)), None)
    for part in _cut_at(lines, lambda number: _gutenberg_mark(lines[number]) is not None):
        mark = _gutenberg_mark(part[0]) if part else None
        if mark == "START":
            yield part[1:]
        elif mark is None and first != "START":
            yield part


def _cut_at_pattern(lines: Lines, pattern: re.Pattern[str]) -> Iterator[Lines]:
    """Cut before each line with a match; a line that matches as a whole is a mere separator."""
    for part in _cut_at(lines, lambda number: bool(pattern.search(lines[number]))):
        yield part[1:] if part and pattern.fullmatch(part[0].strip()) else part


_CUTTERS: dict[str, Callable[[Lines], Iterator[Lines]]] = {
    "blank-line": _cut_at_blank_lines,
    "file": lambda lines: iter([lines]),
    "row": lambda lines: iter([[line] for line in lines]),
    "wikitext": _cut_at_titles,
    "gutenberg": _cut_at_gutenberg_marks,
}
