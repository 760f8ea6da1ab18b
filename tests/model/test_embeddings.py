from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.model.embeddings import BertEmbeddings
from tests.model.examples import VOCAB, randomize, tiny_config


@pytest.fixture
def embeddings() -> BertEmbeddings:
    module = BertEmbeddings(tiny_config(max_position_embeddings=8))
    randomize(module)
    return module


def test_the_longest_length_runs_and_one_more_is_refused(embeddings: BertEmbeddings) -> None:
    assert embeddings(torch.zeros(1, 8, dtype=torch.int64)).shape == (1, 8, 32)
    with pytest.raises(UserError, match="input_ids must have at most 8 positions, got 9"):
        embeddings(torch.zeros(1, 9, dtype=torch.int64))


@pytest.mark.parametrize("bad", [VOCAB, VOCAB + 1000, -1])
def test_an_id_outside_of_the_vocabulary_is_named(embeddings: BertEmbeddings, bad: int) -> None:
    message = f"input_ids must lie from 0 to {VOCAB - 1}, got {bad}. .*vocab_size {VOCAB}"
    with pytest.raises(UserError, match=message):
        embeddings(torch.tensor([[2, bad, 3]]))


def test_a_segment_without_a_row_is_named(embeddings: BertEmbeddings) -> None:
    with pytest.raises(UserError, match="segment_ids must lie from 0 to 1, got 2"):
        embeddings(torch.tensor([[2, 5, 3]]), torch.tensor([[0, 1, 2]]))


def test_no_segment_ids_means_segment_zero(embeddings: BertEmbeddings) -> None:
    ids = torch.arange(8)[None]
    assert_close(embeddings(ids), embeddings(ids, torch.zeros_like(ids)))
    assert not torch.allclose(embeddings(ids), embeddings(ids, torch.ones_like(ids)))


def test_an_empty_batch_is_served(embeddings: BertEmbeddings) -> None:
    assert embeddings(torch.zeros(0, 8, dtype=torch.int64)).shape == (0, 8, 32)
