"""Tiny models and batches that the tests share, and the measure of equal gradients."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lit_roberta.batch import IGNORE_INDEX, Batch
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.objectives import loss_sum

VOCAB = 99
CLS = 2


def tiny_config(**changes: float) -> EncoderConfig:
    settings = {
        "vocab_size": VOCAB,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 64,
        "max_position_embeddings": 24,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }
    return EncoderConfig(**(settings | changes))  # type: ignore[arg-type]


def randomize(model: nn.Module, *, seed: int = 0, std: float = 0.1) -> None:
    """Move every parameter off its initial value: zero biases would hide mistakes."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.empty(parameter.shape).normal_(std=std, generator=generator)
            parameter.add_(noise.to(parameter.dtype))


@dataclass(frozen=True)
class Example:
    """A batch, with its labels at all positions too."""

    batch: Batch
    dense_labels: Tensor


def random_batch(
    *, seed: int = 0, rows: int = 5, seq: int = 16, lowest_id: int = 5, segments: bool = True
) -> Example:
    """Rows of random lengths with right padding, some slots without use, and one full row."""
    generator = torch.Generator().manual_seed(seed)

    def integers(low: int, high: int, *shape: int) -> Tensor:
        return torch.randint(low, high, shape, generator=generator)

    lengths = integers(4, seq + 1, rows)
    lengths[0] = seq
    input_ids = integers(lowest_id, VOCAB, rows, seq)
    input_ids[:, 0] = CLS
    slots = 4
    positions = torch.zeros(rows, slots, dtype=torch.int64)
    labels = torch.full((rows, slots), IGNORE_INDEX)
    for row, length in enumerate(lengths.tolist()):
        used = 1 + row % (slots - 1)
        order = torch.randperm(length - 1, generator=generator)[:used] + 1
        positions[row, 1 : 1 + used] = order
        labels[row, 1 : 1 + used] = integers(lowest_id, VOCAB, used)
    dense = torch.full((rows, seq), IGNORE_INDEX)
    for row in range(rows):
        used_slots = labels[row] != IGNORE_INDEX
        dense[row, positions[row, used_slots]] = labels[row, used_slots]
    columns = torch.arange(seq)
    second = (columns >= lengths[:, None] // 2) & (columns < lengths[:, None])
    batch = Batch(
        input_ids=input_ids,
        segment_ids=second.long() if segments else None,
        attention_mask=columns < lengths[:, None],
        positions=positions,
        labels=labels,
        next_sentence_labels=integers(0, 2, rows),
    )
    return Example(batch, dense)


def gradients(model: nn.Module) -> dict[str, Tensor]:
    """Take the gradients of the last backward pass, by parameter."""
    found = {}
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        found[name] = parameter.grad.clone()
    return found


def pretraining_loss(model: BertModel, example: Example, *, sparse: bool) -> Tensor:
    """Mean masked-LM loss, plus the mean next-sentence loss where the model has the head."""
    batch = example.batch
    output = model(*batch[:4]) if sparse else model(*batch[:3])
    labels = batch.labels[:, 1:] if sparse else example.dense_labels
    loss = loss_sum(output.mlm_logits, labels) / (labels != IGNORE_INDEX).sum()
    if output.nsp_logits is not None:
        assert batch.next_sentence_labels is not None
        loss = loss + loss_sum(output.nsp_logits, batch.next_sentence_labels) / len(
            batch.input_ids
        )
    return loss


def pretraining_gradients(
    model: BertModel, example: Example, *, sparse: bool
) -> dict[str, Tensor]:
    model.zero_grad()
    pretraining_loss(model, example, sparse=sparse).backward()  # type: ignore[no-untyped-call]
    return gradients(model)


def assert_same_gradients(
    ours: dict[str, Tensor], theirs: dict[str, Tensor], *, tolerance: float = 1e-5
) -> None:
    """Compare tensor by tensor, against its own norm or a hundredth of the norm of all.

    The second because some gradients are zero by algebra (a key's bias), where a relative
    difference means nothing.
    """
    assert ours.keys() == theirs.keys()
    total = torch.stack([gradient.norm() for gradient in theirs.values()]).norm()
    for name, gradient in theirs.items():
        difference = (ours[name] - gradient).norm()
        bound = tolerance * torch.maximum(gradient.norm(), 0.01 * total)
        assert difference <= bound, f"{name}: {difference:.2e} > {bound:.2e}"
