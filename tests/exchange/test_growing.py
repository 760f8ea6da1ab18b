from __future__ import annotations

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange.growing import with_positions, with_words
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig

TOKENS, BIAS = "embeddings.token.weight", "masked_lm_head.bias"
POSITIONS = "embeddings.position.weight"
CONFIG = EncoderConfig(
    vocab_size=12,
    hidden_size=8,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=6,
)


def model(*, masked_lm_head: bool = True) -> Pretrained:
    """A random model whose decoder has a bias, too."""
    weights = dict(BertModel(CONFIG, seed=3).state_dict())
    weights[BIAS] = torch.randn(12, generator=torch.Generator().manual_seed(0))
    if not masked_lm_head:
        weights = {name: weights[name] for name in weights if "masked_lm_head" not in name}
    return Pretrained(
        source="here", family="bert", encoder=CONFIG, weights=weights, tokenizer=None
    )


def test_a_word_starts_from_the_mean_of_its_pieces() -> None:
    source = model()
    grown = with_words(source, {12: [3, 5], 13: [7, 7, 9]}, vocab_size=14)
    assert grown.encoder.vocab_size == 14
    for name in (TOKENS, BIAS):
        old, new = source.weights[name], grown.weights[name]
        assert len(new) == 14
        torch.testing.assert_close(new[:12], old, rtol=0, atol=0)
        torch.testing.assert_close(new[12], (old[3] + old[5]) / 2)
        torch.testing.assert_close(new[13], (old[7] * 2 + old[9]) / 3)
    assert grown.build().config == grown.encoder


def test_words_take_the_rows_that_padding_left() -> None:
    source = model()
    grown = with_words(source, {10: [3], 11: [4], 12: [5]}, vocab_size=13)
    old, new = source.weights[TOKENS], grown.weights[TOKENS]
    assert len(new) == 13
    assert torch.equal(new, torch.cat([old[:10], old[[3, 4, 5]]]))
    untouched = with_words(source, {}, vocab_size=9)
    assert untouched.encoder == CONFIG
    assert torch.equal(untouched.weights[TOKENS], old)


def test_a_model_without_a_decoder_gets_rows_too() -> None:
    grown = with_words(model(masked_lm_head=False), {12: [0, 1]}, vocab_size=13)
    assert grown.build().masked_lm_head.bias.shape == (13,)


@pytest.mark.parametrize("length", [6, 7, 12, 15])
def test_new_positions_begin_again_at_the_first(length: int) -> None:
    source = model()
    grown = with_positions(source, length)
    old, new = source.weights[POSITIONS], grown.weights[POSITIONS]
    assert grown.encoder.max_position_embeddings == len(new) == length
    assert torch.equal(new, torch.cat([old, old, old])[:length])
    ids = torch.arange(6)[None]
    before, after = source.build()(ids), grown.build()(ids)
    assert torch.equal(before.mlm_logits, after.mlm_logits)
    assert grown.build()(torch.zeros(1, length, dtype=torch.int64)).mlm_logits.isfinite().all()


def test_positions_are_not_taken_away() -> None:
    with pytest.raises(UserError, match=r"extend_positions must be 6 or more, got 5\."):
        with_positions(model(), 5)
