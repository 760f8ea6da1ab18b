from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.comparison.runs.calibration import NUM_BINS, CalibrationTally
from lit_roberta.comparison.runs.predictions import Predictions
from lit_roberta.comparison.runs.run import Calibration


def predictions(probabilities: list[list[float]], labels: list[int]) -> Predictions:
    shown = torch.tensor(probabilities, dtype=torch.float64)
    truth = torch.tensor(labels)
    return Predictions(
        batch=0,
        logits=shown.log().float(),
        labels=truth,
        nats=-shown.log().gather(1, truth[:, None])[:, 0].numpy(),
        right=(shown.argmax(dim=1) == truth).numpy(),
        columns=np.ones(len(labels), dtype=np.int64),
        kinds=np.zeros(len(labels), dtype=np.int64),
    )


def calibration(*batches: Predictions) -> Calibration:
    tally = CalibrationTally()
    for batch in batches:
        tally.add(batch)
    return tally.calibration()


def test_a_model_that_is_as_often_right_as_it_says_has_no_error() -> None:
    found = calibration(predictions([[0.75, 0.25]] * 4, [0, 0, 0, 1]))
    assert found.expected_error == pytest.approx(0, abs=1e-6)
    assert found.count == [0, 0, 0, 0, 0, 0, 0, 4, 0, 0]
    assert found.right[7] == 3
    assert found.confidence[7] == pytest.approx(3.0)
    brier = (3 * (0.25**2 + 0.25**2) + (0.75**2 + 0.75**2)) / 4
    assert found.brier_score == pytest.approx(brier)


def test_a_model_that_is_sure_and_wrong_has_the_largest_error() -> None:
    tiny = 1e-9
    found = calibration(predictions([[1 - tiny, tiny]] * 3, [1, 1, 1]))
    assert found.expected_error == pytest.approx(1, abs=1e-6)
    assert found.brier_score == pytest.approx(2, abs=1e-6)
    assert found.count[-1] == 3


@given(seed=st.integers(0, 99), cut=st.integers(0, 30))
@settings(max_examples=10, deadline=None)
def test_every_prediction_is_in_one_bin_however_the_text_is_cut(seed: int, cut: int) -> None:
    random = np.random.default_rng(seed)
    shown = random.dirichlet(np.full(6, 0.3), size=30) + 1e-6
    shown /= shown.sum(axis=1, keepdims=True)
    labels = random.integers(0, 6, 30)
    whole = calibration(predictions(shown.tolist(), labels.tolist()))
    parts = [
        predictions(shown[some].tolist(), labels[some].tolist())
        for some in (slice(0, cut), slice(cut, 30))
        if len(labels[some])
    ]
    halves = calibration(*parts)
    assert sum(whole.count) == 30
    assert len(whole.count) == NUM_BINS
    assert sum(whole.right) == int((shown.argmax(axis=1) == labels).sum())
    assert halves.count == whole.count
    assert halves.expected_error == pytest.approx(whole.expected_error, abs=1e-5)
    assert halves.brier_score == pytest.approx(whole.brier_score, abs=1e-6)
