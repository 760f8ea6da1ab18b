"""A model does not stand in memory twice while it is imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.importing import BASE, FORMS, GOAL, TINY, measure


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_an_import_takes_little_more_than_its_weights(form: str, tmp_path: Path) -> None:
    size, large = measure(BASE, form, tmp_path)
    _, small = measure(TINY, form, tmp_path)
    assert size > 450e6
    assert 0.5 * size < large - small < GOAL * size  # it was measured, and is little
