"""What lies in a run's folder: its result, what that was made of, and by which code.

In: folders. Out: what can be used of them. A result is of two kinds of code: that which trained,
whose change makes another run of it, and that which scored, whose change asks for new scores of
the same weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Literal

from lit_roberta.comparison.runs.run import Calibration, Curves, HeldOut, Run, WordScores

Aim = Literal["result", "validation", "timing"]
"""A whole result; only the validation loss, to choose a learning rate by; or only the pace."""

RESULT = "result.json"
MARK = "run.json"
FAILED = "failed.json"
"""Why the run failed when it was last tried."""

_Part = Run | HeldOut | Curves | Calibration | WordScores

_TRAINS = ("observer.py",)
"""The files of this folder that take part in training."""
_NUMBERS = {"validation": "validation_loss", "timing": "seconds_per_update"}
"""What a result for one number holds."""


def read_stored(path: Path) -> dict[str, Any]:
    """Read a file of a run; nothing where it is not there or holds something else."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def is_whole(stored: Mapping[str, Any], *, aim: Aim, formats: Collection[str]) -> bool:
    """Tell whether a result has everything that will be read of it.

    Args:
        stored: As it was read.
        aim: What the run was made for.
        formats: Those in which it must be scored; it may be in others, too.
    """
    if aim != "result":
        return isinstance(stored.get(_NUMBERS[aim]), float)
    try:
        run = Run.from_json(stored)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    parts: list[_Part] = [run, run.curves, run.calibration, *([run.words] if run.words else [])]
    parts += [*run.heldout.values(), *run.heldout_best.values()]
    has_formats = set(formats) <= set(run.heldout) & set(run.heldout_best)
    return has_formats and all(map(_fits_its_fields, parts))


def _fits_its_fields(part: _Part) -> bool:
    """Tell whether numbers, names and lists stand where they belong."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "int": int,
        "float": (int, float),
        "float | None": (int, float, NoneType),
        "str": str,
        "list": list,
        "dict": dict,
    }
    return all(
        isinstance(getattr(part, each.name), kinds.get(str(each.type).split("[")[0], object))
        for each in fields(part)
    )


def differs_by_code(one: str, other: str) -> bool:
    """Tell whether two fingerprints are of the same run, made by different code."""
    return one != other and one.partition("-")[0] == other.partition("-")[0]


def scoring_files() -> list[Path]:
    """Name the source files that scores depend on and training does not, in a fixed order."""
    folder = Path(__file__).parent
    return [path for path in sorted(folder.rglob("*.py")) if path.name not in _TRAINS]


@cache
def scoring_digest() -> str:
    """Hash the source of all that turns a trained run into its scores."""
    total = hashlib.blake2b(digest_size=16)
    for path in scoring_files():
        total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()
