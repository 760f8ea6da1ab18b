"""Which weights of a head are there before the first update."""

from __future__ import annotations

from typing import Any

import pytest

from lit_roberta.finetuning.starting import start_model
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.multiple_choice import MultipleChoice
from lit_roberta.finetuning.tasks.tagging import Tagging
from tests.exchange.models import tiny_pretrained

POOLER = "next_sentence_head.pooler.weight"


@pytest.mark.parametrize(
    ("architecture", "task", "is_taken"),
    [
        ("BertForPreTraining", Classification(["no", "yes"]), True),
        ("BertForPreTraining", MultipleChoice(), True),
        ("BertForPreTraining", Tagging(["O", "B-x"]), False),
        ("BertForMaskedLM", Classification(["no", "yes"]), False),
        ("RobertaForMaskedLM", Classification(["no", "yes"]), False),
    ],
)
def test_what_is_read_at_cls_goes_through_berts_pooler_where_there_is_one(
    architecture: str, task: Any, is_taken: bool
) -> None:
    pretrained = tiny_pretrained(architecture)
    heads: list[Any] = []
    for seed in (0, 1):
        model, _, told = start_model(
            pretrained, task, keep_head=False, head_dropout=None, seed=seed
        )
        assert any("which is the pooler's" in line for line in told) == is_taken
        weights = model.state_dict()
        heads.append(weights.get("task_head.dense.weight"))
        assert not weights["task_head.classifier.weight"].eq(0).all()
    if is_taken:
        assert all(head.equal(pretrained.weights[POOLER]) for head in heads)
    elif heads[0] is not None:
        assert not heads[0].equal(heads[1])
