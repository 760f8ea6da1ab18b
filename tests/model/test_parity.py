from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.model.bert import BertModel
from lit_roberta.objectives import loss_sum
from tests.model.examples import Example, random_batch, randomize, tiny_config
from tests.model.peers import build, compare, copy_weights

SEEDS = [0, 1, 2]


def compare_as_built(ours: BertModel, kind: str, example: Example) -> None:
    theirs = build(kind, ours)
    randomize(theirs)
    copy_weights(ours, theirs)
    compare(ours, theirs, example)


@pytest.mark.parametrize("seed", SEEDS)
def test_bert_with_both_heads_is_that_of_transformers(seed: int) -> None:
    ours = BertModel(tiny_config(tanh_pooler=True), next_sentence=True)
    compare_as_built(ours, "BertForPreTraining", random_batch(seed=seed))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["RobertaForMaskedLM"])
def test_roberta_is_that_of_transformers(kind: str, seed: int) -> None:
    ours = BertModel(tiny_config(layer_norm_eps=1e-5))
    compare_as_built(ours, kind, random_batch(seed=seed, segments=False))


@pytest.mark.parametrize("kind", ["BertForPreTraining", "RobertaForMaskedLM"])
def test_a_single_precision_reference_is_as_far_from_double_precision_as_we_are(kind: str) -> None:
    is_bert = kind.startswith("Bert")
    ours = BertModel(tiny_config(tanh_pooler=is_bert), next_sentence=is_bert)
    theirs = build(kind, ours)
    randomize(theirs, std=0.3)
    copy_weights(ours, theirs)
    batch = random_batch(segments=is_bert).batch
    real = batch.attention_mask
    assert real is not None

    def theirs_logits() -> torch.Tensor:
        inputs: dict[str, torch.Tensor | None] = {
            "input_ids": batch.input_ids,
            "attention_mask": real.long(),
        }
        if is_bert:
            inputs["token_type_ids"] = batch.segment_ids
        logits: torch.Tensor = theirs(**inputs)[0]
        return logits[real]

    single, theirs_single = ours(*batch[:3]).mlm_logits[real], theirs_logits()
    ours.double()
    theirs.double()
    exact = theirs_logits()
    assert_close(ours(*batch[:3]).mlm_logits[real], exact, rtol=1e-10, atol=1e-10)
    assert (single - exact).abs().max() < 3 * (theirs_single - exact).abs().max()


def test_a_batch_without_labels_has_loss_zero_where_theirs_is_nan() -> None:
    ours = BertModel(tiny_config())
    theirs = build("RobertaForMaskedLM", ours)
    batch = random_batch(segments=False).batch
    nothing = torch.full_like(batch.input_ids, IGNORE_INDEX)
    assert theirs(input_ids=batch.input_ids, labels=nothing).loss.isnan()
    assert loss_sum(ours(batch.input_ids).mlm_logits, nothing) == 0
