from __future__ import annotations

import pytest

from lit_roberta.advice.copies import copies_can_matter, say_whether_copies_matter


@pytest.mark.parametrize(
    ("passes", "copies", "matter"),
    [(1, 1, False), (1.01, 1, True), (10, 10, False), (10.5, 10, True), (99, None, False)],
)
def test_copies_matter_once_masks_come_round(
    passes: float, copies: int | None, matter: bool
) -> None:
    assert copies_can_matter(passes, copies) is matter
    assert ("the same run" in say_whether_copies_matter(passes, copies)) is not matter
