"""What can be said about the next sentence by whoever reads B and never A.

Next-sentence accuracy shows understanding only as far as it is above this: a random B that looks
different from a true one gives itself away.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64, Int64
from torch.utils.data import Dataset

from lit_roberta.batch import HeldOutBatch
from lit_roberta.comparison.runs.scoring import batches_of

_MOST_TOKENS = 2_000_000
"""Tokens of B that are counted: a naive classifier learns nothing more from a larger text."""


def accuracy_from_b_alone(
    train: Dataset[HeldOutBatch],
    held_out: Dataset[HeldOutBatch],
    *,
    vocab_size: int,
    sep_id: int,
) -> float:
    """Train a naive Bayes classifier on the tokens of B, and give its accuracy.

    Args:
        train: Pairs of the training text.
        held_out: Pairs to tell apart.
        vocab_size: Entries of the vocabulary.
        sep_id: Id of `[SEP]`, which closes B and tells nothing.

    Returns:
        Share of the held-out pairs that it gets right.
    """
    weights, prior = _train(train, vocab_size, sep_id)
    right = total = 0
    for tokens, follows in _seconds(held_out, sep_id):
        right += int((weights[tokens].sum() + prior > 0) == follows)
        total += 1
    return right / max(1, total)


def _train(
    pairs: Dataset[HeldOutBatch], vocab_size: int, sep_id: int
) -> tuple[Float64[np.ndarray, " vocab"], float]:
    """Give the log odds that each token adds, and those of the labels alone."""
    counts = np.ones((2, vocab_size))  # one of each unseen, so that no odds are infinite
    labels = np.ones(2)
    for tokens, follows in _seconds(pairs, sep_id):
        counts[int(follows)] += np.bincount(tokens, minlength=vocab_size)
        labels[int(follows)] += 1
        if counts.sum() > _MOST_TOKENS:
            break
    logs = np.log(counts / counts.sum(axis=1, keepdims=True))
    return logs[1] - logs[0], float(np.log(labels[1] / labels[0]))


def _seconds(
    pairs: Dataset[HeldOutBatch], sep_id: int
) -> Iterator[tuple[Int64[np.ndarray, " tokens"], bool]]:
    """Yield the tokens of each B, and whether it follows its A."""
    for batch, _ in batches_of(pairs):
        assert batch.segment_ids is not None, "without segments nobody knows where B starts"
        assert batch.next_sentence_labels is not None, "the text has no pairs"
        second = (batch.segment_ids == 1) & (batch.input_ids != sep_id)
        for ids, where, label in zip(
            batch.input_ids, second, batch.next_sentence_labels, strict=True
        ):
            yield ids[where].numpy(), bool(label)
