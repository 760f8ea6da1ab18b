from __future__ import annotations

from pathlib import Path

import pytest

from lit_roberta.comparison.runs import evaluation
from lit_roberta.comparison.runs.evaluation import score_trained_text
from lit_roberta.comparison.runs.scoring import score
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from tests.comparison.texts import write_text


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_text(tmp_path_factory.mktemp("text"))


def model_of(data: PretrainingDataModule) -> BertModel:
    encoder = EncoderConfig(
        vocab_size=data.vocab_size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.5,
    )
    return BertModel(encoder)


def loss_at(model: BertModel, data: PretrainingDataModule, visit: int) -> float:
    return score(
        model,
        # The same number of rows in a batch, on which the last digit depends on some processors.
        data.evaluation.trained(visit=visit, max_tokens=evaluation._MOST_TRAINED_TOKENS),
        num_documents=data.parts.train.num_documents,
        mask_id=data.vocabulary.mask_id,
    ).loss


@pytest.mark.parametrize("format", ["doc-sentences", "sentence-pair"])
@pytest.mark.parametrize(("copies", "visit"), [(1, 0), (2, 0), (10, 2), (None, 2)])
def test_own_masks_are_those_of_the_last_whole_epoch_and_fresh_ones_of_none(
    text: Path, format: Format, copies: int | None, visit: int
) -> None:
    data = PretrainingDataModule(
        str(text),
        format=format,
        max_length=32,
        batch_size=1,
        masking=MaskingConfig(copies=copies),
    )
    model = model_of(data)
    updates = 3 * data.num_examples + 1  # three epochs are whole, and a fourth has begun
    own, fresh = score_trained_text(model, data, updates=updates)
    assert own == loss_at(model, data, visit)
    seen = [loss_at(model, data, each) for each in range(4)]
    assert fresh not in seen
    assert len(set(seen)) == 4  # so that the masks can be told apart
    early, _ = score_trained_text(model, data, updates=1)
    assert early == loss_at(model, data, 0)
