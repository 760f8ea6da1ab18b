"""Packing a text on disk into files: time, and memory that does not grow with the text.

The text is random numbers in sentences of about 25 tokens, in documents of about 20 sentences.
Each packing is a process of its own, whose start counts.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.memory import measure
from lit_roberta.data.examples.packing import Format, PackingConfig, pack
from lit_roberta.data.preparation.formats import FORMATS
from lit_roberta.data.tokens.encoding import Encoded
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.writing import CorpusWriter

FLAT = 1.3
"""Memory for the largest text over that for the smallest: the target."""

_BLOCK = 1 << 18
"""Sentences that are written together."""
_PACK = "--pack"


def write_corpus(folder: Path, *, num_sentences: int) -> None:
    """Write a training text of so many sentences."""
    generator = np.random.default_rng(0)
    with CorpusWriter(folder) as writer:
        for first in range(0, num_sentences, _BLOCK):
            count = min(_BLOCK, num_sentences - first)
            lengths = np.minimum(generator.geometric(1 / 25, count), 300)
            documents = generator.integers(1, 40, count)
            documents = documents[: np.searchsorted(np.cumsum(documents), count)]
            documents = np.append(documents, count - documents.sum())
            tokens = generator.integers(5, 8192, int(lengths.sum()), dtype=np.uint16)
            encoded = Encoded(tokens, np.ones(len(tokens), dtype=bool), lengths)
            writer.add(encoded, documents, np.zeros(len(documents), dtype=np.uint8))


def pack_into_files(folder: Path, format: Format, *, max_length: int) -> None:
    """Pack a text into a folder that goes afterwards, and say how large it was."""
    corpus = TokenizedCorpus.open(folder, np.dtype(np.uint16))
    config = PackingConfig(format=format, max_length=max_length)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        examples = pack(corpus, config, seed=0, folder=Path(name))
        size = sum(path.stat().st_size for path in Path(name).iterdir())
    row = f"{corpus.num_sentences:>12,} {format:>14} {len(examples):>12,} {size / 1e6:>8,.0f}"
    print(row, end="", flush=True)


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("packing", description=__doc__, allow_abbrev=False)
    parser.add_argument("--sentences", type=int, nargs="+", default=[1_000_000, 16_000_000])
    parser.add_argument("--max_length", type=int, default=128)
    parser.add_argument(_PACK, nargs=2, metavar=("FOLDER", "FORMAT"), help="Pack once.")
    asked = parser.parse_args(list(arguments))
    if asked.pack:
        folder, format = asked.pack
        pack_into_files(Path(folder), format, max_length=asked.max_length)
        return
    print(f"{'sentences':>12} {'format':>14} {'examples':>12} {'MB kept':>8} {'s':>7} {'MB':>6}")
    peaks: dict[Format, list[int]] = {format: [] for format in FORMATS}
    own = [sys.executable, "-m", "benchmarks.packing", f"--max_length={asked.max_length}"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for num_sentences in asked.sentences:
        with tempfile.TemporaryDirectory() as name:
            write_corpus(Path(name) / "text", num_sentences=num_sentences)
            for format in FORMATS:
                found = measure([*own, _PACK, f"{name}/text", format], environment=environment)
                peaks[format].append(found.peak_anonymous)
                print(f" {found.seconds:>7.1f} {found.peak_anonymous / 1e6:>6.0f}", flush=True)
    growth = max(series[-1] / series[0] for series in peaks.values())
    print(f"memory (all of the process, without files) grows {growth:.2f} times (target {FLAT})")


if __name__ == "__main__":
    main(sys.argv[1:])
