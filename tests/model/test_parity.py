from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.model.bert import BertModel
from lit_roberta.objectives import loss_sum
from tests.model.examples import (
    Example,
    assert_same_gradients,
    pretraining_gradients,
    pretraining_loss,
    random_batch,
    randomize,
    tiny_config,
)
from tests.model.peers import build, copy_weights, their_gradients

SEEDS = [0, 1, 2]


def compare(ours: BertModel, kind: str, example: Example, **labels: torch.Tensor) -> None:
    theirs = build(kind, ours)
    randomize(theirs)
    copy_weights(ours, theirs)
    batch = example.batch
    segments = batch.segment_ids
    output = theirs(
        input_ids=batch.input_ids,
        token_type_ids=torch.zeros_like(batch.input_ids) if segments is None else segments,
        attention_mask=batch.attention_mask.long() if batch.attention_mask is not None else None,
        labels=example.dense_labels,
        output_hidden_states=True,
        **labels,
    )
    real = batch.attention_mask
    dense = ours(*batch[:3])
    assert_close(dense.last_hidden_state[real], output.hidden_states[-1][real])
    logits = output.prediction_logits if "prediction_logits" in output else output.logits
    assert_close(dense.mlm_logits[real], logits[real])
    if dense.nsp_logits is not None:
        assert_close(dense.nsp_logits.flip(-1), output.seq_relationship_logits)
    output.loss.backward()
    for sparse in (False, True):
        assert_close(pretraining_loss(ours, example, sparse=sparse), output.loss)
        assert_same_gradients(
            pretraining_gradients(ours, example, sparse=sparse), their_gradients(ours, theirs)
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_bert_with_both_heads_is_that_of_transformers(seed: int) -> None:
    example = random_batch(seed=seed)
    assert example.batch.next_sentence_labels is not None
    ours = BertModel(tiny_config(tanh_pooler=True), next_sentence=True)
    # Theirs calls "B follows A" class 0.
    compare(
        ours,
        "BertForPreTraining",
        example,
        next_sentence_label=1 - example.batch.next_sentence_labels,
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", ["RobertaForMaskedLM"])
def test_roberta_is_that_of_transformers(kind: str, seed: int) -> None:
    ours = BertModel(tiny_config(layer_norm_eps=1e-5))
    compare(ours, kind, random_batch(seed=seed, segments=False))


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
