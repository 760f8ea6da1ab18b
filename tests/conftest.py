"""What holds for every test."""

from __future__ import annotations

import pytest
import torch
from hypothesis import settings

# What is green stays green: each time the same examples.
# `--hypothesis-profile default` draws others.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _same_draws_whatever_ran_before() -> None:
    """Seed torch's own generator, from which models of others draw their initial weights."""
    torch.manual_seed(0)
