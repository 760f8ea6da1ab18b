"""What a person hands to the masking functions, as arrays, or one line that says what is wrong."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Bool, Int64, Shaped
from numpy.typing import ArrayLike
from torch import Tensor

from lit_roberta.errors import UserError, must


def as_array(name: str, values: ArrayLike | Tensor) -> Shaped[np.ndarray, "..."]:
    """Take a tensor, an array or lists of numbers."""
    try:
        array: Shaped[np.ndarray, "..."] = torch.as_tensor(values).detach().cpu().numpy()
    except (TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(
            f"{name} must be a tensor, an array or lists of numbers, got something else: "
            f"{reason}. Pad rows to one length."
        ) from error
    return array


def require_rows(ids: Shaped[np.ndarray, "..."]) -> Shaped[np.ndarray, "..."]:
    """Refuse what is not one row or several rows of ids."""
    if ids.ndim not in (1, 2):
        remedy = "Give one row, or several of one length."
        raise must("input_ids", "have the shape [seq] or [batch, seq]", list(ids.shape), remedy)
    if ids.size and not np.issubdtype(ids.dtype, np.integer):
        raise must("input_ids", "be whole numbers", str(ids.dtype), "Give ids of tokens.")
    if ids.min(initial=0) < 0:
        raise must("input_ids", "be 0 or more", int(ids.min()), "Give ids of tokens.")
    return ids


def as_flags(
    name: str, values: ArrayLike | Tensor, *, shape: tuple[int, ...]
) -> Bool[np.ndarray, "batch seq"]:
    """Take a flag for each token, of the shape that the ids have."""
    array = as_array(name, values)
    if array.shape != shape:
        rule = f"have the shape of input_ids, {list(shape)}"
        raise must(name, rule, list(array.shape), "Give one value for each token.")
    return np.atleast_2d(array).astype(bool)


def number_of_each(
    name: str, values: ArrayLike | int, *, rows: int, common: bool = False
) -> Int64[np.ndarray, "..."]:
    """Take a number for each row, or one in common where that is no mistake.

    Rows with one example in common would all get the same mask.
    """
    array = np.asarray(values, np.int64)
    if array.shape == (rows,) or (array.shape == () and (common or rows == 1)):
        return array
    got = array.item() if array.shape == () else f"the shape {list(array.shape)}"
    remedy = f"Give an array of {rows}, such as numpy.arange({rows})."
    raise must(name, f"be an array with a number for each of the {rows} rows", got, remedy)
