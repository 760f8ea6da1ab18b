"""The largest update that a run could have, for asking whether it fits."""

from __future__ import annotations

import math

import torch

from lit_roberta.batch import IGNORE_INDEX, Cut, Update
from lit_roberta.data.datamodule import PretrainingDataModule


def longest_update(data: PretrainingDataModule, size: int, *, share: int, seq: int) -> Update:
    """Build an update of the longest sequences, whose text means nothing.

    Args:
        data: Tells the vocabulary, the masking rate and whether there are pairs.
        size: Sequences of a micro-batch.
        share: Sequences of a device's share of an update. Where it is more than the size there are
            two micro-batches, so that gradients are there while the second graph grows.
        seq: Tokens of each sequence.
    """
    rows = min(share, 2 * size)
    predicted = math.ceil(data.masking.rate * seq)
    ids = torch.from_numpy(data.vocabulary.ordinary_ids).long()
    input_ids = ids[torch.arange(rows * seq) % len(ids)].view(rows, seq)
    input_ids[:, 0] = data.vocabulary.cls_id
    positions = torch.arange(predicted + 1).clamp(max=seq - 1).expand(rows, -1).contiguous()
    labels = input_ids.gather(1, positions)
    labels[:, 0] = IGNORE_INDEX
    mask = torch.ones(rows, seq, dtype=torch.bool)
    mask[:, -1] = seq == 1  # a place of padding, because attention with a mask takes more
    return Update(
        number=0,
        input_ids=input_ids,
        segment_ids=torch.zeros_like(input_ids) if data.pairs else None,
        attention_mask=mask,
        positions=positions,
        labels=labels,
        next_sentence_labels=torch.ones(rows, dtype=torch.long) if data.pairs else None,
        cuts=tuple(
            Cut(start, min(start + size, rows), seq, predicted + 1, True)
            for start in range(0, rows, size)
        ),
        num_labels=rows * predicted,
        num_tokens=int(mask.sum()),
        num_sequences=rows,
    )
