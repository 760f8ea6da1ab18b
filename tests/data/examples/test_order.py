from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.examples.order import examples_at


@settings(max_examples=80, deadline=None)
@given(
    num_examples=st.integers(1, 3000), seed=st.integers(-(2**70), 2**70), epoch=st.integers(0, 50)
)
def test_every_epoch_holds_each_example_exactly_once(
    num_examples: int, seed: int, epoch: int
) -> None:
    places = epoch * num_examples + np.arange(num_examples)
    order = examples_at(places, num_examples=num_examples, seed=seed)
    assert np.array_equal(np.sort(order), np.arange(num_examples))


def test_a_place_needs_no_other_place() -> None:
    places = np.arange(5000)
    together = examples_at(places, num_examples=777, seed=1)
    alone = [int(examples_at(np.array([p]), num_examples=777, seed=1)[0]) for p in (0, 776, 4999)]
    assert alone == together[[0, 776, 4999]].tolist()
    assert np.array_equal(
        examples_at(places.reshape(50, 100), num_examples=777, seed=1), together.reshape(50, 100)
    )


def test_epochs_and_seeds_have_orders_of_their_own() -> None:
    orders = examples_at(np.arange(3 * 500), num_examples=500, seed=0).reshape(3, 500)
    other = examples_at(np.arange(500), num_examples=500, seed=1)
    assert (orders[0] == orders[1]).sum() < 10
    assert (orders[1] == orders[2]).sum() < 10
    assert (orders[0] == other).sum() < 10


def test_it_works_for_more_examples_than_memory_holds() -> None:
    num_examples = 400_000_000_000
    order = examples_at(np.arange(1000) + 7 * num_examples, num_examples=num_examples, seed=0)
    assert len(np.unique(order)) == 1000
    assert order.min() >= 0
    assert order.max() < num_examples
    assert abs(order.mean() / num_examples - 0.5) < 5 / math.sqrt(12 * 1000)


def test_examples_and_neighbours_are_spread_evenly() -> None:
    num_examples, epochs = 60, 1500
    order = examples_at(np.arange(num_examples * epochs), num_examples=num_examples, seed=3)
    order = order.reshape(epochs, num_examples)
    where = np.zeros((num_examples, num_examples))
    np.add.at(where, (np.arange(num_examples), order), 1)
    assert z_score(where.ravel(), freedom=(num_examples - 1) ** 2) < 5
    neighbours = np.zeros((num_examples, num_examples))
    np.add.at(neighbours, (order[:, :-1], order[:, 1:]), 1)
    pairs = neighbours[~np.eye(num_examples, dtype=bool)]
    assert z_score(pairs, freedom=len(pairs) - 1) < 5


def z_score(counts: np.ndarray[tuple[int], np.dtype[np.float64]], *, freedom: int) -> float:
    """Tell by how many standard deviations counts differ more than chance allows."""
    chi_square = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
    return float((chi_square - freedom) / math.sqrt(2 * freedom))
