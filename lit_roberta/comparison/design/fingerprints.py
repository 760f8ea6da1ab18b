"""What a run is made of, as a hash: a finished run is used again only if it is still the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch

import lit_roberta
from lit_roberta.comparison.design.budget import never_repeats_a_mask
from lit_roberta.comparison.design.recipes import PlannedRecipe
from lit_roberta.comparison.runs.stored import Aim, scoring_files

_NAMES_OF_TEXT = ("data.corpus", "data.validation_corpus", "data.test_corpus")
"""The text counts by its content, wherever it lies."""

_RUNS = ("comparison", "runs")
"""The part of the comparison that makes runs; all others only read them."""
_BESIDES = ("corpora", "finetuning", "inference", "planning", "probing")
"""Parts of the package that no pretraining run touches."""


def fingerprint(recipe: PlannedRecipe, *, updates: int, seed: int, aim: Aim = "result") -> str:
    """Hash everything that the training of a run depends on.

    A recipe's name is not part of it, nor whom it is compared with, and a number of masking
    copies that never comes round counts as dynamic: recipes with equal fingerprints are the same
    run.

    Args:
        recipe: Settings and text.
        updates: Length of the run.
        seed: Its seed.
        aim: What it is made for.

    Returns:
        Two hashes with a dash between: of what the run is, and of the code that makes it.
    """
    settings = {key: value for key, value in recipe.settings.items() if key not in _NAMES_OF_TEXT}
    if never_repeats_a_mask(recipe.data, updates):
        settings["data.masking.copies"] = None
    run = {
        "settings": settings,
        "text": recipe.data.prepared.digest,
        "tokenizer": recipe.data.tokenizer.to_json(),
        "updates": updates,
        "seed": seed,
        "aim": aim,
    }
    return f"{digest(run)}-{digest({'code': code_digest(), 'torch': torch.__version__})}"


def stream_identity(recipe: PlannedRecipe, *, updates: int) -> str:
    """Hash what decides examples, order and masks: with it, equal seeds see the same text."""
    data = {key: value for key, value in recipe.settings.items() if key.startswith("data.")}
    if never_repeats_a_mask(recipe.data, updates):
        data["data.masking.copies"] = None
    return digest({"data": data, "updates": updates})


def digest(values: Mapping[str, Any]) -> str:
    """Hash plain values; the order of keys does not count."""
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def code_digest() -> str:
    """Hash the package's version and the source of all that training depends on."""
    package = Path(lit_roberta.__file__).parent
    total = hashlib.blake2b(lit_roberta.__version__.encode(), digest_size=16)
    for path in counted_files():
        total.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return total.hexdigest()


def counted_files() -> list[Path]:
    """Name the source files that training may depend on, in a fixed order."""
    package = Path(lit_roberta.__file__).parent
    scoring = set(scoring_files())
    parts = {path: path.relative_to(package).parts for path in sorted(package.rglob("*.py"))}
    return [
        path
        for path, names in parts.items()
        if path not in scoring and (names[0] not in (_RUNS[0], *_BESIDES) or names[:2] == _RUNS)
    ]
