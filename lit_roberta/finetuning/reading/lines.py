"""A file of lines for each label: its lines are the texts."""

from __future__ import annotations

from pathlib import Path

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.reading.config import LabelledReading


def read_lines_of_label(source: str, label: str, reading: LabelledReading) -> list[TextExample]:
    """Read texts of one label. Empty lines are none.

    Args:
        source: A text file; `.gz` and `.zst` are unpacked.
        label: Of all its lines.
        reading: How it is encoded.

    Raises:
        UserError: If there is no such file, or if it can't be decoded.
    """
    path = Path(source)
    if not path.is_file():
        raise must(f"the file of {label!r}", "exist", source, "Give the path of one.")
    return [
        TextExample(text=line.strip(), pair=None, label=label, place=f"{source}, line {number}")
        for number, line in enumerate(read_lines(path, reading.as_plain()), start=1)
        if line.strip()
    ]
