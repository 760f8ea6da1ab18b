from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.objectives import (
    correct_labels,
    cross_entropies,
    frequency_weights,
    loss_sum,
    loss_weights,
    perplexity,
    sums,
    unigram_cross_entropy,
)


@pytest.fixture
def logits() -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(3, 4, 7, generator=generator, requires_grad=True)


LABELS = torch.tensor(
    [[1, 2, IGNORE_INDEX, 6], [IGNORE_INDEX, 0, 0, IGNORE_INDEX], [IGNORE_INDEX] * 4]
)
COUNTED = LABELS != IGNORE_INDEX


def test_each_loss_is_minus_the_log_of_the_labels_probability(logits: Tensor) -> None:
    losses = cross_entropies(logits, LABELS)
    expected = -logits.log_softmax(-1).gather(-1, LABELS.clamp(min=0)[..., None])[..., 0]
    assert_close(losses, expected * COUNTED)


def test_the_sum_and_its_gradient_are_torchs(logits: Tensor) -> None:
    (ours,) = torch.autograd.grad(loss_sum(logits, LABELS), logits)
    theirs_loss = F.cross_entropy(logits.flatten(0, 1), LABELS.flatten(), reduction="sum")
    assert_close(loss_sum(logits, LABELS), theirs_loss)
    (theirs,) = torch.autograd.grad(theirs_loss, logits)
    assert_close(ours, theirs)


def test_a_second_backward_pass_is_refused_rather_than_wrong(logits: Tensor) -> None:
    loss = loss_sum(logits, LABELS)
    loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()  # type: ignore[no-untyped-call]


def test_sums_add_up_over_any_cut(logits: Tensor) -> None:
    whole = sums(logits, LABELS)
    parts = [sums(logits[row : row + 1], LABELS[row : row + 1]) for row in range(3)]
    for total, *shares in zip(whole, *parts, strict=True):
        assert_close(total, torch.stack(shares).sum())
    assert whole.num_labels == COUNTED.sum()
    assert whole.num_correct == correct_labels(logits, LABELS).sum()
    assert torch.equal(correct_labels(logits, LABELS), logits.argmax(-1) == LABELS)


def test_nothing_to_predict_is_zero_with_gradient_zero(logits: Tensor) -> None:
    nothing = torch.full_like(LABELS, IGNORE_INDEX)
    loss = loss_sum(logits, nothing)
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss == 0
    assert logits.grad is not None
    assert logits.grad.count_nonzero() == 0
    assert sums(logits, nothing).num_labels == 0
    empty = loss_sum(logits[:, :0], LABELS[:, :0])
    assert empty == 0


@pytest.mark.parametrize("size", [1e4, 1e30])
def test_extreme_logits_stay_finite(size: float) -> None:
    logits = torch.tensor([[size, -size, 0.0], [0.0, size, -size]], requires_grad=True)
    labels = torch.tensor([0, 2])
    loss = loss_sum(logits, labels)
    loss.backward()  # type: ignore[no-untyped-call]
    assert_close(loss, torch.tensor(2 * size))
    assert_close(logits.grad, torch.tensor([[0.0, 0.0, 0.0], [0.0, 1.0, -1.0]]))


def test_half_precision_logits_are_summed_in_single_precision() -> None:
    logits = torch.zeros(1, 50_000, dtype=torch.bfloat16)
    loss = loss_sum(logits, torch.tensor([3]))
    assert loss.dtype == torch.float32
    assert_close(loss, torch.tensor(math.log(50_000)))


def test_two_classes_are_scored_alike() -> None:
    logits, labels = torch.tensor([[2.0, 1.0], [0.0, 3.0]]), torch.tensor([1, IGNORE_INDEX])
    result = sums(logits, labels)
    assert_close(result.loss, torch.tensor(math.log1p(math.e)))
    assert result.num_labels == 1
    assert result.num_correct == 0


def test_weights_multiply_each_loss_and_never_the_evaluation(logits: Tensor) -> None:
    weights = torch.arange(7.0)
    expected = (cross_entropies(logits, LABELS) * weights[LABELS.clamp(min=0)]).sum()
    assert_close(loss_sum(logits, LABELS, weights), expected)
    assert_close(sums(logits, LABELS).loss, loss_sum(logits, LABELS, torch.ones(7)))


COUNTS = np.array([50, 9, 0, 3, 1, 0, 16])
SPECIAL = frozenset({0, 2})


def test_frequency_weights_sum_to_one_and_favour_the_rare() -> None:
    weights = frequency_weights(COUNTS, SPECIAL)
    assert weights.sum() == pytest.approx(1)
    assert weights[[0, 2]].tolist() == [0, 0]
    assert weights[5] == weights[4]  # a count of 0 counts as 1
    assert weights[4] == pytest.approx(3 * weights[3])
    assert weights[4] == pytest.approx(16 * weights[6])


def test_loss_weights_average_to_one_over_the_training_tokens() -> None:
    weights = loss_weights(COUNTS, SPECIAL)
    ordinary = [1, 3, 4, 5, 6]
    tokens = np.repeat(ordinary, COUNTS[ordinary])
    assert weights.dtype == torch.float32
    assert weights[tokens].mean() == pytest.approx(1)
    assert_close(
        weights / weights.sum(), torch.from_numpy(frequency_weights(COUNTS, SPECIAL)).float()
    )


def test_a_uniform_loss_has_the_perplexity_of_the_vocabularys_size() -> None:
    assert perplexity(math.log(100)) == pytest.approx(100)
    assert perplexity(1e6) == math.inf
    assert math.isnan(perplexity(math.nan))


def test_the_unigram_line_is_the_entropy_on_the_training_text_itself() -> None:
    counts = np.array([1, 2, 4, 8])
    shares = counts / counts.sum()
    assert unigram_cross_entropy(counts, counts) == pytest.approx(-(shares * np.log(shares)).sum())
    assert unigram_cross_entropy(np.array([9, 0]), np.array([0, 1])) == pytest.approx(math.log(10))
