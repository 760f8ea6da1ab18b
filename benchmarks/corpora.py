"""Text of any size to measure with: novels repeated, each copy with words of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

NOVELS = Path(__file__).parents[1] / "../shared/data/british_fiction"
"""Real prose, where it lies beside the checkout."""


def write_text(folder: Path, *, num_bytes: int, source: Path = NOVELS) -> int:
    """Write files of some megabyte each until there are enough.

    In each line of a copy a word gives way to another one of the text, and in every tenth line to
    a new word, so that no document comes twice and the vocabulary grows as that of real text does.

    Args:
        folder: Where to; it is made.
        num_bytes: How much.
        source: A folder of text files.

    Returns:
        The bytes that were written.
    """
    folder.mkdir(parents=True)
    written = 0
    for number, text in enumerate(_copies(source)):
        data = text.encode()[: num_bytes - written]
        (folder / f"{number:05}.txt").write_bytes(data)
        written += len(data)
        if written >= num_bytes:
            return written
    raise FileNotFoundError(f"no text files in {source}")


def _copies(source: Path) -> Iterator[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(source.glob("*.txt"))]
    words = sorted({word for text in texts for word in text.split()})
    copy = 0
    while texts:
        for number, text in enumerate(texts):
            yield _changed(text, words, seed=f"{copy} {number}") if copy else text
        copy += 1


def _changed(text: str, words: list[str], *, seed: str) -> str:
    digest = hashlib.blake2b(seed.encode(), digest_size=8).digest()
    generator = np.random.default_rng(int.from_bytes(digest, "little"))
    lines = text.split("\n")
    others = generator.integers(len(words), size=(len(lines), 2)).tolist()
    for number, (line, (first, second)) in enumerate(zip(lines, others, strict=True)):
        before, space, behind = line.partition(" ")
        if space:
            other = words[first] if number % 10 else words[first][:4] + words[second][-3:]
            # The word behind the first space, so that the line's end stays what it was.
            _, gap, rest = behind.partition(" ")
            lines[number] = f"{before} {other}{gap}{rest}" if gap else line
    return "\n".join(lines)
