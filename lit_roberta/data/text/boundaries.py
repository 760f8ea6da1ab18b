"""Where one document ends and the next begins.

In: the lines of a file, one at a time. Out: the same lines, with None where a document ends; blank
lines are kept: they separate paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from lit_roberta.data.text.reading import BOUNDARIES
from lit_roberta.data.text.sources import Lines
from lit_roberta.errors import must

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
        files: The first lines of each file.
        lines_are_sentences: Whether a line holds one sentence.

    Returns:
        A `document_boundary` other than `auto`.
    """
    if any(_is_title(*around) for lines in files for around in _neighbourhoods(lines)):
        return "wikitext"
    if any(_gutenberg_mark(line) for lines in files for line in lines):
        return "gutenberg"
    if any(_has_blank_line_inside(lines) for lines in files) and (
        lines_are_sentences or len(files) == 1
    ):
        return "blank-line"
    return "file"


class Cutter:
    """Cut files into documents at one kind of boundary.

    Args:
        boundary: A `document_boundary` other than `auto`.

    Attributes:
        found: Whether it stood in a file that was cut; one that needs no mark is always there.
    """

    def __init__(self, boundary: str) -> None:
        self.boundary = boundary
        self._pattern = re.compile(boundary)
        self.found = boundary in ("blank-line", "file", "row")
        self._cutters: dict[str, Callable[[Iterable[str]], Lines]] = {
            "blank-line": _at_blank_lines,
            "file": iter,
            "row": _at_every_line,
            "wikitext": self._at_titles,
            "gutenberg": self._at_gutenberg_marks,
        }

    def cut(self, lines: Iterable[str]) -> Lines:
        """Cut one file.

        Args:
            lines: The file.

        Yields:
            Its lines, and None wherever a document ends, which may be several times in a row.
        """
        yield from self._cutters.get(self.boundary, self._at_pattern)(lines)
        yield None

    def require_found(self) -> None:
        """Refuse a boundary that stood in no file.

        Raises:
            UserError: If a mark, a title or a match was asked for and none was met.
        """
        if not self.found:
            rule = "stand somewhere in the corpus"
            remedy = f"The names are {', '.join(BOUNDARIES)}; auto looks for what is there."
            raise must("data.reading.document_boundary", rule, self.boundary, remedy)

    def _at_titles(self, lines: Iterable[str]) -> Lines:
        """Cut before each title; take the fences off every heading: its words are a paragraph."""
        for before, line, after in _neighbourhoods(lines):
            if _is_title(before, line, after):
                self.found = True
                yield None
            heading = _WIKI_HEADING.fullmatch(line) if line.lstrip().startswith("=") else None
            yield heading["words"] if heading and _stands_alone(before, after) else line

    def _at_gutenberg_marks(self, lines: Iterable[str]) -> Lines:
        """Keep what stands between START and END marks; a file without any is one document.

        Text before the first mark is a header where that mark is a START, and otherwise a book
        whose beginning is elsewhere.
        """
        header: list[str] = []
        rest = iter(lines)
        mark = None
        for line in rest:
            mark = _gutenberg_mark(line)
            if mark or len(header) == _LONGEST_HEADER:
                break
            header.append(line)
        if mark != "START":
            yield from header
            if header and mark is None and len(header) == _LONGEST_HEADER:
                yield line
        keeps = mark != "END"
        self.found |= mark is not None
        for line in rest:
            mark = _gutenberg_mark(line)
            if mark:
                self.found = True
                yield None
                keeps = mark == "START"
            elif keeps:
                yield line

    def _at_pattern(self, lines: Iterable[str]) -> Lines:
        """Cut before each line with a match; one that matches as a whole only separates."""
        for line in lines:
            if self._pattern.search(line):
                self.found = True
                yield None
                if self._pattern.fullmatch(line.strip()):
                    continue
            yield line


_LONGEST_HEADER = 100_000
"""Lines before the first mark of a file that are held back until it is known what it is."""


def _at_blank_lines(lines: Iterable[str]) -> Lines:
    for line in lines:
        yield line if line.strip() else None


def _at_every_line(lines: Iterable[str]) -> Lines:
    for line in lines:
        yield line
        yield None


def _neighbourhoods(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Give each line between the one before and the one behind it, "" at the ends."""
    before, line = "", None
    for after in lines:
        if line is not None:
            yield before, line, after
            before = line
        line = after
    if line is not None:
        yield before, line, ""


def _is_title(before: str, line: str, after: str) -> bool:
    return (
        line.lstrip().startswith("=")
        and bool(_WIKI_TITLE.fullmatch(line))
        and _stands_alone(before, after)
    )


def _stands_alone(before: str, after: str) -> bool:
    """Tell a heading from a formula: a heading has blank lines around it."""
    return not before.strip() and not after.strip()


def _has_blank_line_inside(lines: Iterable[str]) -> bool:
    """Tell whether a blank line stands between two lines of text."""
    seen = blank = False
    for line in lines:
        if not line.strip():
            blank = seen
        elif blank:
            return True
        else:
            seen = True
    return False


def _gutenberg_mark(line: str) -> str | None:
    """Read a mark line: START, END, or None for any other line."""
    match = _GUTENBERG_MARK.match(line) if "***" in line else None
    return match["mark"].upper() if match else None
