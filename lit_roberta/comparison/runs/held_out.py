"""Held-out text scored by a run's model, under masks that are the same for all recipes.

In: a model and the data that it was trained with. Out: scores in one input format, each token
predicted once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from lit_roberta.comparison.runs.buckets import BucketTally
from lit_roberta.comparison.runs.predictions import Tally
from lit_roberta.comparison.runs.run import Buckets, HeldOut
from lit_roberta.comparison.runs.scoring import DocumentSums, score
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.evaluation.evaluation_text import Part
from lit_roberta.data.evaluation.heldout import HeldOutDataset
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.errors import UserError
from lit_roberta.model.bert import BertModel

JUDGES_MASKING = MaskingConfig()
"""Held-out masks are the same for all recipes, whatever rate and shares they were trained with."""


def score_part(
    model: BertModel,
    data: PretrainingDataModule,
    part: Part,
    format: Format | None = None,
) -> DocumentSums:
    """Score a held-out part, each token predicted once, in one format (None: the recipe's own).

    Raises:
        UserError: If the loss is not a number any more.
    """
    return _score(model, data, part, _text(data, part, format))


def score_test(
    model: BertModel,
    data: PretrainingDataModule,
    format: Format,
    *,
    tallies: Sequence[Tally] = (),
) -> tuple[HeldOut, DocumentSums]:
    """Score the test part in one format, by buckets, too.

    Args:
        model: Of the run.
        data: Its own.
        format: The input format.
        tallies: Shown every prediction.

    Raises:
        UserError: If the loss is not a number any more.
    """
    text = _text(data, "test", format)
    buckets = BucketTally(data, text)
    sums = _score(model, data, "test", text, tallies=[buckets.add, *tallies])
    return describe(sums, buckets.buckets()), sums


def describe(sums: DocumentSums, buckets: Buckets | None = None) -> HeldOut:
    """Write sums as scores."""
    return HeldOut(
        mlm_loss=sums.loss,
        perplexity=sums.perplexity,
        mlm_accuracy=sums.accuracy,
        loss_by_kind={str(kind): loss for kind, loss in sums.loss_by_kind.items()},
        document_nats=[round(value, 6) for value in sums.nats.tolist()],
        buckets=buckets or {},
    )


def _text(data: PretrainingDataModule, part: Part, format: Format | None) -> HeldOutDataset:
    return replace(data.evaluation, masking=JUDGES_MASKING).held_out(part, format=format)


def _score(
    model: BertModel,
    data: PretrainingDataModule,
    part: Part,
    text: HeldOutDataset,
    *,
    tallies: Sequence[Tally] = (),
) -> DocumentSums:
    sums = score(
        model,
        text,
        num_documents=getattr(data.parts, part).num_documents,
        mask_id=data.vocabulary.mask_id,
        tallies=tallies,
    )
    if not math.isfinite(sums.perplexity):
        raise UserError(
            f"The {part} loss is {sums.loss}: the run has diverged. "
            "Try a lower model.optimizer.lr, or a longer warm-up."
        )
    return sums
