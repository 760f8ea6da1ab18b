from __future__ import annotations

import math

import pytest

from lit_roberta.errors import UserError
from lit_roberta.model.config import EncoderConfig

SIZES = [
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
]


@pytest.mark.parametrize("value", [0, -1])
@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_positive(name: str, value: int) -> None:
    with pytest.raises(
        UserError, match=rf"^model\.encoder\.{name} must be 1 or more, got {value}\."
    ):
        EncoderConfig(**({"vocab_size": 99} | {name: value}))  # type: ignore[arg-type]


def test_heads_divide_the_hidden_size() -> None:
    with pytest.raises(UserError) as caught:
        EncoderConfig(vocab_size=99, hidden_size=128, num_attention_heads=3)
    assert str(caught.value) == (
        "model.encoder.num_attention_heads must divide the hidden size 128, got 3. "
        "Each head reads an equal share of it: change one of the two."
    )


@pytest.mark.parametrize("value", [-0.1, 1.0, 10.0, math.nan])
@pytest.mark.parametrize("name", ["hidden_dropout_prob", "attention_probs_dropout_prob"])
def test_dropout_rates_are_shares(name: str, value: float) -> None:
    with pytest.raises(UserError, match="be at least 0 and below 1"):
        EncoderConfig(vocab_size=99, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0.0, -1e-5, math.nan, math.inf])
@pytest.mark.parametrize("name", ["layer_norm_eps", "initializer_range"])
def test_small_numbers_are_positive(name: str, value: float) -> None:
    with pytest.raises(UserError, match="be above 0"):
        EncoderConfig(vocab_size=99, **{name: value})  # type: ignore[arg-type]
