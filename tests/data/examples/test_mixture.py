from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.examples.mixture import Mixture
from lit_roberta.data.examples.order import examples_at
from lit_roberta.data.examples.packing import Examples, PackingConfig, pack
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import UserError

sizes = st.lists(st.integers(1, 12), min_size=2, max_size=4)


def corpus_of(sizes: list[int]) -> tuple[TokenizedCorpus, Examples]:
    """Make sources of so many documents of one sentence each, which are examples."""
    count = sum(sizes)
    corpus = TokenizedCorpus(
        tokens=np.full(3 * count, 7, np.uint16),
        word_starts=np.ones(3 * count, bool),
        sentence_offsets=3 * np.arange(count + 1),
        document_offsets=np.arange(count + 1),
        sources=np.repeat(np.arange(len(sizes)), sizes).astype(np.uint8),
    )
    return corpus, pack(corpus, PackingConfig(format="sentence", max_length=8), seed=0)


def mixture_of(sizes: list[int], shares: list[float] | None) -> Mixture:
    corpus, examples = corpus_of(sizes)
    return Mixture.of(examples, corpus, shares)


@settings(max_examples=60, deadline=None)
@given(sizes, st.integers(0, 9), st.integers(0, 3))
def test_without_shares_the_stream_is_what_it_was(sizes: list[int], seed: int, epoch: int) -> None:
    total = sum(sizes)
    places = np.arange(3 * total)
    examples, passes = mixture_of(sizes, None).look_up(places, seed=seed, first_epoch=epoch)
    expected = examples_at(places + epoch * total, num_examples=total, seed=seed)
    assert examples.tolist() == expected.tolist()
    assert passes.tolist() == (places // total).tolist()


@settings(max_examples=60, deadline=None)
@given(sizes, st.data(), st.integers(0, 9))
def test_every_source_has_its_share_and_is_read_through_before_it_is_read_again(
    sizes: list[int], data: st.DataObject, seed: int
) -> None:
    parts = data.draw(st.lists(st.integers(1, 9), min_size=len(sizes), max_size=len(sizes)))
    shares = [part / sum(parts) for part in parts]
    total, epochs = sum(sizes), 6
    examples, passes = mixture_of(sizes, shares).look_up(np.arange(epochs * total), seed=seed)
    bounds = np.append(0, np.cumsum(sizes))
    sources = np.searchsorted(bounds, examples, side="right") - 1
    for number, (share, size) in enumerate(zip(shares, sizes, strict=True)):
        count = int((sources == number).sum())
        # The places of an epoch are whole numbers: two roundings, in each of the epochs.
        assert abs(count - epochs * total * share) <= epochs
        seen = Counter(examples[sources == number].tolist())
        times = [seen[example] for example in range(bounds[number], bounds[number + 1])]
        assert max(times) - min(times) <= 1
        own = sources == number
        visits = Counter(zip(examples[own].tolist(), passes[own].tolist(), strict=True))
        assert set(visits.values()) <= {1}
        assert {visit for _, visit in visits} == set(range(-(-count // size)))


@settings(max_examples=30, deadline=None)
@given(sizes, st.integers(0, 9), st.integers(1, 7))
def test_a_place_alone_decides(sizes: list[int], seed: int, step: int) -> None:
    mixture = mixture_of(sizes, [1 / len(sizes)] * len(sizes))
    places = np.arange(4 * sum(sizes))
    whole = mixture.look_up(places, seed=seed)
    for some in (places[::step], places[::-1]):
        for found, expected in zip(mixture.look_up(some, seed=seed), whole, strict=True):
            assert found.tolist() == expected[some].tolist()


def test_passes_over_a_source_come_in_different_orders() -> None:
    mixture = mixture_of([40, 4], [0.9, 0.1])
    examples, passes = mixture.look_up(np.arange(44 * 4), seed=0)
    orders = [examples[(passes == visit) & (examples < 40)].tolist() for visit in range(3)]
    assert all(sorted(order) == list(range(40)) for order in orders)
    assert len(set(map(tuple, orders))) == 3


def test_a_source_without_an_example_is_refused() -> None:
    corpus, examples = corpus_of([3, 2])
    with pytest.raises(UserError, match="leave each source an example, and source 3 has none"):
        Mixture.of(examples, corpus, [0.2, 0.3, 0.5])
