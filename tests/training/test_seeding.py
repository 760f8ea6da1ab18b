from __future__ import annotations

import torch

from lit_roberta.training.seeding import dropout_seed, seeded_dropout

CPU = torch.device("cpu")


def draw(seed: int) -> torch.Tensor:
    with seeded_dropout(seed, device=CPU):
        return torch.rand(100)


def test_seed_depends_on_run_update_and_rank() -> None:
    seeds = {
        dropout_seed(seed, update=update, rank=rank)
        for seed in (0, 1, 2**40)
        for update in range(50)
        for rank in range(3)
    }
    assert len(seeds) == 3 * 50 * 3


def test_neighbouring_updates_draw_unrelated_numbers() -> None:
    one = draw(dropout_seed(0, update=7, rank=0))
    other = draw(dropout_seed(0, update=8, rank=0))
    assert abs(float(torch.corrcoef(torch.stack([one, other]))[0, 1])) < 0.5
    torch.testing.assert_close(one, draw(dropout_seed(0, update=7, rank=0)), rtol=0, atol=0)


def test_callers_own_stream_goes_on_as_if_nothing_had_happened() -> None:
    state = torch.get_rng_state()
    expected = torch.rand(5)
    torch.set_rng_state(state)
    draw(3)
    torch.testing.assert_close(torch.rand(5), expected, rtol=0, atol=0)
