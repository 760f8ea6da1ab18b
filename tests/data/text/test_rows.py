from __future__ import annotations

import contextlib
import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from lit_roberta.data.text.decoding import split_lines
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.rows import jsonl_texts, read_rows
from lit_roberta.errors import UserError


def read(text: str, **settings: str) -> list[str]:
    reading = ReadingConfig(**settings)  # type: ignore[arg-type]  # keywords
    return list(jsonl_texts(split_lines(text), name="rows.jsonl", reading=reading))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text()), st.booleans())
def test_every_row_is_read_back(texts: list[str], ascii_only: bool) -> None:
    lines = [json.dumps({"text": text, "id": 1}, ensure_ascii=ascii_only) for text in texts]
    assert read("\r\n".join(lines)) == texts


def test_blank_lines_are_not_rows() -> None:
    assert read('\n{"text": "a"}\n \n{"text": ""}\n') == ["a", ""]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"text": "a"}\n{"text": ', "rows.jsonl, line 2, must be valid JSON, got '{\"text\":'."),
        ("[1]", "rows.jsonl, line 1, must be a JSON object, got '[1]'."),
        (
            '{"passage": "a", "label": 1}',
            "rows.jsonl, line 1, must have the column 'text', got the columns passage, label. "
            "Give one of them as data.reading.text_column.",
        ),
        ("{}", "got the columns none."),
        ('{"text": null}', "must hold text in the column 'text', got null."),
        ('{"text": ["a"]}', 'got ["a"].'),
        ('{"text": "a \\ud800"}', "must be text, got \\ud800, half of a surrogate pair."),
        ("[" * 100_000, "must be valid JSON"),
        ('{"text": ' + "9" * 5000 + "}", "must be valid JSON"),
    ],
)
def test_a_row_that_can_not_be_read_is_named(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_column_is_read_if_named() -> None:
    assert read('{"passage": "a"}', text_column="passage") == ["a"]


def test_half_a_surrogate_pair_is_replaced_if_asked() -> None:
    assert read('{"text": "a\\ud800b"}', errors="replace") == ["a\ufffdb"]


def read_file(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    return list(read_rows(path, ReadingConfig()))


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"))))
def test_every_separated_row_is_read_back(
    suffix: str, texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = io.StringIO(newline="")
    delimiter = {".csv": ",", ".tsv": "\t"}[suffix]
    csv.writer(file, delimiter=delimiter).writerows([["text", "id"], *((t, 1) for t in texts)])
    path = tmp_path_factory.mktemp("rows") / f"a{suffix}"
    assert read_file(path, file.getvalue().encode()) == texts


def test_the_ends_of_lines_in_a_quoted_field_are_those_of_text(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbfid,text\r\n1,"one\r\ntwo, ""three"""\r\n\r\n2,four\r\n'
    assert read_file(tmp_path / "a.csv", data) == ['one\ntwo, "three"', "four"]


def test_a_field_may_be_longer_than_an_article(tmp_path: Path) -> None:
    assert read_file(tmp_path / "a.csv", b"text\n" + b"a" * 300_000) == ["a" * 300_000]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'text,id\na,1\n"b,2\nc,3\n', "a.csv, line 4, must be a row of separated values"),
        (b'text,id\na,1\n"b"x,2\n', "a.csv, line 3, must be a row of separated values"),
        (b"text,id\na,1\nb\n", "a.csv, line 3, must have 2 fields as the first line has, got 1."),
        (b"text,id\na,1,2\n", "a.csv, line 2, must have 2 fields as the first line has, got 3."),
        (b"passage,id\na,1\n", "line 1, must have the column 'text', got the columns passage, id"),
        (b"text\na\n\xff\n", "must be utf-8 text, got byte 0xFF at offset 7 (line 3)"),
        (b"text\n\0\n", "must be a text file, got a zero byte at offset 5"),
    ],
)
def test_a_separated_row_that_can_not_be_read_is_named(
    tmp_path: Path, data: bytes, words: str
) -> None:
    with pytest.raises(UserError) as caught:
        read_file(tmp_path / "a.csv", data)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_a_column_that_is_there_twice_is_refused_if_it_is_meant(
    tmp_path: Path, suffix: str
) -> None:
    names = ["text", "id", "id", "text"]
    if suffix == ".parquet":
        file = io.BytesIO()
        columns = [pyarrow.array([letter]) for letter in "abcd"]
        parquet.write_table(pyarrow.Table.from_arrays(columns, names=names), file)
        data = file.getvalue()
    else:
        mark = {".csv": ",", ".tsv": "\t"}[suffix]
        data = "\n".join([mark.join(names), mark.join("abcd")]).encode()
    with pytest.raises(UserError, match=r"must have the column 'text' once, got the columns text"):
        read_file(tmp_path / f"rows{suffix}", data)


def parquet_of(**columns: Any) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file, compression="snappy")
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (parquet_of(passage=["a"], id=[1]), "must have the column 'text', got the columns passag"),
        (
            parquet_of(text=["a", None]),
            "a.parquet, row 2, must hold text in the column 'text', got",
        ),
        (parquet_of(text=[1, 2]), "a.parquet, row 1, must hold text in the column 'text', got 1."),
        (parquet_of(text=[b"a"]), "a.parquet, row 1, must hold text in the column 'text', got"),
        (parquet_of(text=[{"a": "b"}]), "a.parquet, row 1, must hold text in the column 'text',"),
        (b"just text", "a.parquet must be a Parquet file, and can't be read as one: "),
        (b"", "a.parquet must be a Parquet file, and can't be read as one: "),
        (parquet_of(text=["a"] * 50)[:-20], "a.parquet must be a Parquet file, and can't be read"),
    ],
)
def test_a_parquet_file_that_can_not_be_read_is_named(
    tmp_path: Path, data: bytes, words: str
) -> None:
    with pytest.raises(UserError) as caught:
        read_file(tmp_path / "a.parquet", data)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "None" not in str(caught.value)


@pytest.mark.parametrize("offset", range(4, 400, 11))
def test_a_parquet_file_that_is_damaged_inside_is_an_error_or_text(
    tmp_path: Path, offset: int
) -> None:
    data = bytearray(parquet_of(text=[f"The cat {number} sat." for number in range(100)]))
    data[offset : offset + 8] = bytes(255 - byte for byte in data[offset : offset + 8])
    with contextlib.suppress(UserError):
        assert all(
            isinstance(text, str) for text in read_file(tmp_path / "a.parquet", bytes(data))
        )


def test_a_parquet_file_of_long_and_repeated_strings_is_read(tmp_path: Path) -> None:
    for kind in (pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())):
        text = pyarrow.array(["a", "b", "a"], pyarrow.string()).cast(kind)
        assert read_file(tmp_path / "a.parquet", parquet_of(text=text)) == ["a", "b", "a"]
