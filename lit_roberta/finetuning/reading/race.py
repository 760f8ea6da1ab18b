"""RACE: questions of school examinations about a text, four answers each.

Source: Lai et al. 2017. A blank in a question is filled by each answer; another question is
followed by it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.reading.right_choice import choice_example
from lit_roberta.finetuning.reading.tables import TableRow

RACE_COLUMNS = frozenset({"article", "question", "options"})
"""Of rows with a question each."""

_BLANK = "_"


def read_race(folder: Path) -> list[ChoiceExample]:
    """Read all texts of a folder, and of those in it (middle, high), in the order of their names.

    Raises:
        UserError: If a file is none of RACE's. Names it.
    """
    paths = sorted(folder.rglob("*.txt"), key=_by_level_and_number)
    if not paths:
        remedy = "Give the one that holds middle and high, or one of them."
        raise must("the folder of examples", "hold .txt files of RACE", str(folder), remedy)
    return [example for path in paths for example in _read_file(path)]


def race_of_row(row: TableRow) -> ChoiceExample:
    """Read a question that is a row.

    Raises:
        UserError: If it is none of RACE's.
    """
    values, place = row
    answer = values.get("answer") or None
    return _example(values["article"], values["question"], values["options"], answer, place=place)


def _by_level_and_number(path: Path) -> tuple[str, int, str]:
    return (str(path.parent), int(path.stem) if path.stem.isdecimal() else -1, path.name)


def _read_file(path: Path) -> list[ChoiceExample]:
    try:
        passage = json.loads("\n".join(read_lines(path, ReadingConfig())))
        questions, options = passage["questions"], passage["options"]
        article, answers = passage["article"], passage.get("answers") or [None] * len(questions)
        rows = list(zip(questions, options, answers, strict=True))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, UserError):
            raise
        rule = "be a file of RACE: JSON with article, questions, options and answers, as many each"
        raise must(str(path), rule, f"{type(error).__name__}: {error}", "Repair it.") from error
    return [
        _example(article, *row, place=f"{path}, question {number}")
        for number, row in enumerate(rows, start=1)
    ]


def _example(
    article: Any, question: Any, options: Any, answer: Any, *, place: str
) -> ChoiceExample:
    if not isinstance(options, list):
        raise must(f"{place},", "have a list of options", options, "Repair it.")
    texts = [article, question, *options]
    if not all(isinstance(text, str) for text in texts):
        raise must(f"{place},", "hold texts", texts, "Repair it.")
    pairs = [(article, _with_answer(question, option)) for option in options]
    return choice_example(pairs, None if answer is None else _place(answer, place), place)


def _place(answer: Any, place: str) -> int:
    if not isinstance(answer, str) or len(answer) != 1 or not "A" <= answer <= "Z":
        raise must(f"the answer at {place}", "be a letter from A on", answer, "Repair it.")
    return ord(answer) - ord("A")


def _with_answer(question: str, option: str) -> str:
    if _BLANK in question:
        return question.replace(_BLANK, option)
    return f"{question} {option}"
