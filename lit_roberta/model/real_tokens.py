"""The real tokens of a padded batch, one behind the other: what a CPU computes of it.

In: an attention mask. Out: hidden states without padding, and back. Only attention looks at more
than one token at a time, and it pads again what it has to: a few rows at once, as long as each
other or nearly so.

On a CPU the time of a layer is that of its matrix products, and these grow with every place of a
batch, real or not. An accelerator would have to wait for the mask to come back before it knows
how much there is to compute, and a compiler wants to know it when it compiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

COST_OF_A_GROUP = 6_000
"""What a further group costs, in pairs of a query and a key of one head.

An estimate: some 30 operations of a few microseconds each, where attention over rows of 32 to 192
tokens took about 20 ns a pair."""

FULL = 0.95
"""Share of real tokens from which on moving them is not worth it.

At 0.90 it saved 4% (6 layers of width 384), at 0.97 it cost 7% (2 layers of width 128)."""


class RowGroup(NamedTuple):
    """Rows that attend at the same time, each to itself."""

    num_rows: int
    num_tokens: int
    """Real ones."""
    indices: Int[Tensor, " padded"] | None
    """For each place of the rows, padded to the longest, the number of a token of the group; its
    row's last one where nothing is left. None: the rows are as long as each other."""
    attention_mask: Bool[Tensor, "rows seq"] | None
    """True at real tokens. None: all are real."""
    places: Int[Tensor, " tokens"] | None
    """Where these are among all places of the rows; found once for all layers."""

    def pad(
        self, tokens: Float[Tensor, "tokens hidden"]
    ) -> Float[Tensor, "{self.num_rows} seq hidden"]:
        """Lay out the group's tokens as rows."""
        padded = tokens if self.indices is None else tokens.index_select(0, self.indices)
        return padded.view(self.num_rows, -1, tokens.shape[-1])

    def pick(
        self, padded: Float[Tensor, "{self.num_rows} seq hidden"]
    ) -> Float[Tensor, "tokens hidden"]:
        """Give the real tokens of the rows, one behind the other."""
        tokens = padded.flatten(0, 1)
        return tokens if self.places is None else tokens.index_select(0, self.places)


class RealTokens:
    """Where the real tokens of a batch are.

    Args:
        attention_mask: True at real tokens; each row has one at the least.
        num_heads: Of the attention, which decides how much padding is worth a further group.
    """

    def __init__(self, attention_mask: Bool[Tensor, "batch seq"], *, num_heads: int) -> None:
        self._shape = attention_mask.shape
        self._mask = attention_mask
        self._places = _places(attention_mask)
        lengths = attention_mask.sum(dim=1).tolist()
        stops = cheapest_groups(lengths, cost=COST_OF_A_GROUP // num_heads)
        self.groups = [_group(lengths[start:stop]) for start, stop in pairwise([0, *stops])]

    def pick(self, padded: Float[Tensor, "batch seq hidden"]) -> Float[Tensor, "tokens hidden"]:
        """Give the hidden states of the real tokens, one behind the other."""
        return padded.flatten(0, 1).index_select(0, self._places)

    def pad(self, tokens: Float[Tensor, "tokens hidden"]) -> Float[Tensor, "batch seq hidden"]:
        """Put hidden states back to their places; padding gets zeros."""
        padded = tokens.new_zeros(self._mask.numel(), tokens.shape[-1])
        return padded.index_copy(0, self._places, tokens).view(*self._shape, -1)

    def take(
        self, tokens: Float[Tensor, "tokens hidden"], positions: Int[Tensor, "batch slots"]
    ) -> Float[Tensor, "batch slots hidden"]:
        """Give the hidden states at some positions of each row, real ones."""
        number_of = self._mask.flatten().cumsum(0).view(self._shape) - 1
        numbers = number_of.gather(1, positions)
        return tokens.index_select(0, numbers.flatten()).view(*positions.shape, -1)

    def split_rows(self, rows: Float[Tensor, "batch slots hidden"]) -> Sequence[Tensor]:
        """Give each group's rows."""
        return torch.split(rows, [group.num_rows for group in self.groups])

    def split_tokens(self, tokens: Float[Tensor, "tokens hidden"]) -> Sequence[Tensor]:
        """Give each group's tokens."""
        return torch.split(tokens, [group.num_tokens for group in self.groups])


def find_real_tokens(
    attention_mask: Bool[Tensor, "batch seq"] | None, *, num_heads: int
) -> RealTokens | None:
    """Find the real tokens, where it is worth it: on a CPU, in a model that is not compiled.

    Returns:
        None also for a batch with next to no padding, and with a row of nothing but padding.
    """
    if attention_mask is None or attention_mask.device.type != "cpu":
        return None
    if torch.compiler.is_compiling() or not attention_mask.any(dim=1).all():
        return None
    is_full = bool(attention_mask.float().mean() > FULL)
    return None if is_full else RealTokens(attention_mask, num_heads=num_heads)


def cheapest_groups(lengths: Sequence[int], *, cost: int) -> list[int]:
    """Group neighbouring rows so that their attention is the least work.

    Every way to group them is looked at, by the first row of the last group (dynamic programming).

    Args:
        lengths: Of the rows, in tokens. In the order of their lengths they make the best groups.
        cost: Of a group, in pairs of a query and a key.

    Returns:
        Where each group ends.

    Example:
        >>> cheapest_groups([60, 58, 20, 20, 19], cost=500)
        [2, 5]
    """
    count, sizes = len(lengths), np.asarray(lengths, dtype=np.int64)
    least = np.zeros(count + 1, dtype=np.int64)
    begins = np.zeros(count + 1, dtype=np.int64)
    for stop in range(1, count + 1):
        longest = np.maximum.accumulate(sizes[:stop][::-1])[::-1]
        totals = least[:stop] + np.arange(stop, 0, -1) * longest**2 + cost
        begins[stop] = totals.argmin()
        least[stop] = totals[begins[stop]]
    ends = [count] if count else []
    while ends and begins[ends[0]] > 0:
        ends.insert(0, int(begins[ends[0]]))
    return ends


def _group(lengths: list[int]) -> RowGroup:
    longest, num_tokens = max(lengths), sum(lengths)
    if min(lengths) == longest:
        return RowGroup(len(lengths), num_tokens, None, None, None)
    counts = torch.tensor(lengths)[:, None]
    firsts = torch.tensor([0, *accumulate(lengths[:-1])])[:, None]
    places = torch.arange(longest)
    indices = firsts + torch.minimum(places, counts - 1)
    mask = places < counts
    return RowGroup(len(lengths), num_tokens, indices.flatten(), mask, _places(mask))


def _places(mask: Bool[Tensor, "batch seq"]) -> Int[Tensor, " tokens"]:
    return mask.flatten().nonzero().squeeze(1)
