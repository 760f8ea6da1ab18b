"""A recipe as it is asked for: a file, settings of its own on top, and a name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lit_roberta.errors import must
from lit_roberta.training.arguments import find_config

_PLAIN = re.compile(r"[^\s/\\:]+")
"""Names are folders, too."""

_UNREADABLE = ("Cc", "Cs", "Zl", "Zp")
"""Control characters, bytes that are no text, and ends of lines."""

_LONGEST = 200
"""Bytes of a name: most systems take 255 for that of a folder, or of the lock beside it."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A recipe file with settings of its own on top."""

    source: str
    """A path, or a shipped file by name."""
    settings: tuple[str, ...] = ()
    """As `data.masking.copies=10`; they win over the file."""
    name: str | None = None
    """What to call it; None for the file's name."""

    def __post_init__(self) -> None:
        if self.name is not None and not _PLAIN.fullmatch(self.name):
            remedy = "Leave out spaces, colons and slashes: the name is a folder's, too."
            raise must("the name of a recipe", "be one word", self.name, remedy)

    def path(self, *, asked_by: str = "--recipes") -> Path:
        """Find its file.

        Args:
            asked_by: The words that named it, for the message.

        Raises:
            UserError: If there is none.
        """
        return find_config(self.source, asked_by=asked_by)


def named(variants: Sequence[Variant], *, asked_by: str = "--recipes") -> dict[str, Variant]:
    """Name every recipe: by its own name, else by its file, and the folder where files agree.

    Args:
        variants: The recipes.
        asked_by: The words that named them, for messages.

    Raises:
        UserError: If two have one name.
    """
    unnamed = [variant.path(asked_by=asked_by) for variant in variants if variant.name is None]
    stems = [path.stem for path in unnamed]
    names = [variant.name or _name(variant.path(), stems) for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise must(asked_by, "have different names", name, "Rename or leave out one.")
        _check_folder(name, asked_by)
    return dict(zip(names, variants, strict=True))


def _check_folder(name: str, asked_by: str) -> None:
    """Refuse a name that no folder of its own can have, or that can't be written in a report."""
    remedy = "Rename it: the name is a folder's, too."
    if name in (".", "..") or any(unicodedata.category(letter) in _UNREADABLE for letter in name):
        raise must(asked_by, "have names of letters that can be read", name, remedy)
    if len(name.encode()) > _LONGEST:
        remedy = "Give shorter ones: the name is a folder's, too."
        raise must(asked_by, f"have names of at most {_LONGEST} bytes", f"{name[:40]}...", remedy)


def _name(path: Path, stems: Sequence[str]) -> str:
    """Name a file among others."""
    alone = stems.count(path.stem) == 1
    return path.stem if alone else f"{path.resolve().parent.name}-{path.stem}"
