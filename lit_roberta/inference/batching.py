"""Rows of ids in batches of about one length, so that little of what is computed is padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

BATCH_TOKENS = 4096
"""Tokens of a batch, padding included: what a CPU's caches like, and a GPU does not mind."""


class Rows(NamedTuple):
    """Rows of ids, padded to the longest."""

    input_ids: Int[Tensor, "batch seq"]
    attention_mask: Bool[Tensor, "batch seq"] | None
    """True at real tokens. None: nothing is padded."""


def batches_by_length(
    lengths: Sequence[int], *, batch_tokens: int = BATCH_TOKENS, most_rows: int | None = None
) -> list[list[int]]:
    """Put rows of about one length together.

    Args:
        lengths: Tokens of each row.
        batch_tokens: The most tokens of a batch, padding included; a longer row is a batch.
        most_rows: The most rows of a batch. None: as many as the tokens allow.

    Returns:
        The numbers of the rows of each batch, each row once. The longest come first: what does
        not fit into memory shows at once.

    Example:
        >>> batches_by_length([3, 9, 4, 1], batch_tokens=9)
        [[1], [2, 0], [3]]
    """
    batches: list[list[int]] = []
    longest = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        size = len(batches[-1]) + 1 if batches else 1
        is_full = size * longest > batch_tokens or (most_rows is not None and size > most_rows)
        if not batches or is_full:
            batches.append([])
            longest = lengths[row]
        batches[-1].append(row)
    return batches


def pad(rows: Sequence[Sequence[int]], *, pad_id: int) -> Rows:
    """Pad rows on the right, to the longest."""
    lengths = torch.tensor([len(row) for row in rows])
    seq = int(lengths.max())
    input_ids = torch.tensor([[*row, *[pad_id] * (seq - len(row))] for row in rows])
    if seq == int(lengths.min()):
        return Rows(input_ids, None)
    return Rows(input_ids, torch.arange(seq) < lengths[:, None])
