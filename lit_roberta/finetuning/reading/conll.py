"""Sentences with a tag for each word: files in CoNLL's form, and rows that hold lists.

In: a file, or a dataset of the hub. Out: sentences, no word lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.data.text.files import kind_of
from lit_roberta.data.text.hub import HUB
from lit_roberta.errors import must
from lit_roberta.finetuning.examples import WordsExample
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.tables import TableRow, read_table
from lit_roberta.finetuning.reading.texts import checked_text

_ROWS = (".jsonl", ".parquet")
_NEITHER = (".csv", ".json")
_DOCUMENT = "-DOCSTART-"
_COMMENT = "# "
WORD_FILES = (".conll", ".conllu", ".iob", ".iob2", ".bio")
"""How files are called that are in CoNLL's form and nothing else."""
_WORDS = "words"
"""What predictions call a list of words."""
_UNIVERSAL = ".conllu"
_NO_WORD = re.compile(r"\d+[-.]\d+\t")
"""The first column of CoNLL-U's rows for what is no word: several words as one, or none."""


class _Word(NamedTuple):
    columns: list[str]
    number: int
    """Of its line."""


def read_words(source: str, reading: LabelledReading) -> list[WordsExample]:
    """Read sentences of words with tags.

    Args:
        source: A .jsonl or .parquet file, or hub:OWNER/NAME, whose rows hold a list of words and
            one of tags; any other file is in CoNLL's form: a word a line, its tag in the last
            column, columns between tabs or spaces, an empty line between sentences; comments
            before a sentence (`# sent_id = 1`) are passed over. A file without a second column is
            unlabelled.
        reading: Its `words_column` and `tags_column` name the lists; as numbers, the columns of a
            file in CoNLL's form.

    Raises:
        UserError: If a word has no tag, or a line more or fewer columns than the first one, or a
            row no such list. Names the line.
    """
    kind = "" if source.startswith(HUB) else kind_of(Path(source))
    if source.startswith(HUB) or kind in _ROWS:
        return [_of_row(row, reading) for row in read_table(source, reading)]
    path = Path(source)
    if not path.is_file():
        raise must("the file of examples", "exist", source, "Give the path of one.")
    if kind in _NEITHER:
        rule = "be .jsonl, .parquet, or in CoNLL's form (.conll, .txt, .tsv, ...)"
        raise must("the file of examples", rule, source, "One word and its tag a line will do.")
    return list(_read_conll(path, reading))


def read_untagged(source: str, reading: LabelledReading) -> Iterator[WordsExample]:
    """Read sentences in CoNLL's form whose tags, if there are any, are not looked at.

    Raises:
        UserError: As `read_words`.
    """
    found = _read_conll(Path(source), reading)
    return (sentence._replace(tags=None) for sentence in found)


def row_words(row: TableRow, reading: LabelledReading) -> WordsExample | None:
    """Read the words of a row that nobody has tagged.

    Args:
        row: Of a table.
        reading: Its `words_column` names the list, or else it is called words.

    Returns:
        None where there is no list of words.

    Raises:
        UserError: If a word is no text.
    """
    names = (reading.words_column, _WORDS)
    name = next((name for name in names if isinstance(row.values.get(name), list)), None)
    if name is None:
        return None
    words = tuple(checked_text(word, name, row.place) for word in row.values[name])
    return WordsExample(words, None, row.place)


def _read_conll(path: Path, reading: LabelledReading) -> Iterator[WordsExample]:
    width, word, tag = 0, 0, 0
    for sentence in _sentences(path, reading):
        if not width:
            width = len(sentence[0].columns)
            word = _column(reading, "words_column", width, usual=1)
            tag = _column(reading, "tags_column", width, usual=width)
        for each in sentence:
            _check(each, path, width)
        yield WordsExample(
            words=tuple(each.columns[word] for each in sentence),
            tags=None if width == 1 else tuple(each.columns[tag] for each in sentence),
            place=f"{path}, line {sentence[0].number}",
        )


def _sentences(path: Path, reading: LabelledReading) -> Iterator[list[_Word]]:
    sentence: list[_Word] = []
    width = _width(path, reading)
    for number, line in enumerate(read_lines(path, reading.as_plain()), start=1):
        is_between = not line.strip() or line.startswith(_DOCUMENT)
        if is_between and sentence:
            yield sentence
            sentence = []
        if is_between or (not sentence and _is_comment(line, width)):
            continue
        if not (kind_of(path) == _UNIVERSAL and _NO_WORD.match(line)):
            sentence.append(_Word(_split(line), number))
    if sentence:
        yield sentence


def _width(path: Path, reading: LabelledReading) -> int:
    """Count the columns of a file by its first line that can't be a comment; 0 without any."""
    for line in read_lines(path, reading.as_plain()):
        if line.strip() and not line.startswith((_DOCUMENT, _COMMENT)):
            return len(_split(line))
    return 0


def _is_comment(line: str, width: int) -> bool:
    """Tell a comment from the word `#`, which has a tag behind it."""
    return line.startswith(_COMMENT) and "\t" not in line and len(_split(line)) != width


def _split(line: str) -> list[str]:
    """Cut a line at tabs, or where it has none, at spaces. No other space parts columns."""
    if "\t" in line:
        return [column.strip(" ") for column in line.split("\t")]
    return [column for column in line.split(" ") if column]


def _check(word: _Word, path: Path, width: int) -> None:
    place = f"{path}, line {word.number},"
    if len(word.columns) == 1 < width:
        remedy = "Give it one: O for a word of no entity."
        raise must(place, "have a tag behind the word", word.columns[0], remedy)
    if len(word.columns) != width:
        remedy = "Columns stand between tabs, or between spaces where a line has no tab."
        raise must(place, f"have {width} columns as the first", len(word.columns), remedy)
    if not all(word.columns):
        got = "\t".join(word.columns)
        raise must(place, "have something in each column", got, "Repair the line.")


def _column(reading: LabelledReading, name: str, width: int, *, usual: int) -> int:
    """Find a column, from 0. Names of rows' columns say nothing about a file without a header."""
    asked: str = getattr(reading, name)
    if asked == getattr(LabelledReading(), name):
        return usual - 1
    if not asked.isdecimal() or not 1 <= int(asked) <= width:
        remedy = "The first column is 1."
        raise must(reading.setting(name), f"be a number from 1 to {width}", asked, remedy)
    return int(asked) - 1


def _of_row(row: TableRow, reading: LabelledReading) -> WordsExample:
    values, place = row
    column = reading.words_column
    if column not in values:
        known = ", ".join(values)
        remedy = f"Name the list of words: {reading.option('words_column')}."
        raise must(f"{place},", f"have the column {column!r}", known, remedy)
    words = [checked_text(word, column, place) for word in _list(values[column], column, place)]
    column = reading.tags_column
    if values.get(column) is None:
        return WordsExample(tuple(words), None, place)
    tags = [_tag(tag, column, place) for tag in _list(values[column], column, place)]
    if len(tags) != len(words):
        remedy = "Each word needs a tag of its own."
        raise must(f"{place}, column {column!r},", f"hold {len(words)} tags", len(tags), remedy)
    return WordsExample(tuple(words), tuple(tags), place)


def _list(value: Any, column: str, place: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise must(f"{place}, column {column!r},", "hold a list", value, "Repair the row.")
    return value


def _tag(tag: Any, column: str, place: str) -> str | int:
    if isinstance(tag, int) and not isinstance(tag, bool):
        return tag
    return checked_text(tag, column, place)
