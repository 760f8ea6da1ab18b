from __future__ import annotations

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.flops import training_flops


def test_flops_are_those_of_a_count_by_hand() -> None:
    """One layer, width 2, inner width 3, 5 words; a sequence of 4 tokens, 1 of them predicted."""
    encoder = EncoderConfig(
        vocab_size=5,
        hidden_size=2,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=3,
    )
    keys_and_values = 2 * 4 * 2 * 2  # two products of 4 x 2 by 2 x 2, in multiply-adds
    queries_and_output = 2 * 2 * 2 * 2  # at the predicted token and [CLS]
    scores_and_mixing = 2 * (2 * 2 * 4)  # 2 x 2 by 2 x 4, and back
    feed_forward = 2 * (2 * 2 * 3)
    head = 1 * 2 * 2 + 1 * 2 * 5
    forward = 2 * (keys_and_values + queries_and_output + scores_and_mixing + feed_forward + head)
    ours = training_flops(encoder, lengths=torch.tensor([4]), predictions=torch.tensor([1]))
    assert ours == 3 * forward


@pytest.mark.parametrize("layers", [1, 3])
def test_flops_are_those_that_torch_counts(layers: int) -> None:
    encoder = EncoderConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=40,
        attention_probs_dropout_prob=0.0,
    )
    model = BertModel(encoder)
    input_ids = torch.randint(5, 50, (4, 9))
    positions = torch.tensor([[0, 2, 5]] * 4)
    # The fused kernels are not counted; this one is made of products that are.
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        model(input_ids, positions=positions).mlm_logits.sum().backward()
    ours = training_flops(
        encoder, lengths=torch.tensor([9] * 4), predictions=torch.tensor([2] * 4)
    )
    assert counter.get_total_flops() == pytest.approx(ours, rel=0.01)
