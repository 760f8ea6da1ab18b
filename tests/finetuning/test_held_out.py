"""A part is judged whole: each example once, by whichever rank, and the loss over all of it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning import held_out
from lit_roberta.finetuning.gathering import Judged
from lit_roberta.finetuning.held_out import JudgedBatches, whole_examples_by_length
from lit_roberta.finetuning.items import Item, Row

WINDOWS = st.lists(st.lists(st.integers(3, 12), min_size=1, max_size=3), min_size=1, max_size=9)
"""Of each example, the lengths of its windows."""


def items_of(windows: list[list[int]]) -> list[Item]:
    return [
        Item((Row(np.arange(length, dtype=np.int32), length),), np.asarray(0), number)
        for number, lengths in enumerate(windows)
        for length in lengths
    ]


@given(WINDOWS, st.integers(1, 40))
def test_batches_hold_whole_examples_and_no_more_tokens_than_they_may(
    windows: list[list[int]], batch_tokens: int
) -> None:
    items = items_of(windows)
    batches = whole_examples_by_length(items, batch_tokens=batch_tokens)
    assert sorted(number for batch in batches for number in batch) == list(range(len(items)))
    for batch in batches:
        examples = {items[number].example for number in batch}
        assert len(batch) == sum(len(windows[example]) for example in examples)
        tokens = len(batch) * max(items[number].seq for number in batch)
        assert tokens <= batch_tokens or len(examples) == 1


@given(WINDOWS, st.integers(1, 4))
def test_ranks_judge_each_example_once_in_as_many_batches_each(
    windows: list[list[int]], world_size: int
) -> None:
    items, counted, lengths = items_of(windows), [], set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held_out, "BATCH_TOKENS", 16)
        for rank in range(world_size):
            batches = JudgedBatches(
                items, pad_id=0, segments=False, rank=rank, world_size=world_size
            )
            lengths.add(len(batches))
            for number in range(len(batches)):
                batch = batches[number]
                assert len(batch.batch.labels) == len(batch.items) > 0
                counted += list(batch.items) if batch.counts else []
    assert len(lengths) == 1
    assert sorted(counted) == list(range(len(items)))


def test_the_loss_of_a_part_is_the_mean_over_the_labels_of_all_its_batches() -> None:
    judged, alone = Judged(), SimpleNamespace(world_size=1)
    trainer: Any = alone
    # the set of number 1 comes in two batches, the last example first
    judged.add(1, predictions=[(2, "c")], loss=torch.tensor(6.0), num_labels=1)
    judged.add(0, predictions=[(0, "other")], loss=torch.tensor(9.0), num_labels=1)
    judged.add(1, predictions=[(1, "b"), (0, "a")], loss=torch.tensor(3.0), num_labels=2)
    loss, found = judged.of(1, trainer)
    assert loss == 3.0
    assert list(found.items()) == [(0, "a"), (1, "b"), (2, "c")]
    assert judged.of(0, trainer) == (9.0, {0: "other"})
    judged.clear()
    assert judged.of(1, trainer) == (None, {})
