"""What a model and its exported twin compute on the same input, side by side.

In: the two, and a batch. Out: the output that differs most, and by how much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lit_roberta.exchange.architectures import Home
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.tasks import CLASSES
from lit_roberta.model.bert import BertModel
from lit_roberta.model.task_heads import TaskModel


class Inputs(NamedTuple):
    """A batch, and what to call it."""

    name: str
    ids: Tensor
    segments: Tensor
    real: Tensor


class Difference(NamedTuple):
    """How far an output is from ours."""

    output: str
    size: float
    """The largest absolute one; NaN where one of the two is no number."""


@torch.no_grad()
def largest_difference(
    ours: BertModel | TaskModel, theirs: Any, inputs: Inputs, *, home: Home, pretrained: Pretrained
) -> Difference:
    """Compare all outputs at real positions.

    Args:
        ours: The model.
        theirs: Of the class that `home` names.
        inputs: A batch.
        home: Where the model went.
        pretrained: What the model is made of.
    """
    given = _run(theirs, inputs, home)
    if isinstance(ours, TaskModel):
        return _task_difference(ours, given, inputs)
    wanted = ours(inputs.ids, inputs.segments, inputs.real)
    hidden = wanted.last_hidden_state
    real = inputs.real
    pairs = [("hidden states", hidden[real], given.hidden_states[-1][real])]
    if pretrained.has_masked_lm_head:
        logits = given["prediction_logits" if "prediction_logits" in given else "logits"]
        pairs.append(("logits", wanted.mlm_logits[real], logits[real]))
    if home.architecture.endswith(("ForPreTraining", "ForNextSentencePrediction")):
        is_both = "seq_relationship_logits" in given
        logits = given["seq_relationship_logits" if is_both else "logits"]
        pairs.append(("next-sentence logits", wanted.nsp_logits.flip(-1), logits))
    if home.architecture.endswith("Model") and pretrained.has_pooler:
        pairs.append(("pooled vectors", _pool(hidden[:, 0], pretrained), given.pooler_output))
    found = [Difference(name, float((one - two).abs().max())) for name, one, two in pairs]
    # What is no number differs most.
    return max(found, key=lambda each: (each.size != each.size, each.size))


def _task_difference(ours: TaskModel, given: Any, inputs: Inputs) -> Difference:
    ids, segments, real = inputs.ids, inputs.segments, inputs.real
    if ours.kind == "multiple-choice":
        ids, segments, real = (each[None] for each in (ids, segments, real))
    wanted = ours(ids, segments, real)
    if ours.kind == "question-answering":
        logits = torch.stack([given.start_logits, given.end_logits], dim=-1)
    else:
        logits = given.logits
    difference = (wanted - logits).abs()
    if wanted.dim() == 3:
        difference = difference[inputs.real]
    return Difference("logits", float(difference.max()))


def _run(theirs: Any, inputs: Inputs, home: Home) -> Any:
    arguments = {"input_ids": inputs.ids, "attention_mask": inputs.real.long()}
    if home.family == "bert":
        arguments["token_type_ids"] = inputs.segments
    if home.architecture.endswith(CLASSES["multiple-choice"]):
        # The rows are the choices.
        arguments = {name: value[None] for name, value in arguments.items()}
    return theirs(**arguments, output_hidden_states=True)


def _pool(cls_states: Tensor, pretrained: Pretrained) -> Tensor:
    weight, bias = (
        pretrained.weights[f"next_sentence_head.pooler.{kind}"].to(cls_states.dtype)
        for kind in ("weight", "bias")
    )
    return torch.tanh(F.linear(cls_states, weight, bias))
