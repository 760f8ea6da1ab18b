"""What a model makes of text: sums by document, never a mean of means.

In: a model and batches that say which document each prediction belongs to. Out: sums. It does not
know where the text comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int, Int64
from torch import Tensor
from torch.utils.data import Dataset

from lit_roberta.batch import IGNORE_INDEX, Batch, HeldOutBatch
from lit_roberta.comparison.runs.predictions import KINDS, Kind, Predictions, Tally
from lit_roberta.model.bert import BertModel, BertOutput
from lit_roberta.objectives import correct_labels, cross_entropies, perplexity


@dataclass
class DocumentSums:
    """Cross-entropies, counts and correct predictions, by document."""

    nats: Float64[np.ndarray, " documents"]
    counts: Int64[np.ndarray, " documents"]
    num_correct: int = 0
    kinds: dict[Kind, tuple[float, int]] = field(default_factory=dict)
    """Summed nats and their count, by what stood at the position."""

    @property
    def loss(self) -> float:
        """Nats per predicted token; 0 where nothing was predicted."""
        return float(self.nats.sum() / max(1, self.counts.sum()))

    @property
    def perplexity(self) -> float:
        """Exponential of the loss."""
        return perplexity(self.loss)

    @property
    def accuracy(self) -> float:
        """Share of the predicted tokens that were the first guess."""
        return self.num_correct / max(1, int(self.counts.sum()))

    @property
    def loss_by_kind(self) -> dict[Kind, float]:
        """Nats per predicted token, by what stood at the position."""
        return {kind: total / count for kind, (total, count) in self.kinds.items() if count}


def score(
    model: BertModel,
    text: Dataset[HeldOutBatch],
    *,
    num_documents: int,
    mask_id: int,
    tallies: Sequence[Tally] = (),
) -> DocumentSums:
    """Predict what is masked in a text.

    Args:
        model: In any mode; it is scored in evaluation mode and then put back.
        text: Batches, in any cut; the cut changes nothing but rounding.
        num_documents: Documents of the part that the text is from.
        mask_id: Id of `[MASK]`.
        tallies: Shown every prediction, too.

    Returns:
        The sums, in nats.
    """
    sums = DocumentSums(
        np.zeros(num_documents),
        np.zeros(num_documents, dtype=np.int64),
        kinds=dict.fromkeys(KINDS, (0.0, 0)),
    )
    for number, ((batch, documents), output) in enumerate(_predictions(model, text)):
        found, counted = _predicted(number, batch, output, mask_id=mask_id)
        where = documents[:, 1:][counted].numpy()
        sums.nats += np.bincount(where, weights=found.nats, minlength=num_documents)
        sums.counts += np.bincount(where, minlength=num_documents)
        sums.num_correct += int(found.right.sum())
        _add_kinds(sums, found)
        for tally in tallies:
            tally(found)
    return sums


def score_next_sentence(model: BertModel, pairs: Dataset[HeldOutBatch]) -> float:
    """Give the share of pairs of which the model tells rightly whether B follows A."""
    right = total = 0
    for (batch, _), output in _predictions(model, pairs):
        assert output.nsp_logits is not None, "the model has no next-sentence head"
        assert batch.next_sentence_labels is not None, "the text has no pairs"
        right += int((output.nsp_logits.argmax(dim=1) == batch.next_sentence_labels).sum())
        total += len(batch.next_sentence_labels)
    return right / max(1, total)


def to_device(batch: Batch, device: torch.device) -> Batch:
    """Move a batch to a device; what is None stays None."""
    return Batch._make(None if part is None else part.to(device) for part in batch)


def batches_of(text: Dataset[HeldOutBatch]) -> Iterator[HeldOutBatch]:
    """Yield all batches of a text, in order."""
    for index in range(len(text)):  # type: ignore[arg-type]  # a map-style dataset has a length
        yield text[index]


def _predictions(
    model: BertModel, text: Dataset[HeldOutBatch]
) -> Iterator[tuple[HeldOutBatch, BertOutput]]:
    """Run the model in evaluation mode over a text, on the model's device."""
    was_training = model.training
    device = next(model.parameters()).device
    model.eval()
    try:
        for held_out in batches_of(text):
            batch = to_device(held_out.batch, device)
            with torch.inference_mode():
                output = model(*batch[:4])
            yield HeldOutBatch(batch, held_out.documents), output
    finally:
        model.train(was_training)


def _kinds(batch: Batch, mask_id: int) -> Int[Tensor, "batch slots"]:
    """Tell what stands at each slot but the first: a place in `KINDS`."""
    found = batch.input_ids.gather(1, batch.positions[:, 1:])
    kept = (found == batch.labels[:, 1:]).long()
    return torch.where(found == mask_id, 0, 1 + kept)


def _predicted(
    number: int, batch: Batch, output: BertOutput, *, mask_id: int
) -> tuple[Predictions, Bool[Tensor, "batch slots"]]:
    """Take what was predicted out of a batch, and tell in which slots but the first it stood."""
    labels = batch.labels[:, 1:]
    counted = labels != IGNORE_INDEX
    losses = cross_entropies(output.mlm_logits, labels)
    found = Predictions(
        batch=number,
        logits=output.mlm_logits[counted],
        labels=labels[counted].cpu(),
        nats=losses[counted].double().cpu().numpy(),
        right=correct_labels(output.mlm_logits, labels)[counted].cpu().numpy(),
        columns=batch.positions[:, 1:][counted].cpu().numpy(),
        kinds=_kinds(batch, mask_id)[counted].cpu().numpy(),
    )
    return found, counted.cpu()


def _add_kinds(sums: DocumentSums, found: Predictions) -> None:
    totals = np.bincount(found.kinds, weights=found.nats, minlength=len(KINDS))
    counts = np.bincount(found.kinds, minlength=len(KINDS))
    for place, kind in enumerate(KINDS):
        total, count = sums.kinds[kind]
        sums.kinds[kind] = (total + float(totals[place]), count + int(counts[place]))
