from __future__ import annotations

import pytest

from lit_roberta.probing.shares import Share
from lit_roberta.probing.telling import tell_zero_shot
from lit_roberta.probing.zero_shot import ZeroShotScores


@pytest.mark.parametrize(
    ("shots", "said"),
    [(0.0, []), (1.0, ["1 answered example of"]), (1.5, ["1.5 answered examples of"])],
)
def test_shots_are_told_where_there_are_some(shots: float, said: list[str]) -> None:
    half = Share(right=1, total=2)
    scores = ZeroShotScores(
        calibrated=half,
        uncalibrated=half,
        majority=half,
        majority_label="yes",
        predictions=["yes", "no"],
        shots=shots,
    )
    told = [line for line in tell_zero_shot(scores) if "answered" in line]
    assert [line.partition(" each")[0] for line in told] == said
