"""How the text of a corpus is laid out: what separates documents, and what a line is.

In: the first lines of its files, and what the user fixed. Out: both decisions, one for the whole
corpus, with the evidence for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from lit_roberta.data.text.boundaries import detect_boundary
from lit_roberta.data.text.lines import LineEvidence, weigh_lines
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.sources import Lines, SourceFile
from lit_roberta.errors import must

Splitter = Literal["lines", "sentencex"]

HEAD = 50_000
"""Lines of a file that its layout is judged by: all of it, up to some 3 MB."""
_MOST_LINES = 100_000
"""Lines of a corpus that its layout is judged by: they are all held at once."""
_LONGEST_HEAD = 64_000_000
"""Characters of these lines, of a file and of a corpus; some corpora have an article a line."""
_MOST_FILES = 2000


@dataclass(frozen=True)
class Layout:
    """What separates documents and sentences."""

    boundary: str
    """A `document_boundary` other than auto."""
    splitter: Splitter
    evidence: LineEvidence


def detect_layout(files: Sequence[SourceFile], reading: ReadingConfig) -> Layout | None:
    """Decide what the settings leave to `auto`.

    Args:
        files: The corpus.
        reading: The settings.

    Returns:
        The layout; None where there is no text.

    Raises:
        UserError: If a boundary is asked for in text whose rows are documents, or a file can't be
            read.
    """
    looked_at = files[:: -(-len(files) // _MOST_FILES)]
    most = min(HEAD, _MOST_LINES // len(looked_at))
    longest = _LONGEST_HEAD // len(looked_at)
    heads = [
        [line for line in head_of(file.lines(reading), most, longest) if line is not None]
        for file in looked_at
    ]
    lines = list(chain.from_iterable(heads))
    if not any(map(str.strip, lines)):
        return None
    evidence = weigh_lines(lines, language=reading.language)
    if reading.sentence_splitter != "auto":
        splitter: Splitter = reading.sentence_splitter
    else:
        splitter = "lines" if evidence.lines_are_sentences else "sentencex"
    plain = [head for file, head in zip(looked_at, heads, strict=True) if not file.rows]
    return Layout(_choose_boundary(plain, reading, evidence), splitter, evidence)


def head_of(lines: Lines, most: int = HEAD, longest: int = _LONGEST_HEAD) -> list[str | None]:
    """Take the first lines of a file, the one included that reaches `longest` characters."""
    head: list[str | None] = []
    size = 0
    for line in islice(lines, most):
        head.append(line)
        size += len(line or "")
        if size >= longest:
            break
    return head


def _choose_boundary(
    plain: Sequence[Sequence[str]], reading: ReadingConfig, evidence: LineEvidence
) -> str:
    asked = reading.document_boundary
    if not plain:
        if asked not in ("auto", "row"):
            rule = "be auto or row where a row is a document"
            remedy = "Leave it out for .jsonl, .csv, .tsv and .parquet files and python-docs."
            raise must("data.reading.document_boundary", rule, asked, remedy)
        return "row"
    if asked != "auto":
        return asked
    plain = [head for head in plain if any(map(str.strip, head))]
    return detect_boundary(plain, lines_are_sentences=evidence.lines_are_sentences)
