from __future__ import annotations

import torch
from torch.testing import assert_close

from lit_roberta.model.bert import BertModel
from tests.model.examples import tiny_config


def test_a_next_sentence_head_does_not_move_the_other_weights() -> None:
    without = BertModel(tiny_config(), seed=3).state_dict()
    having = BertModel(tiny_config(), next_sentence=True, seed=3).state_dict()
    for name, weights in without.items():
        assert torch.equal(having[name], weights), name


def test_more_layers_do_not_move_the_other_weights() -> None:
    deep = BertModel(tiny_config(num_hidden_layers=3)).state_dict()
    for name, weights in BertModel(tiny_config()).state_dict().items():
        assert torch.equal(deep[name], weights), name


def test_weights_follow_the_seed_and_no_two_tensors_are_alike() -> None:
    first, again, other = (BertModel(tiny_config(), seed=seed).state_dict() for seed in (1, 1, 2))
    matrices = [name for name, weights in first.items() if weights.dim() == 2]
    for name in matrices:
        assert torch.equal(first[name], again[name])
        assert not torch.equal(first[name], other[name])
    starts = {tuple(first[name].flatten()[:8].tolist()) for name in matrices}
    assert len(starts) == len(matrices)


def test_building_a_model_leaves_the_global_generator_alone() -> None:
    before = torch.get_rng_state()
    BertModel(tiny_config())
    assert torch.equal(torch.get_rng_state(), before)


def test_matrices_are_normal_biases_zero_and_norms_the_identity() -> None:
    model = BertModel(tiny_config(hidden_size=64, initializer_range=0.05))
    for name, weights in model.state_dict().items():
        if weights.dim() == 2:
            # Five standard errors of a mean and of a standard deviation.
            count = weights.numel()
            assert abs(weights.mean()) < 5 * 0.05 / count**0.5, name
            assert abs(weights.std() - 0.05) < 5 * 0.05 / (2 * count) ** 0.5, name
        else:
            is_scale = "norm.weight" in name
            assert_close(weights, torch.full_like(weights, float(is_scale)), msg=name)


def test_double_precision_starts_from_the_same_weights() -> None:
    single = BertModel(tiny_config()).state_dict()
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        double = BertModel(tiny_config()).state_dict()
    finally:
        torch.set_default_dtype(before)
    for name, weights in double.items():
        assert torch.equal(weights.float(), single[name])
