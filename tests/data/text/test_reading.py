from __future__ import annotations

import codecs
import io
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.text import decoding
from lit_roberta.data.text.decoding import split_lines
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError


def decode(data: bytes, *, name: str, reading: ReadingConfig) -> str:
    file = io.BufferedReader(io.BytesIO(data))
    return "".join(decoding.decode(file, name=name, reading=reading))


def test_lines_end_at_newlines_and_returns_and_nothing_else() -> None:
    text = "a\u2028b\u2029c\x0bd\x0ce\x1cf\x85g\nlone\rwindows\r\n\nlast"
    assert split_lines(text) == [
        "a\u2028b\u2029c\x0bd\x0ce\x1cf\x85g",
        "lone",
        "windows",
        "",
        "last",
    ]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n")), min_size=1))
def test_joined_lines_are_read_back(lines: list[str]) -> None:
    for end in ("\n", "\r\n", "\r"):
        assert split_lines(end.join(lines)) == lines


def test_a_byte_order_mark_is_dropped() -> None:
    data = codecs.BOM_UTF8 + "caf\u00e9".encode()
    assert decode(data, name="x", reading=ReadingConfig()) == "caf\u00e9"


def test_an_encoding_that_is_named_is_used() -> None:
    assert decode(b"50\xa2", name="x", reading=ReadingConfig(encoding="cp1252")) == "50\u00a2"
    utf16 = "caf\u00e9".encode("utf-16")
    assert decode(utf16, name="x", reading=ReadingConfig(encoding="utf-16")) == "caf\u00e9"


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_a_byte_that_does_not_fit_is_named_with_its_place(mark: bytes) -> None:
    data = mark + b"one\ntwo \xa2 three"
    with pytest.raises(UserError) as caught:
        decode(data, name="speech.txt", reading=ReadingConfig())
    assert str(caught.value) == (
        f"speech.txt must be utf-8 text, got byte 0xA2 at offset {len(mark) + 8} (line 2). "
        "Give its data.reading.encoding (cp1252 is common), or data.reading.errors: replace."
    )


def test_bytes_that_do_not_fit_are_replaced_if_asked() -> None:
    assert decode(b"a\xa2b", name="x", reading=ReadingConfig(errors="replace")) == "a\ufffdb"


def test_a_binary_file_is_refused_by_name() -> None:
    with pytest.raises(
        UserError, match=r"^weights\.bin must be a text file, got a zero byte at off"
    ):
        decode(b"PK\x03\x00", name="weights.bin", reading=ReadingConfig(errors="replace"))
    with pytest.raises(
        UserError, match=r"got a UTF-16 byte order mark\. Give data\.reading\.encoding: ut"
    ):
        decode("a".encode("utf-16"), name="x", reading=ReadingConfig())


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize(
    ("mark", "family"),
    [
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
    ],
)
def test_a_mark_of_another_encoding_is_named(encoding: str, mark: bytes, family: str) -> None:
    order = "le" if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF32_LE) else "be"
    data = mark + "Some text.".encode(f"{family}-{order}")
    if encoding.startswith(family):
        return
    with pytest.raises(UserError) as caught:
        decode(data, name="x", reading=ReadingConfig(encoding=encoding))
    assert str(caught.value) == (
        f"x must be {encoding} text, got a {family.upper()} byte order mark. "
        f"Give data.reading.encoding: {family}."
    )
    assert decode(data, name="x", reading=ReadingConfig(encoding=family)) == "Some text."


@pytest.mark.parametrize("errors", ["strict", "replace"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "latin-1", "utf-7", "utf-16", "utf-16-be", "utf-32", "utf-32-le"]
)
def test_a_nul_is_binary_in_every_encoding(
    encoding: str, errors: Literal["strict", "replace"]
) -> None:
    data = "one\ntwo \0 three".encode(encoding)
    with pytest.raises(UserError, match=r"^x must be a text file, got .*: it is binary\. Give pl"):
        decode(data, name="x", reading=ReadingConfig(encoding=encoding, errors=errors))


@pytest.mark.parametrize(
    "encoding", ["idna", "IDNA", "undefined", "punycode", "utf\08", "", "rot13", "hex", "\udc80"]
)
def test_a_codec_that_is_not_for_files_is_refused(encoding: str) -> None:
    words = "data.reading.encoding must be the name of a text encoding, got "
    with pytest.raises(UserError, match=words):
        ReadingConfig(encoding=encoding)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (
            {"encoding": "utf-9"},
            "data.reading.encoding must be the name of a text encoding, got 'utf-9'",
        ),
        ({"encoding": "base64"}, "data.reading.encoding must be the name of a text encoding"),
        ({"language": "english"}, "data.reading.language must be an ISO 639 code, got 'english'"),
        ({"document_boundary": ""}, "data.reading.document_boundary must be a name or a pattern"),
        (
            {"document_boundary": "blank_lines"},
            "data.reading.document_boundary must be auto, blank-line, file, row, wikitext, "
            "gutenberg or a regular expression, got 'blank_lines'. Did you mean blank-line?",
        ),
        ({"document_boundary": "rows"}, "Did you mean row?"),
        ({"document_boundary": "("}, "As a regular expression it fails: missing ), unterminated"),
    ],
)
def test_a_setting_that_can_not_work_is_refused(setting: dict[str, str], words: str) -> None:
    with pytest.raises(UserError) as caught:
        ReadingConfig(**setting)  # type: ignore[arg-type]  # the values are what is tested
    assert words in str(caught.value)
