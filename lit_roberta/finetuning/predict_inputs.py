"""Texts of a command line, of a file or of standard input, for a fine-tuned model.

In: what a person names. Out: windows of inputs, in order, each with what its line of output begins
with. Lines of standard input are given on as they arrive.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from lit_roberta.data.text.files import kind_of
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.rows import ROW_KINDS
from lit_roberta.errors import must
from lit_roberta.finetuning.examples import QuestionExample, TextExample, WordsExample
from lit_roberta.finetuning.reading.choice_rows import unlabelled_choices
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.conll import WORD_FILES, read_untagged, row_words
from lit_roberta.finetuning.reading.squad import read_unanswered, row_question
from lit_roberta.finetuning.reading.tables import TableRow, json_row, read_table
from lit_roberta.finetuning.reading.texts import NO_PAIR, read_unlabelled, unlabelled
from lit_roberta.inference.inputs import (
    STANDARD_INPUT,
    WINDOW_CHARACTERS,
    OfTexts,
    in_windows,
    name_of,
    read_pair_windows,
    read_windows,
)
from lit_roberta.model.task_heads import TaskKind

logger = logging.getLogger(__name__)

LIST_KINDS = (".jsonl", ".parquet")
"""Kinds of rows that may hold lists."""
_TEXT_FILES = ("", ".txt")
"""Endings of what can only be lines of text; standard input has none."""
STRUCTURED = ("question-answering", "multiple-choice")
"""Kinds whose inputs are more than texts."""


class Request(NamedTuple):
    """What is asked."""

    given: Any
    """A `TaskInput`, or an example as it is."""
    shown: dict[str, Any]
    """What its line of output begins with."""

    @property
    def size(self) -> int:
        """Characters of its texts."""
        return len(self.given) if isinstance(self.given, str) else sum(map(_size, self.given))


@dataclass(frozen=True, kw_only=True)
class PredictReading(LabelledReading):
    """Messages name what this command can be given."""

    def setting(self, name: str) -> str:
        """Give the option's name."""
        return f"--{name.replace('_', '-')}"

    def as_plain(self) -> ReadingConfig:
        """Give the part of it that concerns bytes and lines."""
        return OfTexts()


def read_requests(
    source: str, reading: PredictReading, *, kind: TaskKind, pairs: bool | None
) -> Iterator[list[Request]]:
    """Read what is asked, some thousand at a time.

    Args:
        source: Rows; or a file, or `-` for standard input, whose lines are texts; lines of JSON
            where a question or choices are asked for. To be tagged, rows may hold lists of words,
            and files be in CoNLL's form, as their names then say.
        reading: Of rows: which columns.
        kind: Of the task.
        pairs: Whether they are pairs of texts, of lines with a tab between the two. None: rows
            with a column for the second text are.

    Raises:
        UserError: If there is no such file, if it is damaged, or if a line is no pair.
    """
    if kind in STRUCTURED:
        yield from _structured(source, reading, questions=kind == "question-answering")
    elif kind == "token-classification" and (words := _words(source, reading)) is not None:
        yield from in_windows(words, WINDOW_CHARACTERS, size=lambda each: each.size)
    elif source != STANDARD_INPUT and kind_of(Path(source)) in ROW_KINDS:
        requests = (
            _of_texts(*_pair_of(each, pairs, reading)) for each in read_unlabelled(source, reading)
        )
        yield from in_windows(requests, WINDOW_CHARACTERS, size=lambda each: each.size)
    elif pairs:
        for window in read_pair_windows(source, columns=("", "")):
            yield [_of_texts(*pair) for pair in window]
    else:
        for texts in read_windows(source):
            yield [_of_texts(text, None) for text in texts]


def _structured(
    source: str, reading: PredictReading, *, questions: bool
) -> Iterator[list[Request]]:
    """Read rows with a question or with choices, from a file of such or from lines of JSON."""
    is_rows = source != STANDARD_INPUT and kind_of(Path(source)) in (*ROW_KINDS, ".json")
    if is_rows and questions:
        found = map(of_question, read_unanswered(source, reading))
        yield from in_windows(found, WINDOW_CHARACTERS, size=lambda each: each.size)
        return
    if is_rows:
        chosen = (_of_choices(row, reading) for row in read_table(source, reading))
        yield from in_windows(chosen, WINDOW_CHARACTERS, size=lambda each: each.size)
        return
    seen, named = 0, name_of(source)
    for lines in read_windows(source):
        numbered = list(enumerate(lines, start=seen + 1))
        seen += len(lines)
        rows = [(json_row(line, f"{named}, line {n}"), n) for n, line in numbered if line.strip()]
        yield [
            of_question(row_question(row, number)) if questions else _of_choices(row, reading)
            for row, number in rows
        ]


def _words(source: str, reading: PredictReading) -> Iterator[Request] | None:
    """Read sentences of words; None where a source holds texts alone."""
    kind = "" if source == STANDARD_INPUT else kind_of(Path(source))
    if kind not in (*_TEXT_FILES, *WORD_FILES, *ROW_KINDS):
        words = f"a file with a word a line ends in {WORD_FILES[0]}"
        logger.info("Each line of %s is read as a text: %s.", source, words)
    if kind in WORD_FILES:
        return map(_of_words, read_untagged(source, reading))
    return _of_rows(source, reading) if kind in LIST_KINDS else None


def _of_rows(source: str, reading: PredictReading) -> Iterator[Request]:
    for row in read_table(source, reading):
        found = row_words(row, reading)
        yield _of_words(found) if found else _of_texts(unlabelled(row, reading).text, None)


def _of_words(example: WordsExample) -> Request:
    return Request(example, {"words": list(example.words)})


def of_question(example: QuestionExample) -> Request:
    """Ask a question."""
    return Request(example, {"id": example.key, "question": example.question})


def _of_choices(row: TableRow, reading: PredictReading) -> Request:
    example = unlabelled_choices(row, reading)
    return Request(example, {"choices": [list(filter(None, each)) for each in example.choices]})


def requests_of(texts: list[str], *, pairs: bool | None) -> list[Request]:
    """Take texts as a command line has them.

    Args:
        texts: Each a text.
        pairs: Whether each is two, with a tab between them.

    Raises:
        UserError: If one is no pair and should be.
    """
    if not pairs:
        return [_of_texts(text, None) for text in texts]
    found = []
    for text in texts:
        pair = text.split("\t")
        if len(pair) != 2:
            remedy = "The model is for pairs; rows of a file can have them in columns."
            raise must("TEXT", "be two texts with a tab between them", text[:60], remedy)
        found.append(_of_texts(pair[0], pair[1]))
    return found


def reading_of(asked: Any, *, pairs: bool | None) -> PredictReading:
    """Say how rows are read.

    Args:
        asked: The command's options; None for a usual name of a column.
        pairs: Whether the model is for pairs; None where that is not known.
    """
    is_single = asked.pair_column is None and pairs is False
    plain = PredictReading()
    return PredictReading(
        words_column=asked.words_column or plain.words_column,
        text_column=asked.text_column,
        pair_column=NO_PAIR if is_single else asked.pair_column,
        header=asked.header,
        quoting=asked.quoting,
    )


def _pair_of(
    example: TextExample, pairs: bool | None, reading: PredictReading
) -> tuple[str, str | None]:
    if pairs and example.pair is None:
        remedy = "The model is for pairs: name the second text's column."
        raise must(reading.setting("pair_column"), "be there", example.place, remedy)
    return example.text, example.pair


def _size(part: Any) -> int:
    """Count the characters of a part of what is given."""
    if isinstance(part, str):
        return len(part)
    return sum(map(_size, part)) if isinstance(part, tuple | list) else 0


def _of_texts(text: str, pair: str | None) -> Request:
    if pair is None:
        return Request(text, {"text": text})
    return Request((text, pair), {"text": text, "pair": pair})
