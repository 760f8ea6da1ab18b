"""Updates on their way from the process that builds them to the one that trains.

In: an update. Out: the same, bit by bit, in another process. It knows nothing of what the numbers
mean.

Left alone, torch moves each tensor to shared memory of its own, which both sides have to map and
to take down again; for an update that is more work than building it. Here the numbers go through
the pipe in as few bytes as they need, a quarter or less of what they have in a tensor. So workers
need no shared memory and no file descriptors, however small a container's are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Shaped
from torch import Tensor

from lit_roberta.batch import Update


class Parcel:
    """An update that is pickled small, and is an update again where it is unpickled.

    Args:
        update: Its tensors are whole numbers or truth values, on the CPU.
    """

    def __init__(self, update: Update) -> None:
        self._update = update

    def __reduce__(self) -> tuple[Callable[..., Update], tuple[Any, ...]]:
        fields = (_pack(each) if isinstance(each, Tensor) else each for each in self._update)
        return _open, tuple(fields)


class _Packed(NamedTuple):
    """A tensor in few bytes."""

    numbers: Shaped[np.ndarray, "..."]
    """In the narrowest type that holds them all; truth values as bits, in one row."""
    dtype: np.dtype[Any]
    """Of the tensor."""
    shape: tuple[int, ...]
    """Of the tensor."""


def _pack(tensor: Tensor) -> _Packed:
    array = tensor.numpy()
    if array.dtype == bool:
        return _Packed(np.packbits(array), array.dtype, array.shape)
    lowest, highest = array.min(initial=0), array.max(initial=0)
    narrow = np.promote_types(np.min_scalar_type(lowest), np.min_scalar_type(highest))
    return _Packed(array.astype(narrow), array.dtype, array.shape)


def _unpack(packed: _Packed) -> Tensor:
    numbers = packed.numbers
    if packed.dtype == bool:
        count = int(np.prod(packed.shape))
        numbers = np.unpackbits(numbers, count=count).view(bool).reshape(packed.shape)
    return torch.from_numpy(numbers.astype(packed.dtype))


def _open(*fields: Any) -> Update:
    return Update._make(_unpack(each) if isinstance(each, _Packed) else each for each in fields)
