"""Vectors to files, window by window, and to standard output.

In: texts and their vectors. Out: `.npy` (an array of vectors), `.parquet` (columns `text` and
`vector`) or `.jsonl` (a line `{"text": ..., "vector": [...]}`); for tokens, `tokens` and
`vectors`. A file is there in whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from jaxtyping import Float32

from lit_roberta.errors import must
from lit_roberta.inference.encoding import TokenVectors
from lit_roberta.inference.output_files import check_output, opened_output
from lit_roberta.inference.pipes import to_json, write_line

Vectors = Float32[np.ndarray, "texts hidden"] | list[TokenVectors]
Write = Callable[[Sequence[str], Vectors], None]
"""Takes texts and their vectors, in order."""


def check_vectors(output: str | None, *, tokens: bool, overwrite: bool) -> None:
    """See that the output can be written, before any work is done for it.

    Args:
        output: The file; None for standard output.
        tokens: Whether there is a vector for each token.
        overwrite: Whether a file that is there may go.

    Raises:
        UserError: If its kind is not known or can't hold that, if its folder is missing, or if
            there is something already.
    """
    check_output(output, kinds=list(_WRITERS), overwrite=overwrite)
    if tokens and output is not None and Path(output).suffix.lower() == ".npy":
        remedy = "Texts have different numbers of tokens, and an array has not: take .parquet."
        raise must("--output", "end in .parquet or .jsonl for tokens", output, remedy)


@contextmanager
def vectors_to(output: str | None, *, width: int) -> Iterator[Write]:
    """Open the output.

    Args:
        output: A file that `check_vectors` has seen; None for lines of JSON on standard output.
        width: Numbers of a vector.

    Raises:
        UserError: If the system does not take the file.
    """
    if output is None:
        yield lambda texts, vectors: _write_lines(write_line, texts, vectors)
        return
    writer = _WRITERS[Path(output).suffix.lower()]
    with opened_output(output) as file, writer(file, width) as write:
        yield write


@contextmanager
def _array(file: IO[bytes], width: int) -> Iterator[Write]:
    """Append rows behind a header, which leaves room for the number of rows that comes at last."""
    rows = 0

    def write_header() -> None:
        shape = (rows, width)
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)

    def write(texts: Sequence[str], vectors: Vectors) -> None:
        nonlocal rows
        assert isinstance(vectors, np.ndarray)
        file.write(np.ascontiguousarray(vectors, dtype="<f4").data)
        rows += len(vectors)

    write_header()
    start = file.tell()
    yield write
    file.seek(0)
    write_header()
    assert file.tell() == start, "the header does not keep its size"


@contextmanager
def _lines(file: IO[bytes], width: int) -> Iterator[Write]:
    def write_one(line: str) -> None:
        file.write(line.encode() + b"\n")

    yield lambda texts, vectors: _write_lines(write_one, texts, vectors)


@contextmanager
def _parquet(file: IO[bytes], width: int) -> Iterator[Write]:
    # A large import, for those who ask.
    import pyarrow as arrow
    from pyarrow import parquet

    writer: Any = None

    def write(texts: Sequence[str], vectors: Vectors) -> None:
        nonlocal writer
        columns = _columns(texts, vectors, width)
        table = arrow.table(columns)
        if writer is None:
            writer = parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)

    try:
        yield write
        if writer is None:
            write([], np.empty((0, width), dtype=np.float32))
    finally:
        if writer is not None:
            writer.close()


def _columns(texts: Sequence[str], vectors: Vectors, width: int) -> Mapping[str, Any]:
    import pyarrow as arrow

    def fixed(array: np.ndarray) -> Any:
        return arrow.FixedSizeListArray.from_arrays(arrow.array(array.reshape(-1)), width)

    text = arrow.array(texts, type=arrow.string())
    if isinstance(vectors, np.ndarray):
        return {"text": text, "vector": fixed(vectors)}
    offsets = np.cumsum([0, *(len(one.tokens) for one in vectors)], dtype=np.int32)
    rows = fixed(np.concatenate([one.vectors for one in vectors]))
    return {
        "text": text,
        "tokens": arrow.array([one.tokens for one in vectors], type=arrow.list_(arrow.string())),
        "vectors": arrow.ListArray.from_arrays(offsets, rows),
    }


def _write_lines(write: Callable[[str], None], texts: Sequence[str], vectors: Vectors) -> None:
    for text, one in zip(texts, vectors, strict=True):
        if isinstance(one, TokenVectors):
            found = {"tokens": one.tokens, "vectors": [_numbers(row) for row in one.vectors]}
            write(to_json({"text": text} | found))
        else:
            write(to_json({"text": text, "vector": _numbers(one)}))


def _numbers(vector: Float32[np.ndarray, " hidden"]) -> list[float]:
    """Give the shortest decimal numbers that are the same in single precision."""
    return [float(str(number)) for number in vector]


_WRITERS = {".npy": _array, ".parquet": _parquet, ".jsonl": _lines}
