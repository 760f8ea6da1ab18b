"""A small text for tests that have to read one."""

from __future__ import annotations

import itertools
from pathlib import Path

_SUBJECTS = ("the cat", "a dog", "my friend", "the old man", "her sister", "one bird")
_VERBS = ("sees", "likes", "finds", "takes", "loses")
_OBJECTS = ("the ball", "a red house", "some bread", "the river", "a song", "his hat", "the key")


def write_text(folder: Path, *, documents: int = 40) -> Path:
    """Write documents of five plain sentences each."""
    sentences = itertools.cycle(
        f"{subject} {verb} {thing}."
        for thing, verb, subject in itertools.product(_OBJECTS, _VERBS, _SUBJECTS)
    )
    blocks = ["\n".join(itertools.islice(sentences, 5)) for _ in range(documents)]
    path = folder / "text.txt"
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    return path
