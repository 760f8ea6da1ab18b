"""`lit-roberta prepare` on 10, 100 and 1,000 MB of text: time, and memory of all its processes.

And the encoding alone beside the `encode_batch` of the `tokenizers` library, with the same number
of processors, in turns.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.corpora import write_text
from benchmarks.memory import Measured, measure
from benchmarks.timing import seconds
from lit_roberta.data.corpus.corpus import read_corpus
from lit_roberta.data.corpus.split import TRAIN
from lit_roberta.data.preparation.encoding import Shelf, encode_shelves
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.data.work import num_processors

FLAT, LINEAR, ENCODING = 1.3, 1.2, 0.8
"""Memory of the largest text over that of the smallest; time a megabyte likewise; and the speed of
encoding over that of the library: the targets."""

_SIZES, _ENCODED = (10, 100, 1000), 50
"""Megabytes."""

_KIND = ("--tokenizer.kind=bytelevel-bpe", "--tokenizer.vocab_size=8192")


def prepare(folder: Path, *, megabytes: int, workers: int) -> Measured:
    """Write a text, prepare it by the command, and take both away again."""
    text, output = folder / "text", folder / "prepared"
    write_text(text, num_bytes=megabytes * 1_000_000)
    command = [sys.executable, "-m", "lit_roberta", "prepare", f"--corpus={text}"]
    try:
        return measure(
            [*command, f"--output={output}", f"--workers={workers}", *_KIND],
            environment={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
    finally:
        shutil.rmtree(text)
        shutil.rmtree(output, ignore_errors=True)


def compare_encoding(folder: Path, *, megabytes: int, workers: int) -> tuple[float, float]:
    """Encode a text that was read before: by us into files, by the library into memory.

    Returns:
        Seconds of ours, the start of its processes and the writing included, and of theirs.
    """
    write_text(folder / "text", num_bytes=megabytes * 1_000_000)
    corpus = read_corpus(
        str(folder / "text"), ReadingConfig(), folder / "read", workers=workers
    ).documents
    sentences = list(chain.from_iterable(corpus))
    config = TokenizerConfig(kind="bytelevel-bpe", vocab_size=8192)
    tokenizer = Tokenizer.train(sentences, config)
    shelf = Shelf(corpus, np.full(len(corpus), TRAIN, np.uint8), 0)
    rounds = iter(range(10**6))

    def ours() -> None:
        encode_shelves(
            [shelf],
            tokenizer,
            folder / f"encoded-{next(rounds)}",
            workers=workers,
            on_progress=lambda size: None,
        )

    backend = tokenizer._backend
    return tuple(  # type: ignore[return-value]  # two rivals, two medians
        seconds(ours, lambda: backend.encode_batch(sentences, add_special_tokens=False), rounds=3)
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table that is asked for; both where none is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", help="Megabytes of texts to prepare.")
    parser.add_argument("--encoding", type=int, help="Megabytes to encode.")
    parser.add_argument("--workers", type=int, default=num_processors())
    asked = parser.parse_args(list(arguments))
    os.environ["RAYON_NUM_THREADS"] = str(asked.workers)  # of the library
    sizes, encoding = asked.sizes, asked.encoding
    if sizes is None and encoding is None:
        sizes, encoding = _SIZES, _ENCODED
    if sizes:
        _print_prepared(sizes, workers=asked.workers)
    if encoding:
        _print_encoded(encoding, workers=asked.workers)


def _print_prepared(sizes: Sequence[int], *, workers: int) -> None:
    print(f"prepare, {workers} processes beside the main one")
    print(f"{'MB':>6} {'s':>8} {'MB/s':>6} {'resident MB':>12} {'without files':>14}")
    found = []
    for megabytes in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measured = prepare(Path(folder), megabytes=megabytes, workers=workers)
        found.append(measured)
        print(
            f"{megabytes:>6} {measured.seconds:>8.1f} {megabytes / measured.seconds:>6.1f} "
            f"{measured.peak / 1e6:>12.0f} {measured.peak_anonymous / 1e6:>14.0f}",
            flush=True,
        )
    first, last = found[0], found[-1]
    growth = sizes[-1] / sizes[0]
    print(
        f"memory grows {last.peak / first.peak:.2f} times (without files "
        f"{last.peak_anonymous / first.peak_anonymous:.2f}; target {FLAT}), time a megabyte "
        f"{last.seconds / first.seconds / growth:.2f} times (target {LINEAR})"
    )


def _print_encoded(megabytes: int, *, workers: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = compare_encoding(Path(folder), megabytes=megabytes, workers=workers)
    print(
        f"encoding {megabytes} MB: ours {megabytes / ours:.1f} MB/s, encode_batch "
        f"{megabytes / theirs:.1f} MB/s, {theirs / ours:.2f} times (target {ENCODING})"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
