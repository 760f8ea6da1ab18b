r"""From bytes to lines.

In: bytes of a file, unpacked. Out: its lines, one at a time. Lines end at \n, \r\n or a lone \r
and nothing else: `str.splitlines` also cuts at form feeds, U+2028 and six more, which text from
the web holds inside of sentences; labels and line numbers then no longer fit.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from lit_roberta.data.text.files import open_bytes
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError, must

# In this order: UTF-32's little-endian mark begins with that of UTF-16.
_MARKS = (
    ("utf-32", (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    ("utf-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
)
_WIDE = ("utf-16", "utf-32")
_CHUNK = 1 << 20


def read_lines(path: Path, reading: ReadingConfig) -> Iterator[str]:
    """Read a text file line by line.

    Args:
        path: The file; `.gz` and `.zst` are unpacked.
        reading: Its `encoding` and `errors` are used.

    Yields:
        Lines without their ends; without byte order mark.

    Raises:
        UserError: If the file can't be read, is binary, or a byte does not fit the encoding.
    """
    with open_bytes(path) as file:
        encoding = _encoding(file, str(path), reading)
        packed = cast(IO[bytes], file)
        lines = io.TextIOWrapper(packed, encoding, reading.errors, newline=None)
        try:
            for line in lines:
                if "\0" in line:
                    break
                yield line.removesuffix("\n")
            else:
                return
        except UnicodeDecodeError:
            pass
    if not path.is_file():
        # What comes out of a pipe comes once, and a second look would wait for more.
        rule = f"be {codecs.lookup(reading.encoding).name} text without NUL characters"
        raise must(str(path), rule, "something else", reading.advice.undecodable)
    # What is wrong was found in a buffer of the library's; a second look says where it stands.
    with open_bytes(path) as file:
        for _ in decode(file, name=str(path), reading=reading):
            pass
    raise AssertionError(f"{path} changed while it was read")


def decode(file: io.BufferedIOBase, *, name: str, reading: ReadingConfig) -> Iterator[str]:
    """Turn the bytes of a file into text, a piece at a time.

    Args:
        file: Its bytes, from the first one.
        name: The file, for messages.
        reading: Its `encoding` and `errors` are used.

    Raises:
        UserError: If the file is binary, or a byte does not fit the encoding; says where.
    """
    encoding = codecs.lookup(_encoding(file, name, reading)).name
    decoder = codecs.getincrementaldecoder(encoding)(reading.errors)
    fed = characters = line_ends = 0
    while True:
        chunk = file.read(_CHUNK)
        if not encoding.startswith(_WIDE) and b"\0" in chunk:
            raise _binary(name, f"a zero byte at offset {fed + chunk.index(0)}")
        fed += len(chunk)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            raise _undecodable(error, name, reading, fed=fed, lines=line_ends) from error
        if "\0" in text:
            raise _binary(name, f"a NUL character at character {characters + text.index(chr(0))}")
        characters += len(text)
        line_ends += _line_ends(text)
        yield text
        if not chunk:
            return


def split_lines(text: str) -> list[str]:
    r"""Cut a text into lines.

    Example:
        >>> split_lines("one\r\ntwo\rthree\u2028still three\n")
        ['one', 'two', 'three\u2028still three', '']
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _encoding(file: io.BufferedIOBase, name: str, reading: ReadingConfig) -> str:
    """Refuse a file whose byte order mark is that of another encoding; drop UTF-8's own."""
    encoding = codecs.lookup(reading.encoding).name
    head = file.peek(4)[:4]  # type: ignore[attr-defined]  # what is opened here is buffered
    marked = next((family for family, marks in _MARKS if head.startswith(marks)), None)
    if marked is not None and not encoding.startswith(marked):
        raise UserError(
            f"{name} must be {encoding} text, got a {marked.upper()} byte order mark. "
            f"{reading.advice.encoding.format(marked)}"
        )
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _line_ends(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _binary(name: str, found: str) -> UserError:
    return UserError(f"{name} must be a text file, got {found}: it is binary. Give plain text.")


def _undecodable(
    error: UnicodeDecodeError, name: str, reading: ReadingConfig, *, fed: int, lines: int
) -> UserError:
    # The decoder keeps what a piece ends with and may not be complete: count from the end.
    offset = fed - len(error.object) + error.start
    before = error.object[: error.start].decode(error.encoding, "replace")
    encoding = error.encoding.removesuffix("-sig")
    return UserError(
        f"{name} must be {encoding} text, got byte 0x{error.object[error.start]:02X} at offset "
        f"{offset} (line {lines + _line_ends(before) + 1}). {reading.advice.undecodable}"
    )
