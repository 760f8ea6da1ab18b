"""The two lines below which nothing was learned, in every chart of losses."""

from __future__ import annotations

from matplotlib.axes import Axes

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.drawing import reference_line
from lit_roberta.comparison.results import Results

LOSS_AXIS = "nats per masked token (lower is better)"


def draw_floors(axes: Axes, results: Results) -> None:
    """Draw both lines across an axis of losses."""
    # The unigram line is never right of ln V, so the names grow away from each other.
    unigram = results.text.unigram_loss
    reference_line(axes, unigram, "word frequencies", dashes="--", side="right")
    reference_line(axes, results.log_vocab, "ln V", dashes=":", side="left")


def floor_words(results: Results) -> str:
    """Say where the lines are."""
    return (
        f"Word frequencies alone give {nats(results.text.unigram_loss)}, no knowledge at all "
        f"ln V = {nats(results.log_vocab)}."
    )
