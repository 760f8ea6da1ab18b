"""A model for a task, from pretrained weights: the encoder theirs, the head fresh or theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.tasks import HEAD, Task
from lit_roberta.finetuning.tasks.base import FinetuningTask, TunedModel

_POOLER = "next_sentence_head.pooler."
_READ_AT_CLS = ("sequence-classification", "multiple-choice")
_HEADS = ("masked_lm_head.", "next_sentence_head.", HEAD)


def start_model(
    pretrained: Pretrained,
    task: FinetuningTask[Any, Any],
    *,
    keep_head: bool,
    head_dropout: float | None,
    seed: int,
) -> tuple[TunedModel, Pretrained, list[str]]:
    """Build the model of a task.

    BERT's sequence classification reads [CLS] through the dense layer that next-sentence
    prediction trained, where there is one; all else of a head is drawn.

    Args:
        pretrained: The weights.
        task: The task.
        keep_head: Go on with the head that is there, of the same labels.
        head_dropout: None for the encoder's.
        seed: Of what is drawn.

    Returns:
        The model; where it came from, without weights; and what was done, a line each.

    Raises:
        UserError: If a head is to be kept that is not there, or another task's.
    """
    wanted = task.exchange_task()
    if wanted is None:
        return _start_with_its_head(pretrained, task, head_dropout=head_dropout, seed=seed)
    wanted = replace(wanted, dropout=head_dropout)
    told = [f"Starting from {pretrained.source}.", *pretrained.notices]
    weights = dict(pretrained.weights)
    if keep_head:
        _check_head(pretrained.task, wanted)
        told.append("Its head is kept.")
    else:
        weights = {name: each for name, each in weights.items() if not name.startswith(_HEADS)}
        pooler = _pooler(pretrained, task)
        weights |= pooler
        told.append(_say(pretrained, has_pooler=bool(pooler)))
    model = task.build_model(replace(pretrained, weights=weights, task=wanted), seed=seed)
    return model.train(), replace(pretrained, weights={}, task=wanted), told


def _start_with_its_head(
    pretrained: Pretrained,
    task: FinetuningTask[Any, Any],
    *,
    head_dropout: float | None,
    seed: int,
) -> tuple[TunedModel, Pretrained, list[str]]:
    """Build the model of a task that is read by the head of pretraining, with nothing fresh."""
    if head_dropout is not None:
        remedy = "The masked-language-model head has no dropout."
        raise must("model.head_dropout", "be left out for this task", head_dropout, remedy)
    if not pretrained.has_masked_lm_head:
        remedy = "Label words are read by it: take another model, or data.task classification."
        name = "model.pretrained"
        raise must(name, "have a masked-language-model head", pretrained.source, remedy)
    told = [f"Starting from {pretrained.source}.", *pretrained.notices]
    told.append("Its masked-language-model head is kept, and says the labels.")
    if pretrained.has_next_sentence_head:
        told.append("Its next-sentence head is left out.")
    model = task.build_model(pretrained, seed=seed)
    return model.train(), replace(pretrained, weights={}, task=None), told


def _pooler(pretrained: Pretrained, task: FinetuningTask[Any, Any]) -> dict[str, Tensor]:
    """Give the dense layer of BERT's [CLS], under the name that a head has for it."""
    if pretrained.family != "bert" or task.kind not in _READ_AT_CLS:
        return {}
    return {
        f"{HEAD}dense.{name.removeprefix(_POOLER)}": weight
        for name, weight in pretrained.weights.items()
        if name.startswith(_POOLER)
    }


def _say(pretrained: Pretrained, *, has_pooler: bool) -> str:
    fresh = "The head is fresh"
    if has_pooler:
        fresh += ", but for its dense layer, which is the pooler's"
    if pretrained.task is not None:
        fresh += f"; the one for {pretrained.task.kind} is left out (--model.keep_head true)"
    return f"{fresh}."


def _check_head(there: Task | None, wanted: Task) -> None:
    if there is None:
        remedy = "It was only pretrained."
        raise must("model.keep_head", "be false for a model without a head", True, remedy)
    if (there.kind, there.labels) != (wanted.kind, wanted.labels):
        got = f"{there.kind} with {', '.join(there.labels) or 'no labels'}"
        remedy = "Without it, the task begins with a fresh head."
        raise must("model.keep_head", "be for the head of the same labels", got, remedy)
