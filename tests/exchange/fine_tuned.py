"""Tiny fine-tuned models of ours and of theirs, and what both compute."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained, build_task_model
from lit_roberta.exchange.tasks import CLASSES, Task
from lit_roberta.model.bert import BertModel
from lit_roberta.model.task_heads import TaskKind
from tests.exchange.models import random_ids, tiny_pretrained
from tests.model.examples import randomize, tiny_config
from tests.model.peers import build

LABELS = ("no", "yes", "may\u00adbe: 'never'")
KINDS = [
    *(prefix + ending for prefix in ("Bert", "Roberta") for ending in CLASSES.values()),
    "XLMRobertaForTokenClassification",
    "CamembertForSequenceClassification",
]


def task_of(kind: TaskKind, labels: tuple[str, ...] = LABELS, **more: Any) -> Task:
    has_labels = kind in ("sequence-classification", "token-classification")
    return Task(kind=kind, labels=labels if has_labels else (), **more)


def fine_tuned(kind: TaskKind, family: Family, task: Task | None = None) -> Pretrained:
    """Draw a model as fine-tuning would leave it: from pretraining, with all of its heads."""
    is_bert = family == "bert"
    first = tiny_pretrained("BertForPreTraining" if is_bert else "RobertaForMaskedLM")
    drawn = replace(first, task=task_of(kind) if task is None else task)
    model = build_task_model(drawn)
    randomize(model)
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    return replace(drawn, weights={**first.weights, **weights})


def peer(kind: str) -> Any:
    """Draw a model of theirs, with the sizes and the labels of a user."""
    changes = {} if kind.startswith("Bert") else {"type_vocab_size": 1}
    theirs = build(kind, BertModel(tiny_config(**changes)))
    if "Classification" in kind:
        settings = theirs.config
        settings.id2label = dict(enumerate(LABELS))
        settings.label2id = {label: row for row, label in enumerate(LABELS)}
        settings.classifier_dropout = 0.25
        theirs = type(theirs)(settings)
    randomize(theirs)
    return theirs.eval()


@torch.no_grad()
def logits_of(theirs: Any, inputs: tuple[Tensor, ...], *, is_choice: bool) -> Tensor:
    ids, second, real = (each[None] if is_choice else each for each in inputs)
    segments = {"token_type_ids": second} if theirs.config.type_vocab_size > 1 else {}
    given = theirs(input_ids=ids, attention_mask=real.long(), **segments)
    if "start_logits" in given:
        return torch.stack([given.start_logits, given.end_logits], dim=-1)
    logits: Tensor = given.logits
    return logits


def assert_same_logits(pretrained: Pretrained, theirs: Any) -> None:
    """Compare at real places, and see that nothing that is compared is zero."""
    ids, second, real = inputs = random_ids(pretrained)
    model = build_task_model(pretrained)
    is_choice = model.kind == "multiple-choice"
    rows = [each[None] if is_choice else each for each in (ids, second, real)]
    if theirs.config.type_vocab_size == 1:
        rows[1] = torch.zeros_like(rows[1])
    with torch.no_grad():
        ours = model(*rows)
    wanted = logits_of(theirs, inputs, is_choice=is_choice)
    assert ours.shape == wanted.shape
    if ours.dim() == 3:
        ours, wanted = ours[real], wanted[real]
    assert ours.std() > 0.01
    assert_close(ours, wanted, rtol=0, atol=1e-5)


def config_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return found
