"""What is learned, beside torch's and transformers' own arithmetic."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.batch import IGNORE_INDEX, TaskBatch, TaskUpdate
from lit_roberta.errors import UserError
from lit_roberta.finetuning.items import Item, Row
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.losses import PLAIN, Weighting, class_losses
from lit_roberta.finetuning.tasks.regression import Regression
from lit_roberta.finetuning.updates import TaskUpdates
from lit_roberta.finetuning.weighting import make_weighting


def items(labels: list[int], lengths: list[int] | None = None) -> list[Item]:
    lengths = lengths or [3 + number % 7 for number in range(len(labels))]
    return [
        Item((Row(np.arange(length, dtype=np.int32), length),), np.asarray(label), number)
        for number, (label, length) in enumerate(zip(labels, lengths, strict=True))
    ]


def real_tokens(part: TaskBatch) -> int:
    mask = part.attention_mask
    return part.input_ids.numel() if mask is None else int(mask.sum())


def updates(number: int, **more: int) -> TaskUpdates:
    sizes: dict[str, Any] = {"batch_size": 8, "micro_batch_size": 3, "pad_id": 0, "seed": 1} | more
    labels = [each % 2 for each in range(number)]
    return TaskUpdates(items(labels), segments=False, by_place=False, **sizes)


@settings(deadline=None, max_examples=25)  # an update is built in each step
@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 20))
def test_the_parts_of_an_update_hold_each_row_once(
    number: int, at_once: int, batch_size: int
) -> None:
    stream = updates(number, batch_size=batch_size, micro_batch_size=at_once)
    seen: list[int] = []
    for update in range(stream.sizes.updates_per_epoch):
        whole: TaskUpdate = stream[update]
        parts = list(whole.micro_batches())
        assert sum(len(part.input_ids) for part in parts) == whole.num_sequences <= batch_size
        assert all(len(part.input_ids) <= at_once for part in parts)
        for part in parts:
            mask = part.attention_mask
            real = part.input_ids.shape[1] if mask is None else int(mask.sum(dim=1).max())
            assert real == part.input_ids.shape[1]  # as narrow as it can be
        tokens = sum(
            part.input_ids.numel()
            if part.attention_mask is None
            else int(part.attention_mask.sum())
            for part in parts
        )
        assert tokens == whole.num_tokens
        seen += stream.items_of(update).tolist()
    assert sorted(seen) == list(range(number))


def test_two_ranks_share_what_one_has() -> None:
    for update in range(6):
        alone = updates(20)[update]
        shares = [updates(20, rank=rank, world_size=2)[update] for rank in (0, 1)]
        assert sum(share.num_tokens for share in shares) == alone.num_tokens
        assert sum(share.num_labels for share in shares) == alone.num_labels
        assert len({len(share.cuts) for share in shares}) == 1


def test_another_epoch_has_another_order_and_the_same_seed_the_same() -> None:
    stream = updates(32)
    epochs = [np.concatenate([stream.items_of(4 * e + n) for n in range(4)]) for e in range(2)]
    assert epochs[0].tolist() != epochs[1].tolist()
    assert stream.items_of(5).tolist() == updates(32).items_of(5).tolist()
    assert stream.items_of(5).tolist() != updates(32, seed=2).items_of(5).tolist()


def test_weighted_and_smoothed_losses_are_torchs_over_the_whole_update() -> None:
    logits, labels = torch.randn(11, 3), torch.randint(0, 3, (11,))
    how = Weighting(class_weights=torch.tensor([0.5, 1.0, 4.0]), label_smoothing=0.1)
    parts = zip(torch.split(logits, 4), torch.split(labels, 4), strict=True)
    total = torch.stack([class_losses(part, target, how).loss for part, target in parts]).sum()
    wanted = torch.nn.functional.cross_entropy(
        logits, labels, weight=how.class_weights, label_smoothing=0.1
    )
    torch.testing.assert_close(total / how.weight_of(labels), wanted)


def test_balanced_weights_give_each_label_the_same_share() -> None:
    weighting = make_weighting(
        Classification("ab"),
        items([0] * 9 + [1] * 3),
        class_weights="balanced",
        label_smoothing=0.0,
    )
    assert weighting.class_weights is not None
    assert (weighting.class_weights * torch.tensor([9, 3])).tolist() == pytest.approx([6, 6])


def test_a_label_that_is_never_seen_has_no_weight_of_its_own() -> None:
    # smoothing gives each label a share, by its weight: that of one in no example is not the most
    task, seen = Classification("abc"), items([0] * 90 + [1] * 10)
    weights = make_weighting(task, seen, class_weights="balanced", label_smoothing=0.1)
    assert weights.class_weights is not None
    assert weights.class_weights.tolist()[2] == 1.0


def test_numbers_have_no_labels_to_weigh() -> None:
    with pytest.raises(UserError, match="label_smoothing must be left out"):
        make_weighting(Regression(), items([0]), class_weights="none", label_smoothing=0.1)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_perfect_numbers_cost_nothing(count: int) -> None:
    numbers = torch.arange(count).float()
    loss = Regression().losses(numbers[:, None], numbers, PLAIN).loss
    assert float(loss) == 0.0
    off = Regression().losses(numbers[:, None] + 1, numbers, PLAIN).loss
    assert float(off) == count  # a pair each, and not each with each


def test_what_has_no_label_costs_nothing_and_has_no_gradient() -> None:
    logits = torch.randn(3, 2, requires_grad=True)
    loss = class_losses(logits, torch.full((3,), IGNORE_INDEX)).loss
    loss.backward()  # type: ignore[no-untyped-call]
    assert float(loss.detach()) == 0.0
    assert logits.grad is not None
    assert not logits.grad.any()
    number = torch.randn(3, 1, requires_grad=True)
    loss = Regression().losses(number, torch.full((3,), math.nan), PLAIN).loss
    loss.backward()  # type: ignore[no-untyped-call]
    assert number.grad is not None
    assert not number.grad.any()
