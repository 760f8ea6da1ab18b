"""Files of texts of which one is to be chosen, whatever their form."""

from __future__ import annotations

from pathlib import Path

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.reading.choice_rows import row_example
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.copa import read_copa_xml
from lit_roberta.finetuning.reading.race import RACE_COLUMNS, race_of_row, read_race
from lit_roberta.finetuning.reading.tables import TableRow, read_table


def read_choices(source: str, reading: LabelledReading) -> list[ChoiceExample]:
    """Read examples.

    ::

        RACE       a folder of .txt files, such as train with middle and high in it
        COPA       .xml; or rows with premise, question, choice1, choice2, label
        SWAG       rows with sent1, sent2, ending0, ending1, ..., label
        one's own  rows with text, choice0, choice1, ... or a list as choices, and label

    A label is the place of the right choice, from 0; in COPA's .xml from 1, in RACE a letter. A
    text may be left out where the choices say it all.

    Args:
        source: A folder, or as for `read_table`.
        reading: Columns of the text and the label, where they have other names.

    Raises:
        UserError: If a column is missing, or a label is no place. Names the line.
    """
    if reading.pair_column is not None:
        remedy = "The choices are the second texts: choice0, choice1, ..., or a list as choices."
        raise must("data.reading.pair_column", "be left out", reading.pair_column, remedy)
    path = Path(source)
    if path.is_dir():
        return read_race(path)
    if path.suffix == ".xml":
        return read_copa_xml(path)
    return [choices_of_row(row, reading) for row in read_table(source, reading)]


def choices_of_row(row: TableRow, reading: LabelledReading) -> ChoiceExample:
    """Read a row of any form; the hub's copy of RACE has one for each question.

    Raises:
        UserError: As `read_choices`.
    """
    is_race = set(row.values) >= RACE_COLUMNS and reading == LabelledReading()
    return race_of_row(row) if is_race else row_example(row, reading)
