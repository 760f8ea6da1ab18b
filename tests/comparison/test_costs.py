from __future__ import annotations

from dataclasses import asdict

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from lit_roberta.batch import IGNORE_INDEX, Cut, Update
from lit_roberta.comparison.costs import Costs, training_flops
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig

VOCABULARY = Vocabulary.plain(12)


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


def test_costs_are_counted_from_the_update() -> None:
    ignore = IGNORE_INDEX
    update = Update(
        number=0,
        input_ids=torch.tensor([[2, 4, 6, 3, 7, 3], [2, 8, 3, 0, 0, 0]]),
        segment_ids=None,
        attention_mask=torch.tensor([[True] * 6, [True] * 3 + [False] * 3]),
        positions=torch.tensor([[0, 1, 4], [0, 1, 0]]),
        labels=torch.tensor([[ignore, 5, 7], [ignore, 8, ignore]]),
        next_sentence_labels=None,
        cuts=(Cut(0, 2, 6, 3, True),),
        num_labels=3,
        num_tokens=9,
        num_sequences=2,
    )
    costs = Costs()
    costs.add(update, encoder=EncoderConfig(vocab_size=12), vocabulary=VOCABULARY)
    costs.add(update, encoder=EncoderConfig(vocab_size=12), vocabulary=VOCABULARY)
    assert (costs.updates, costs.sequences, costs.tokens) == (2, 4, 18)
    assert (costs.text_tokens, costs.predictions) == (8, 6)
    assert costs.flops > 0
    assert Costs(**asdict(costs)) == costs
