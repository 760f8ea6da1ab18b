"""How the text of a corpus is laid out: what separates documents, and what a line is.

In: the files, and what the user fixed. Out: both decisions, one for the whole corpus, with the
evidence for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from lit_roberta.data.text.boundaries import detect_boundary
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.sentences import LineEvidence, Splitter, weigh_lines
from lit_roberta.data.text.sources import SourceFile
from lit_roberta.errors import must


@dataclass(frozen=True)
class Layout:
    """What separates documents and sentences."""

    boundary: str
    """A `document_boundary` other than auto."""
    splitter: Splitter
    evidence: LineEvidence


def detect_layout(files: Sequence[SourceFile], reading: ReadingConfig) -> Layout:
    """Decide what the settings leave to `auto`.

    Args:
        files: The corpus.
        reading: The settings.

    Returns:
        The layout.

    Raises:
        UserError: If a boundary is asked for in text whose rows are documents.
    """
    lines = list(chain.from_iterable(chain.from_iterable(file.texts for file in files)))
    evidence = weigh_lines(lines, language=reading.language)
    if reading.sentence_splitter != "auto":
        splitter: Splitter = reading.sentence_splitter
    else:
        splitter = "lines" if evidence.lines_are_sentences else "sentencex"
    return Layout(_choose_boundary(files, reading, evidence), splitter, evidence)


def _choose_boundary(
    files: Sequence[SourceFile], reading: ReadingConfig, evidence: LineEvidence
) -> str:
    plain = [file.texts[0] for file in files if not file.rows]
    asked = reading.document_boundary
    if not plain:
        if asked not in ("auto", "row"):
            rule = "be auto or row where a row is a document"
            remedy = "Leave it out for .jsonl files and python-docs."
            raise must("data.reading.document_boundary", rule, asked, remedy)
        return "row"
    if asked != "auto":
        return asked
    return detect_boundary(plain, lines_are_sentences=evidence.lines_are_sentences)
