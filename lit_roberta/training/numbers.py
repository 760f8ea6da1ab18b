"""Single numbers that training computes: read at once on the CPU, left where they are elsewhere.

On the CPU a number is there as soon as its operation returns, and Python's arithmetic on it takes
a tenth of a tensor's. Any other device works behind the host, and reading from it waits until it
is done, so its numbers stay tensors until somebody has to know them.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

Number = float | Tensor
"""A number of the host, or a tensor without axes on the device that trains."""


def at_hand(number: Tensor) -> Number:
    """Read a number where that waits for nothing.

    Args:
        number: Without axes.

    Returns:
        A float for a number of the CPU; else the tensor, without its history of operations.
    """
    return number.item() if number.is_cpu else number.detach()


def read_all(flags: Sequence[bool | Tensor]) -> list[bool]:
    """Read yes or no many times, from one device in one message. This waits for the device."""
    tensors = [flag for flag in flags if isinstance(flag, Tensor)]
    on_device = iter(torch.stack(tensors).tolist() if tensors else ())
    return [next(on_device) if isinstance(flag, Tensor) else flag for flag in flags]
