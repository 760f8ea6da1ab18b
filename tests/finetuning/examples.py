"""Tiny labelled files: what is liked is rain, what is not is tea."""

from __future__ import annotations

import csv
from pathlib import Path

LIKED = ["I love the rain", "the rain is all you need", "so it rained and I love it", "rain !"]
NOT_LIKED = ["the captain said tea", "tea and more tea", "it is tea", "the old tea"]
ROWS = [
    (text, label)
    for pair in zip(LIKED, NOT_LIKED, strict=True)
    for text, label in zip(pair, ("yes", "no"), strict=True)
]


def write_rows(path: Path, rows: list[tuple[str, ...]], header: tuple[str, ...]) -> Path:
    """Write a .csv."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def write_texts(path: Path, copies: int = 4) -> Path:
    """Write a .csv of texts with labels, so many copies that are told apart by a number."""
    rows = [(f"{text} {copy}", label) for copy in range(copies) for text, label in ROWS]
    return write_rows(path, list(rows), ("text", "label"))
