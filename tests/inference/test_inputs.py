"""Texts that can't be read: what is wrong with them, in words that the commands know."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lit_roberta.errors import UserError
from lit_roberta.inference.inputs import read_pair_windows, read_windows

ROWS = json.dumps({"words": "a", "good": "b", "text": 3}) + "\n"
HALF = json.dumps({"text": "\ud800", "good": "\ud800", "bad": "b"}) + "\n"


def refused(path: Path, *, pairs: bool) -> str:
    with pytest.raises(UserError) as error:
        list(
            read_pair_windows(str(path), columns=("good", "bad"))
            if pairs
            else read_windows(str(path))
        )
    return str(error.value)


@pytest.mark.parametrize(
    ("name", "data", "pairs", "advice"),
    [
        ("it.csv", b"words\na\n", False, "Give one of them as --text-column."),
        ("it.csv", b"words,bad\na,b\n", True, "Give one of them as --good-column."),
        ("it.csv", b"good,words\na,b\n", True, "Give one of them as --bad-column."),
        ("it.jsonl", ROWS.encode(), False, "Give a column of text as --text-column, or leave"),
        ("it.jsonl", ROWS.encode(), True, "Give one of them as --bad-column."),
        ("it.jsonl", HALF.encode(), False, "half of a surrogate pair. Repair the row."),
        ("it.jsonl", HALF.encode(), True, "half of a surrogate pair. Repair the row."),
        ("it.txt", b"caf\xe9\n", False, "Convert it, as by iconv -t UTF-8."),
        ("it.txt", b"a\tcaf\xe9\n", True, "Convert it, as by iconv -t UTF-8."),
        ("it.tsv", b"good\tbad\na\tcaf\xe9\n", True, "Convert it, as by iconv -t UTF-8."),
        ("it.txt", "a".encode("utf-16"), False, "Convert it, as by iconv -f utf-16 -t UTF-8."),
        ("it.csv", "a".encode("utf-32"), True, "Convert it, as by iconv -f utf-32 -t UTF-8."),
    ],
)
def test_advice_is_what_the_commands_can_be_given(
    tmp_path: Path, name: str, data: bytes, pairs: bool, advice: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    line = refused(path, pairs=pairs)
    assert advice in line
    assert "data." not in line.replace(str(path), "")
    assert len(line.splitlines()) == 1
