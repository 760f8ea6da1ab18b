"""WiC and WSC: questions about words of a text, which stand between asterisks.

::

    WiC  *bank*: He sat on the *bank*. / The *bank* lent it.   do both mean the same?
    WSC  Ann thanked Eve for what *she* had done. / Eve        is that who it is?

Source: Wang et al. 2019 (SuperGLUE) for the files; the asterisks are as in Raffel et al. 2020.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.benchmarks.layout import Notes, PartName
from lit_roberta.finetuning.benchmarks.rows import (
    PLAIN,
    name_of,
    refuse_columns,
    require_columns,
)
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.tables import TableRow, read_table
from lit_roberta.finetuning.reading.texts import checked_text, label_name

LABELS = ("false", "true")

_WORD = re.compile(r"\S+")


def read_wic(path: Path, part: PartName, notes: Notes) -> list[TextExample]:
    """Read pairs of sentences with a word in both.

    Raises:
        UserError: If a row is none of WiC's. Names the line.
    """
    return [_wic(row, is_labelled=part != "test") for row in read_table(str(path), PLAIN)]


def read_wsc(path: Path, part: PartName, notes: Notes) -> list[TextExample]:
    """Read texts with a pronoun, beside whom it may stand for.

    Raises:
        UserError: If a row is none of WSC's. Names the line.
    """
    return [_wsc(row, is_labelled=part != "test") for row in read_table(str(path), PLAIN)]


def wic_of_row(row: TableRow, reading: LabelledReading) -> list[TextExample]:
    """Read a row of one's own, or of the hub's copy, which has the same columns.

    Raises:
        UserError: If it is none of WiC's.
    """
    refuse_columns(row, reading)
    return [_wic(row, is_labelled=False)]


def wsc_of_row(row: TableRow, reading: LabelledReading) -> list[TextExample]:
    """Read a row of one's own, or of the hub's copy, where the target's entries are columns.

    Raises:
        UserError: If it is none of WSC's.
    """
    refuse_columns(row, reading)
    whole = (
        row
        if "target" in row.values
        else row._replace(values={**row.values, "target": row.values})
    )
    return [_wsc(whole, is_labelled=False)]


def truth(row: TableRow, *, is_labelled: bool) -> str | None:
    """Read a label that is true or false; None where a part has none.

    Raises:
        UserError: If it is neither, or missing where it must not.
    """
    if is_labelled:
        require_columns(row, ["label"])
    name = label_name(row.values.get("label"), "label", row.place)
    return None if name is None else name_of(name, LABELS, row.place)


def _wic(row: TableRow, *, is_labelled: bool) -> TextExample:
    require_columns(row, ["word", "sentence1", "sentence2", "start1", "end1", "start2", "end2"])
    word = checked_text(row.values["word"], "word", row.place)
    first, second = (_mark_span(row, number) for number in "12")
    return TextExample(
        text=f"{word}: {first}",
        pair=second,
        label=truth(row, is_labelled=is_labelled),
        place=row.place,
    )


def _mark_span(row: TableRow, number: str) -> str:
    values, place = row
    column = f"sentence{number}"
    text = checked_text(values[column], column, place)
    start, end = values[f"start{number}"], values[f"end{number}"]
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
        rule = f"lie within the {len(text)} characters of {column}"
        raise must(f"{place}, start{number} and end{number},", rule, (start, end), "Repair them.")
    return f"{text[:start]}*{text[start:end]}*{text[end:]}"


def _wsc(row: TableRow, *, is_labelled: bool) -> TextExample:
    require_columns(row, ["text", "target"])
    values, place = row
    text = checked_text(values["text"], "text", place)
    target = values["target"]
    names = ("span1_text", "span2_text", "span2_index")
    if not isinstance(target, Mapping) or not all(name in target for name in names):
        raise must(f"{place}, target,", f"hold {', '.join(names)}", target, "Repair the row.")
    return TextExample(
        text=_mark_pronoun(text, target, place),
        pair=checked_text(target["span1_text"], "span1_text", place),
        label=truth(row, is_labelled=is_labelled),
        place=place,
    )


def _mark_pronoun(text: str, target: Mapping[str, Any], place: str) -> str:
    """Mark a pronoun where its number among the words says; the nearest one where that is off."""
    pronoun = checked_text(target["span2_text"], "span2_text", place)
    index = target["span2_index"]
    starts = [found.start() for found in _WORD.finditer(text)]
    if not isinstance(index, int) or not 0 <= index < len(starts):
        rule = f"be the number of one of {len(starts)} words"
        raise must(f"{place}, span2_index,", rule, index, "Repair the row.")
    pattern = rf"(?<!\w){re.escape(pronoun)}(?!\w)"
    spans = [found.span() for found in re.finditer(pattern, text, re.IGNORECASE)]
    if not pronoun or not spans:
        raise must(f"{place}, span2_text,", "be words of the text", pronoun, "Repair the row.")
    start, end = min(spans, key=lambda span: abs(span[0] - starts[index]))
    return f"{text[:start]}*{text[start:end]}*{text[end:]}"
