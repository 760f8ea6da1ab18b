"""What holds for every test."""

from __future__ import annotations

from pathlib import Path

import jaxtyping
import pytest
import torch
from hypothesis import settings

_PACKAGE = Path(__file__).parents[1] / "lit_roberta"


def _modules_with_shapes() -> list[str]:
    """Name the modules that say what shapes they take and give."""
    return [
        ".".join(path.relative_to(_PACKAGE.parent).with_suffix("").parts)
        for path in sorted(_PACKAGE.rglob("*.py"))
        if "jaxtyping" in path.read_text(encoding="utf-8")
    ]


# Shapes are checked at every call. Where none are declared mypy has proved the types, and checking
# them again would take as long as the tests.
jaxtyping.install_import_hook(_modules_with_shapes(), "beartype.beartype")

# What is green stays green: each time the same examples.
# `--hypothesis-profile default` draws others.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _same_draws_whatever_ran_before() -> None:
    """Seed torch's own generator, from which models of others draw their initial weights."""
    torch.manual_seed(0)
