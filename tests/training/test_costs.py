from __future__ import annotations

from dataclasses import asdict

import torch

from lit_roberta.batch import IGNORE_INDEX, Cut, Update
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.costs import Costs

VOCABULARY = Vocabulary.plain(12)


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
