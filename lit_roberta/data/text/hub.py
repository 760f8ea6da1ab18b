"""Datasets of the Hugging Face hub, read as a stream: nothing is downloaded as a whole.

A name is `hub:OWNER/NAME`, `hub:OWNER/NAME:CONFIGURATION`, and either with `@SPLIT` behind it
(`@train` otherwise). A folder in the place of the name is read as the library reads a local one.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.rows import checked_text
from lit_roberta.errors import UserError, must

HUB = "hub:"
_NAME = re.compile(r"hub:(?P<name>[^:@]+)(:(?P<configuration>[^@]+))?(@(?P<split>.+))?")


def read_hub(source: str, reading: ReadingConfig) -> Iterator[str]:
    """Read the text of every row of a split.

    Args:
        source: As the module says.
        reading: Its `text_column` is used.

    Raises:
        UserError: If there is no such dataset, no way to it, or no such column.
    """
    for number, row in enumerate(read_hub_rows(source), start=1):
        yield _text(row, place=f"{source}, row {number},", reading=reading)


def read_hub_rows(source: str) -> Iterator[dict[str, Any]]:
    """Read every row of a split.

    Args:
        source: As the module says.

    Raises:
        UserError: If there is no such dataset, or no way to it.
    """
    found = _parse(source)
    # Imported late: it costs seconds, and most corpora are files.
    import datasets

    # What is wrong is said once, by the error, and not at every one of the library's attempts.
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    try:
        yield from datasets.load_dataset(
            found["name"], found["configuration"], split=found["split"] or "train", streaming=True
        )
    except UserError:
        raise
    except Exception as error:
        # Of the library, of the network below it, and of the readers that it chooses.
        reason = " ".join(str(error).split())[:200]
        raise must("the dataset", "be within reach", source, reason) from error


def local_files(source: str) -> list[Path]:
    """List the files of a dataset that is a local folder; none where it is on the hub.

    Raises:
        UserError: If it is no name of a dataset.
    """
    folder = Path(_parse(source)["name"])
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else []


def _parse(source: str) -> re.Match[str]:
    found = _NAME.fullmatch(source)
    if found is None:
        remedy = "Write hub:OWNER/NAME, hub:OWNER/NAME:CONFIGURATION, or either with @SPLIT."
        raise must("the dataset", "be named as one", source, remedy)
    return found


def _text(row: dict[str, object], *, place: str, reading: ReadingConfig) -> str:
    if reading.text_column not in row:
        raise UserError(
            f"{place} must have the column {reading.text_column!r}, got the columns "
            f"{', '.join(row) or 'none'}. Give one of them as data.reading.text_column."
        )
    return checked_text(row[reading.text_column], place=place, reading=reading)
