from __future__ import annotations

import numpy as np
import pytest

from lit_roberta.randomness import Purpose, below, keyed_bits, mix, name_number, random_bits, unit


def test_the_hash_is_that_of_splitmix64() -> None:
    # The first two numbers of the reference generator with seed 0.
    states = np.array([0, 0x9E3779B97F4A7C15], dtype=np.uint64)
    assert mix(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


def test_a_number_does_not_depend_on_the_array_that_it_is_drawn_in() -> None:
    together = random_bits(3, Purpose.ORDER, np.arange(4)[:, None], np.arange(5))
    for first in range(4):
        for second in range(5):
            alone = random_bits(3, Purpose.ORDER, first, second)
            assert alone.shape == ()
            assert alone == together[first, second]


def test_every_part_of_the_key_counts() -> None:
    keys = [
        random_bits(seed, purpose, *numbers).item()
        for seed in (0, 1, -1, 2**64 - 2, 2**32)
        for purpose in (Purpose.ORDER, Purpose.DROPOUT)
        for numbers in ((), (0,), (1,), (-1,), (0, 1), (1, 0))
    ]
    assert len(set(keys)) == len(keys)


def test_drawing_changes_neither_keys_nor_later_draws() -> None:
    keys = random_bits(0, Purpose.VISIT, np.arange(8))
    before = keys.copy()
    first = keyed_bits(keys, Purpose.MASK_CHOICE, 3)
    assert (keys == before).all()
    assert (keyed_bits(keys, Purpose.MASK_CHOICE, 3) == first).all()
    assert (random_bits(0, Purpose.VISIT, np.arange(8)) == before).all()


def test_draws_for_different_purposes_and_numbers_differ() -> None:
    keys = random_bits(0, Purpose.VISIT, np.arange(1000))
    draws = np.stack(
        [
            keyed_bits(keys, purpose, number)
            for purpose in (Purpose.MASK_CHOICE, Purpose.MASK_ACTION)
            for number in range(3)
        ]
    )
    assert len(np.unique(draws)) == draws.size
    ones = np.unpackbits(np.bitwise_xor(draws[:-1], draws[1:]).view(np.uint8)).mean()
    assert abs(ones - 0.5) < 5 * 0.5 / np.sqrt(5 * 1000 * 64)


@pytest.mark.parametrize("limit", [1, 2, 7, 1000, 2**32])
def test_whole_numbers_lie_below_their_limit(limit: int) -> None:
    drawn = below(random_bits(0, Purpose.ORDER, np.arange(5000)), limit)
    assert drawn.min() >= 0
    assert drawn.max() < limit
    assert abs(drawn.mean() / limit - (limit - 1) / (2 * limit)) < 5 * 0.29 / np.sqrt(5000)


def test_units_never_reach_one() -> None:
    assert unit(np.array([0, 2**64 - 1], dtype=np.uint64)).tolist() == [0.0, 1 - 2.0**-53]


def test_names_have_fixed_numbers() -> None:
    assert name_number("heads.bias") == name_number("heads.bias") != name_number("heads.weight")
