"""Attention without padding, against attention with it, and groups against every way to group."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lit_roberta.model import encoder
from lit_roberta.model.encoder import BertEncoder
from lit_roberta.model.real_tokens import RealTokens, cheapest_groups, find_real_tokens
from tests.model.examples import randomize, tiny_config

HIDDEN = 32
MASKS = st.lists(st.lists(st.booleans(), min_size=9, max_size=9), min_size=1, max_size=7)


def mask_of(rows: list[list[bool]]) -> Tensor:
    """Make a mask with a real token in each row, and holes wherever they fall."""
    mask = torch.tensor(rows)
    mask[:, 0] |= ~mask.any(dim=1)
    return mask


def run(mask: Tensor, positions: Tensor | None) -> tuple[Tensor, list[Tensor]]:
    """Encode random states; give what counts of the result, and the gradients of all weights."""
    torch.manual_seed(0)
    stack = BertEncoder(tiny_config()).double().train()
    randomize(stack)
    states = torch.randn(*mask.shape, HIDDEN, dtype=torch.float64, requires_grad=True)
    out = stack(states, mask, positions=positions)
    found = out[mask] if positions is None else out
    weights = torch.randn_like(found)
    wanted = [states, *stack.parameters()]
    return found.detach(), list(torch.autograd.grad((found * weights).sum(), wanted))


def positions_of(mask: Tensor) -> Tensor:
    """Give two real places of each row, which may be the same."""
    firsts = mask.int().argmax(dim=1)
    lasts = mask.shape[1] - 1 - mask.int().flip(1).argmax(dim=1)
    return torch.stack([firsts, lasts], dim=1)


@settings(deadline=None, max_examples=40)  # two encoders run in each step
@given(MASKS, st.booleans())
def test_padding_changes_neither_results_nor_gradients(
    rows: list[list[bool]], sparse: bool
) -> None:
    mask = mask_of(rows)
    positions = positions_of(mask) if sparse else None
    found, gradients = run(mask, positions)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(encoder, "find_real_tokens", lambda *_, **__: None)
        wanted, wanted_gradients = run(mask, positions)
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(gradients, wanted_gradients)


@given(MASKS)
def test_what_is_picked_comes_back_to_its_place(rows: list[list[bool]]) -> None:
    mask = mask_of(rows)
    real, padded = RealTokens(mask, num_heads=4), torch.randn(*mask.shape, 3)
    tokens = real.pick(padded)
    assert torch.equal(tokens, padded[mask])
    assert torch.equal(real.pad(tokens), padded * mask[..., None])
    positions = positions_of(mask)
    wanted = torch.take_along_dim(padded, positions[..., None], dim=1)
    assert torch.equal(real.take(tokens, positions), wanted)
    assert sum(group.num_tokens for group in real.groups) == len(tokens)
    for group, part in zip(real.groups, real.split_tokens(tokens), strict=True):
        assert torch.equal(group.pick(group.pad(part)), part)


def test_layers_compute_real_tokens_alone() -> None:
    seen: list[int] = []
    stack = BertEncoder(tiny_config())
    for layer in stack.layers:
        layer.feed_forward.register_forward_hook(  # type: ignore[union-attr]
            lambda _, inputs, __: seen.append(inputs[0].shape[:-1].numel())
        )
    mask = torch.arange(16) < torch.tensor([16, 9, 9, 2])[:, None]
    stack(torch.randn(4, 16, HIDDEN), mask)
    assert seen == [36, 36]


def test_a_full_batch_and_a_row_of_padding_alone_are_left_as_they_are() -> None:
    assert find_real_tokens(None, num_heads=2) is None
    nearly_full = torch.arange(64) < torch.tensor([64, 63])[:, None]
    assert find_real_tokens(nearly_full, num_heads=2) is None
    assert find_real_tokens(nearly_full & (torch.arange(64) < 40), num_heads=2) is not None
    mask = torch.tensor([[True, True], [False, False]])
    assert find_real_tokens(mask, num_heads=2) is None
    assert BertEncoder(tiny_config())(torch.randn(2, 2, HIDDEN), mask).isfinite().all()


def pairs(lengths: list[int], stops: list[int], cost: int) -> int:
    """Count what some groups come to."""
    groups = (lengths[start:stop] for start, stop in pairwise([0, *stops]))
    return sum(len(group) * max(group) ** 2 + cost for group in groups)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=9), st.integers(0, 2000))
def test_no_way_to_group_is_cheaper(lengths: list[int], cost: int) -> None:
    found = cheapest_groups(lengths, cost=cost)
    ways = [
        [place for place, ends in enumerate(way, start=1) if ends] + [len(lengths)]
        for way in product([False, True], repeat=len(lengths) - 1)
    ]
    assert found in ways
    assert pairs(lengths, found, cost) == min(pairs(lengths, way, cost) for way in ways)


def test_rows_of_one_length_are_one_group() -> None:
    assert cheapest_groups([30] * 16, cost=1) == [16]
    assert cheapest_groups([], cost=1) == []
