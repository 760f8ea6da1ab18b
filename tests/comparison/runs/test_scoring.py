from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from lit_roberta.comparison.runs.scoring import DocumentSums, score, score_next_sentence
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from tests.comparison.texts import write_text


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> PretrainingDataModule:
    text = write_text(tmp_path_factory.mktemp("text"))
    return PretrainingDataModule(str(text), format="sentence-pair", max_length=32)


@pytest.fixture(scope="module")
def model(data: PretrainingDataModule) -> BertModel:
    encoder = EncoderConfig(
        vocab_size=data.vocab_size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.5,
    )
    return BertModel(encoder, next_sentence=True)


def score_test(
    model: BertModel,
    data: PretrainingDataModule,
    *,
    format: Format = "sentence-pair",
    batch_size: int = 64,
) -> DocumentSums:
    return score(
        model,
        replace(data.evaluation, batch_size=batch_size).held_out("test", format=format),
        num_documents=data.parts.test.num_documents,
        mask_id=data.vocabulary.mask_id,
    )


@pytest.mark.parametrize("batch_size", [1, 3, 7])
def test_the_score_does_not_depend_on_the_batch(
    model: BertModel, data: PretrainingDataModule, batch_size: int
) -> None:
    whole, cut = score_test(model, data), score_test(model, data, batch_size=batch_size)
    np.testing.assert_allclose(cut.nats, whole.nats, rtol=1e-6)
    assert cut.loss == pytest.approx(whole.loss, rel=1e-6)
    assert (cut.counts == whole.counts).all()
    assert cut.accuracy == whole.accuracy


def test_the_same_tokens_are_predicted_in_every_format(
    model: BertModel, data: PretrainingDataModule
) -> None:
    pairs = score_test(model, data)
    documents = score_test(model, data, format="doc-sentences")
    assert (pairs.counts == documents.counts).all()
    assert pairs.counts.sum() == data.vocabulary.maskable[data.parts.test.tokens].sum()
    assert {kind: count for kind, (_, count) in pairs.kinds.items()} == {
        kind: count for kind, (_, count) in documents.kinds.items()
    }


def test_kinds_and_documents_add_up_to_the_whole(
    model: BertModel, data: PretrainingDataModule
) -> None:
    sums = score_test(model, data)
    assert sum(total for total, _ in sums.kinds.values()) == pytest.approx(sums.nats.sum())
    assert sum(count for _, count in sums.kinds.values()) == sums.counts.sum()
    assert set(sums.loss_by_kind) == {"mask", "random", "kept"}
    assert sums.perplexity == pytest.approx(np.exp(sums.loss))


def test_scoring_leaves_the_mode_as_it_was(model: BertModel, data: PretrainingDataModule) -> None:
    model.train()
    first, second = score_test(model, data), score_test(model, data)
    assert model.training
    assert (first.nats == second.nats).all()  # no dropout while scoring


def test_next_sentence_accuracy_counts_pairs(
    model: BertModel, data: PretrainingDataModule
) -> None:
    pairs = data.evaluation.pairs("test")
    follows = torch.cat([pairs[i].batch.next_sentence_labels for i in range(len(pairs))])  # type: ignore[misc]
    head = model.next_sentence_head
    assert head is not None
    with torch.no_grad():
        head.classifier.weight.zero_()
        head.classifier.bias.copy_(torch.tensor([0.0, 1.0]))  # always says that B follows
    assert score_next_sentence(model, pairs) == pytest.approx(float(follows.float().mean()))
