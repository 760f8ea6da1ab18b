"""Minimal pairs: a good sentence beside a bad one that differs in as little as possible.

In: the pairs of the package, or a file of one's own. Out: pairs with the phenomenon that they are
about. Nothing here knows a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.data.text.files import kind_of
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.tables import TableRow, read_table
from lit_roberta.finetuning.reading.texts import checked_text

GOOD, BAD = "sentence_good", "sentence_bad"
"""Columns, as BLiMP names them."""
_PHENOMENON = ("phenomenon", "linguistics_term", "UID")
"""The first of them that is there names the phenomenon; the last two are BLiMP's."""
_UNNAMED = "all"


class MinimalPair(NamedTuple):
    """Two sentences of which a model should find the first more likely."""

    good: str
    bad: str
    phenomenon: str


def built_in_pairs() -> list[MinimalPair]:
    """Give the package's own pairs.

    More than half of them are of words of the toy corpus alone, so that a model of its words can
    be asked. In these, good sentences have the more frequent words as often as bad ones have:
    whoever knows frequencies alone is right by chance.
    """
    file = resources.files("lit_roberta.probing") / "minimal_pairs.tsv"
    header, *lines = file.read_text("utf-8").splitlines()
    names = header.split("\t")
    rows = [dict(zip(names, line.split("\t"), strict=True)) for line in lines]
    return [MinimalPair(row[GOOD], row[BAD], row["phenomenon"]) for row in rows]


def read_pairs(source: str) -> list[MinimalPair]:
    """Read pairs.

    Args:
        source: Rows with columns `sentence_good` and `sentence_bad`, as BLiMP's .jsonl files have
            them; or lines of two sentences with a tab between them, the good one first.

    Raises:
        UserError: If there is no such file, or no pair in it, or a row is none. Names the line.
    """
    rows = list(read_table(source, _reading(source)))
    pairs = [_pair(row) for row in rows]
    if not pairs:
        remedy = "Write a good and a bad sentence a line, with a tab between them."
        raise must("the file of minimal pairs", "hold at least one", source, remedy)
    return pairs


def _reading(source: str) -> LabelledReading:
    """See if the first line of a table names its columns."""
    path = Path(source)
    if not path.is_file() or kind_of(path) not in (".tsv", ".txt"):
        return LabelledReading()
    first = next(iter(read_lines(path, ReadingConfig())), "")
    return LabelledReading(header=GOOD in first.split("\t"))


def _pair(row: TableRow) -> MinimalPair:
    values, place = row
    if list(values) == ["1", "2"]:  # without a header
        values = {GOOD: values["1"], BAD: values["2"]}
    for name in (GOOD, BAD):
        if name not in values:
            raise UserError(
                f"{place}, must have the columns {GOOD} and {BAD}, got {', '.join(values)}. Or "
                "give lines of two sentences with a tab between them."
            )
    good, bad = (checked_text(values[name], name, place) for name in (GOOD, BAD))
    if good == bad:
        raise must(f"{place},", "hold two sentences that differ", good, "Repair the row.")
    return MinimalPair(good, bad, _phenomenon(values))


def _phenomenon(values: Mapping[str, Any]) -> str:
    named = (str(values[name]) for name in _PHENOMENON if values.get(name))
    return next(named, _UNNAMED)
