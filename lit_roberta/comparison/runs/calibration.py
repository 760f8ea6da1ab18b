"""Whether a model's first guesses are right as often as it is sure of them.

In: the predictions of one scoring. Out: reliability bins, and what they come to.
"""

from __future__ import annotations

import numpy as np

from lit_roberta.comparison.runs.predictions import Predictions
from lit_roberta.comparison.runs.run import Calibration

NUM_BINS = 10
"""Equal shares of the way from a confidence of 0 to one of 1."""


class CalibrationTally:
    """Sort first guesses by their probability."""

    def __init__(self) -> None:
        self._sums = np.zeros((3, NUM_BINS))
        self._brier = 0.0

    def add(self, predictions: Predictions) -> None:
        """Count the predictions of a batch."""
        probabilities = predictions.logits.float().softmax(dim=-1)
        confidence = probabilities.amax(dim=-1).double().cpu().numpy()
        squares = probabilities.square().sum(dim=-1).double().cpu().numpy()
        self._brier += float((1 - 2 * np.exp(-predictions.nats) + squares).sum())
        places = np.minimum((confidence * NUM_BINS).astype(np.int64), NUM_BINS - 1)
        for row, weights in enumerate((None, confidence, predictions.right)):
            self._sums[row] += np.bincount(places, weights=weights, minlength=NUM_BINS)

    def calibration(self) -> Calibration:
        """Give the bins and the scores; 0 where nothing was predicted."""
        count, confidence, right = self._sums
        total = max(1, count.sum())
        return Calibration(
            count=count.astype(int).tolist(),
            confidence=confidence.round(6).tolist(),
            right=right.astype(int).tolist(),
            expected_error=float(np.abs(right - confidence).sum() / total),
            brier_score=self._brier / total,
        )
