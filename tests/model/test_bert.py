from __future__ import annotations

from functools import partial

import jaxtyping
import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.model.bert import BertModel
from tests.model.examples import (
    VOCAB,
    assert_same_gradients,
    pretraining_gradients,
    pretraining_loss,
    random_batch,
    randomize,
    tiny_config,
)


def random_model(*, next_sentence: bool = True, rate: float = 0.0, layers: int = 2) -> BertModel:
    config = tiny_config(
        hidden_dropout_prob=rate, attention_probs_dropout_prob=rate, num_hidden_layers=layers
    )
    model = BertModel(config, next_sentence=next_sentence)
    randomize(model)
    return model


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float64, 1e-10)])
@pytest.mark.parametrize("seed", [0, 1])
def test_working_only_at_the_slots_changes_no_result(
    seed: int, dtype: torch.dtype, tolerance: float, layers: int
) -> None:
    model = random_model(layers=layers).to(dtype)
    example = random_batch(seed=seed)
    batch = example.batch
    dense, sparse = model(*batch[:3]), model(*batch[:4])
    places = batch.positions[..., None]
    close = partial(assert_close, rtol=tolerance, atol=tolerance)
    close(sparse.last_hidden_state, dense.last_hidden_state.take_along_dim(places, 1))
    close(sparse.mlm_logits, dense.mlm_logits.take_along_dim(places, 1)[:, 1:])
    close(sparse.nsp_logits, dense.nsp_logits)
    assert_same_gradients(
        pretraining_gradients(model, example, sparse=True),
        pretraining_gradients(model, example, sparse=False),
        tolerance=tolerance,
    )


@pytest.mark.parametrize("training", [False, True])
def test_padding_changes_nothing_at_real_tokens(training: bool) -> None:
    model = random_model().train(training)
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(5, VOCAB, (2, 9), generator=generator)
    alone = model(ids)
    more = torch.full((2, 7), 7)
    real = torch.ones_like(ids, dtype=torch.bool)
    right = model(
        torch.cat([ids, more], 1), None, torch.cat([real, torch.zeros(2, 7, dtype=torch.bool)], 1)
    )
    assert_close(right.mlm_logits[:, :9], alone.mlm_logits)
    assert_close(right.nsp_logits, alone.nsp_logits)
    # With padding on the left the positions move; what must not matter is what the padding holds.
    mask = torch.cat([torch.zeros(2, 7, dtype=torch.bool), real], 1)
    zeros = model(torch.cat([torch.zeros_like(more), ids], 1), None, mask)
    sevens = model(torch.cat([more, ids], 1), None, mask)
    assert_close(zeros.mlm_logits[:, 7:], sevens.mlm_logits[:, 7:])


def test_a_mask_of_ones_is_no_mask() -> None:
    model, batch = random_model(), random_batch().batch
    everything = torch.ones_like(batch.input_ids, dtype=torch.bool)
    assert_close(
        model(batch.input_ids, None, everything).mlm_logits, model(batch.input_ids).mlm_logits
    )


def test_rows_do_not_know_of_each_other() -> None:
    model, batch = random_model(), random_batch().batch
    order = torch.tensor([3, 1, 4, 0, 2])
    together = model(*batch[:4]).mlm_logits
    fields = [None if field is None else field[order] for field in batch[:4]]
    assert_close(model(*fields).mlm_logits, together[order])


@pytest.mark.parametrize("next_sentence", [False, True])
def test_shapes_are_those_of_the_diagram(next_sentence: bool) -> None:
    model, batch = random_model(next_sentence=next_sentence), random_batch().batch
    dense, sparse = model(*batch[:3]), model(*batch[:4])
    assert dense.last_hidden_state.shape == (5, 16, 32)
    assert dense.mlm_logits.shape == (5, 16, VOCAB)
    assert sparse.last_hidden_state.shape == (5, 4, 32)
    assert sparse.mlm_logits.shape == (5, 3, VOCAB)
    for output in (dense, sparse):
        assert next_sentence == (output.nsp_logits is not None)
        assert output.nsp_logits is None or output.nsp_logits.shape == (5, 2)


def test_a_batch_with_nothing_to_predict_is_served() -> None:
    model, batch = random_model(), random_batch().batch
    output = model(*batch[:3], batch.positions[:, :1])
    assert output.mlm_logits.shape == (5, 0, VOCAB)
    assert output.nsp_logits.shape == (5, 2)


def test_dropout_follows_the_seed_and_stops_outside_of_training() -> None:
    model, batch = random_model(rate=0.1), random_batch().batch

    def logits(seed: int) -> Tensor:
        torch.manual_seed(seed)
        out: Tensor = model(*batch[:4]).mlm_logits
        return out

    with torch.random.fork_rng(devices=[]):
        assert torch.equal(logits(0), logits(0))
        assert not torch.allclose(logits(0), logits(1))
        model.eval()
        assert torch.equal(logits(0), logits(1))


def test_the_tied_matrix_has_one_name_and_is_counted_once() -> None:
    model = random_model()
    shapes = [tuple(parameter.shape) for parameter in model.state_dict().values()]
    assert shapes.count((VOCAB, 32)) == 1
    before = model(torch.tensor([[2, 5, 3]])).mlm_logits
    with torch.no_grad():
        model.embeddings.token.weight[50] += 1  # a token that is not in the input
    after = model(torch.tensor([[2, 5, 3]])).mlm_logits
    assert (before != after).any(dim=(0, 1)).nonzero().tolist() == [[50]]


def test_a_pooler_without_its_reader_is_refused() -> None:
    with pytest.raises(UserError, match=r"model\.encoder\.tanh_pooler must be false without"):
        BertModel(tiny_config(tanh_pooler=True))


@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_one_batch_can_be_learned_by_heart(rate: float) -> None:
    model = BertModel(
        tiny_config(hidden_dropout_prob=rate, attention_probs_dropout_prob=rate),
        next_sentence=True,
    )
    example = random_batch(rows=8)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for _ in range(100):
            optimizer.zero_grad()
            pretraining_loss(model, example, sparse=True).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
    model.eval()
    assert pretraining_loss(model, example, sparse=True) < 0.1


@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_the_model_compiles_without_a_graph_break(
    rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    model, example = random_model(rate=rate), random_batch()
    explained = torch._dynamo.explain(model)(*example.batch[:4])
    assert explained.graph_break_count == 0, explained.break_reasons
    if rate == 0:
        expected = pretraining_gradients(model, example, sparse=True)
        model.compile(backend="aot_eager")
        assert_same_gradients(pretraining_gradients(model, example, sparse=True), expected)
