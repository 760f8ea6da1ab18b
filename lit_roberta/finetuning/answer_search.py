"""Logits of a question's windows to answers in the words of the context.

In: windows, and a logit for the start and for the end at each place. Out: the best answers over
all windows. It does not know which answer is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Int64
from numpy.lib.stride_tricks import sliding_window_view

from lit_roberta.finetuning.predictions import AnswerPrediction, FoundAnswer
from lit_roberta.finetuning.windows import NO_ANSWER, Window

_CANDIDATES = 20
"""Answers among which the probability is shared out."""


@dataclass(frozen=True, kw_only=True)
class AnswerSearch:
    """What counts as an answer.

    Args:
        longest: Tokens of an answer.
        shown: The most answers that a prediction lists.
        null_threshold: How far the score of no answer has to lie above the best answer's to be
            given; None where every question has an answer.
    """

    longest: int
    shown: int
    null_threshold: float | None

    def predict(
        self, windows: Sequence[Window], logits: Float32[np.ndarray, "windows seq 2"]
    ) -> AnswerPrediction:
        """Find the answer of one question.

        Args:
            windows: All of its windows.
            logits: Of the start and the end at each place of their rows.
        """
        ranked = self._rank(windows, logits)
        null_score = float(logits[:, NO_ANSWER].sum(axis=-1).min())
        scores = [score for score, *_ in ranked]
        shares = _softmax(scores if self.null_threshold is None else [*scores, null_score])
        found = tuple(
            FoundAnswer(windows[0].context[start:stop], start, stop, score, share)
            for (score, start, stop), share in zip(ranked[: self.shown], shares, strict=False)
        )
        none_share = shares[-1] if self.null_threshold is not None else float(not found)
        nothing = AnswerPrediction("", None, None, none_share, null_score, found)
        if not found:
            return nothing
        best = found[0]
        if self.null_threshold is not None and null_score - best.score > self.null_threshold:
            return nothing
        return AnswerPrediction(
            best.text, best.start, best.stop, best.probability, null_score, found
        )

    def _rank(
        self, windows: Sequence[Window], logits: Float32[np.ndarray, "windows seq 2"]
    ) -> list[tuple[float, int, int]]:
        """Give scores and characters of the best answers; one that windows share counts once."""
        best: dict[tuple[int, int], float] = {}
        count = max(self.shown, _CANDIDATES)
        for window, own in zip(windows, logits, strict=True):
            scores, begins, ends = best_spans(window, own, longest=self.longest, count=count)
            starts, stops = window.starts[begins].tolist(), window.stops[ends].tolist()
            for score, *place in zip(scores.tolist(), starts, stops, strict=True):
                start, stop = place
                best[start, stop] = max(score, best.get((start, stop), -math.inf))
        ranked = [(score, start, stop) for (start, stop), score in best.items()]
        return sorted(ranked, key=lambda each: (-each[0], each[1:]))[:count]


def best_spans(
    window: Window, logits: Float32[np.ndarray, "seq 2"], *, longest: int, count: int
) -> tuple[
    Float32[np.ndarray, " spans"], Int64[np.ndarray, " spans"], Int64[np.ndarray, " spans"]
]:
    """Find the spans of context tokens with the highest sums of two logits, in no order.

    Args:
        window: Says which places of the row are the context's.
        logits: Of the start and the end at each place.
        longest: Tokens of a span.
        count: The most spans.

    Returns:
        Scores, and the first and the last token of each, counted from the window's first. Spans
        without a character are none.
    """
    size = len(window.starts)
    if not size:
        return np.empty(0, np.float32), np.empty(0, np.int64), np.empty(0, np.int64)
    width = min(longest, size)
    own = logits[window.first : window.first + size]
    # Row i, column d: from token i to token i + d.
    behind = np.full(width - 1, -np.inf, np.float32)
    ends = sliding_window_view(np.concatenate([own[:, 1], behind]), width)
    stops = sliding_window_view(np.append(window.stops, np.zeros(width - 1, np.int64)), width)
    scores = np.where(stops > window.starts[:, None], own[:, :1] + ends, -np.inf).ravel()
    kept = min(count, len(scores))
    top = np.argpartition(scores, len(scores) - kept)[len(scores) - kept :]
    top = top[np.isfinite(scores[top])]
    begins, steps = np.divmod(top, width)
    return scores[top], begins, begins + steps


def _softmax(scores: Sequence[float]) -> list[float]:
    if not scores:
        return []
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    return [power / sum(powers) for power in powers]
