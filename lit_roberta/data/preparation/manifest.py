"""What a prepared folder says of itself: what it was made from, and what is in it.

A folder has a manifest only when everything else in it is complete and on disk.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import lit_roberta
from lit_roberta.errors import UserError, must
from lit_roberta.whole_files import write_whole

FORMAT = 1
"""Of the folder; raised where an older version could not read it, or would read it wrongly."""

MANIFEST, TOKENIZER = "manifest.json", "tokenizer.json"
PARTS = ("train", "validation", "test")


_KINDS = {
    **dict.fromkeys(("inputs", "parts", "facts"), dict),
    **dict.fromkeys(("files", "notes"), list),
    **dict.fromkeys(("digest", "tokenizer"), str),
    **dict.fromkeys(("vocab_size", "token_bits"), int),
}
_KINDS_INSIDE = {"files": list, "notes": str}
"""Of what a list holds."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a prepared folder says of itself."""

    inputs: dict[str, Any]
    """Every setting that decides the tokens."""
    files: list[list[Any]]
    """The files that were read, as `FileState`."""
    digest: str
    """Hash of the text of all three parts, in order."""
    tokenizer: str
    """Hash of the tokenizer's file."""
    vocab_size: int
    token_bits: int
    parts: dict[str, dict[str, Any]]
    """For each part, `documents`, `sentences`, `tokens`, and `bytes` of each of its files."""
    notes: list[str]
    """What was detected, cut or missing, a line each."""
    facts: dict[str, Any]
    """What the text was found to be, in numbers."""
    weights: dict[str, float] | None = None
    """The share of each source in training, unless another is asked for."""
    format: int = FORMAT
    package: str = lit_roberta.__version__
    """The version that wrote it."""

    @property
    def identity(self) -> dict[str, Any]:
        """What its tokens are known by, wherever the folder lies."""
        names = ("digest", "tokenizer", "parts", "format", "package")
        return {name: getattr(self, name) for name in names}

    def write(self, folder: Path) -> None:
        """Write it, whole or not at all."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        # A file's name need not be text.
        write_whole(folder / MANIFEST, text.encode("utf-8", "surrogatepass") + b"\n")


def is_prepared(folder: Path) -> bool:
    """Tell whether a folder is one that was prepared."""
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    """Read what a prepared folder says of itself, and see that nothing of it was cut.

    Raises:
        UserError: If the manifest is damaged, was written by a newer version, or names a file that
            is missing or has another size.
    """
    try:
        text = (folder / MANIFEST).read_bytes().decode("utf-8", "surrogatepass")
        state = json.loads(text)
        written, package = int(state["format"]), str(state["package"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, f"its {MANIFEST} can't be read") from error
    if written > FORMAT:
        raise must(
            "data.corpus",
            f"be a prepared folder of format {FORMAT} or older",
            f"{folder}, of format {written}",
            f"lit_roberta {package} wrote it: install that version, or prepare the text anew.",
        )
    try:
        manifest = Manifest(**state)
        _require_kinds(manifest)
        sizes = {
            folder / part / name: size
            for part in PARTS
            for name, size in manifest.parts[part]["bytes"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, f"its {MANIFEST} lacks something") from error
    for path, size in sizes.items():
        found = path.stat().st_size if path.is_file() else None
        if found != size:
            what = "is missing" if found is None else f"has {found:,} bytes"
            raise _damaged(folder, f"{path.relative_to(folder)} of {size:,} bytes {what}")
    return manifest


def _require_kinds(manifest: Manifest) -> None:
    """Refuse what was edited into something else; the first to use it would not know why.

    Raises:
        TypeError: If a field is of another kind than it is written as.
    """
    for name, kind in _KINDS.items():
        if not isinstance(getattr(manifest, name), kind):
            raise TypeError(name)
    for name, kind in _KINDS_INSIDE.items():
        if not all(isinstance(each, kind) for each in getattr(manifest, name)):
            raise TypeError(name)
    if not isinstance(manifest.inputs["corpus"], dict):
        raise TypeError("inputs")


def _damaged(folder: Path, what: str) -> UserError:
    remedy = f"{what[0].upper()}{what[1:]}: prepare the text anew, or copy the folder again."
    return must("data.corpus", "be a whole prepared folder", str(folder), remedy)
