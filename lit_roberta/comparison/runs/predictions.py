"""What passes from a model that is scored to whoever adds up its scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Float64, Int, Int64
from torch import Tensor

Kind = Literal["mask", "random", "kept"]
"""What stands at a predicted position: `[MASK]`, a random token, or the token itself."""

KINDS: tuple[Kind, ...] = ("mask", "random", "kept")


class Predictions(NamedTuple):
    """What a model made of the tokens that one batch predicts, row after row."""

    batch: int
    """Number of the batch in the text."""
    logits: Float[Tensor, "predictions vocab"]
    labels: Int[Tensor, " predictions"]
    """On the processor, like all that follows."""
    nats: Float64[np.ndarray, " predictions"]
    right: Bool[np.ndarray, " predictions"]
    """Whether the first guess is the token."""
    columns: Int64[np.ndarray, " predictions"]
    """Place in the row, counted from `[CLS]`, which is 0."""
    kinds: Int64[np.ndarray, " predictions"]
    """What stands there: a place in KINDS."""


Tally = Callable[[Predictions], None]
"""Who adds up more than sums by document: it is shown each batch once, in order."""
