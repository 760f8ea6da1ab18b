"""Files as streams of bytes, whatever they are packed with.

In: a path. Out: its bytes, unpacked, a megabyte at a time; and what tells one state of a file from
another. It does not know what the bytes mean.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import zstandard

from lit_roberta.errors import UserError

COMPRESSED = (".gz", ".zst")
"""What is unpacked while it is read."""

_CHUNK = 1 << 20


def kind_of(path: Path) -> str:
    """Give the suffix that tells what a file holds, in lower case and without compression.

    Example:
        >>> kind_of(Path("a/rows.JSONL.gz")), kind_of(Path("notes.txt"))
        ('.jsonl', '.txt')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


@contextmanager
def open_bytes(path: Path) -> Iterator[io.BufferedIOBase]:
    """Open a file, unpacked.

    Raises:
        UserError: Here or while it is read, if it can't be read, or is not what its suffix says,
            or ends too early.
    """
    try:
        with io.BufferedReader(io.FileIO(path), _CHUNK) as file:
            suffix = path.suffix.lower()
            if suffix == ".gz":
                yield gzip.GzipFile(fileobj=file)
            elif suffix == ".zst":
                yield io.BufferedReader(_Zstandard(file), _CHUNK)
            else:
                yield file
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise UserError(
            f"{path} must be a whole {path.suffix} file, got one that is damaged or cut short. "
            f"Fetch or pack it again. ({error})"
        ) from error
    except OSError as error:
        raise UserError(f"{path} must be readable, got: {error.strerror}.") from error


class _Zstandard(io.RawIOBase):
    """Unpack Zstandard frames, and notice where the last one is cut short.

    The library's own reader takes the end of a file for the end of a frame.
    """

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._begun = False
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]  # any buffer
        while not self._left and self._unpack():
            pass
        count = min(len(view), len(self._left))
        view[:count] = self._left[:count]
        self._left = self._left[count:]
        return count

    def _unpack(self) -> bool:
        """Unpack some more; False at the end."""
        packed = self._frame.unused_data if self._frame.eof else b""
        packed = packed or self._file.read(_CHUNK >> 3)
        if not packed:
            if self._begun and not self._frame.eof:
                raise zstandard.ZstdError("the last frame is not complete")
            return False
        if self._frame.eof:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._begun = True
        self._left = self._frame.decompress(packed)
        return True


class FileState(NamedTuple):
    """What a file is: its content, and how the system knows that it was not touched."""

    path: str
    size: int
    """Bytes."""
    mtime_ns: int
    ctime_ns: int
    """Unlike the time of modification, nobody can set it back."""
    inode: int
    content: str
    """Hash of its bytes."""

    @classmethod
    def of(cls, path: Path) -> FileState:
        """Look at a file, and hash all of it."""
        before = _touched(path)  # not behind: it may be written to while it is hashed
        with path.open("rb") as file:
            content = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
        return cls(*before, content.hexdigest())

    def still_holds(self) -> bool:
        """Tell whether the file is what it was; it is read only where it may have been touched."""
        path = Path(self.path)
        if not path.is_file():
            return False
        return _touched(path) == self[:5] or FileState.of(path).content == self.content


def _touched(path: Path) -> tuple[str, int, int, int, int]:
    found = path.stat()
    return str(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
