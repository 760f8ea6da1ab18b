"""The gradient of an update is that of torch's mean over all its labels, however it is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import pytorch_lightning as pl
import torch
from torch.nn.functional import cross_entropy, mse_loss

from lit_roberta.finetuning.items import Item, Row
from lit_roberta.finetuning.module import FinetuningModule
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.regression import Regression
from lit_roberta.finetuning.tasks.tagging import Tagging
from lit_roberta.finetuning.updates import TaskUpdates
from lit_roberta.finetuning.weighting import make_weighting
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.task_heads import TaskModel

WEIGHTS = [0.5, 3.0, 1.0]
TASKS: dict[str, FinetuningTask[Any, Any]] = {
    "classification": Classification("abc"),
    "tagging": Tagging("abc"),
    "regression": Regression(),
}
CONFIG = EncoderConfig(
    vocab_size=40,
    hidden_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=32,
    max_position_embeddings=16,
)


def labels_of(task: FinetuningTask[Any, Any], number: int, length: int) -> np.ndarray:
    if task.by_place:  # control tokens have none
        return np.array([-100, *((number + np.arange(length - 2)) % 3), -100])
    return np.asarray(number % 3) if task.weighs_labels else np.asarray(number / 4, np.float32)


def items_of(task: FinetuningTask[Any, Any]) -> list[Item]:
    """Eleven rows of different lengths, whose labels are not equally frequent."""
    lengths = [4 + number % 7 for number in range(11)]
    return [
        Item(
            (Row(np.arange(number, number + length, dtype=np.int32), length),),
            labels_of(task, number * number, length),
            number,
        )
        for number, length in enumerate(lengths)
    ]


@pytest.mark.parametrize("at_once", [1, 4, 11])
@pytest.mark.parametrize(
    ("name", "class_weights", "label_smoothing"),
    [
        ("classification", "none", 0.0),
        ("classification", WEIGHTS, 0.0),
        ("classification", WEIGHTS, 0.1),
        ("tagging", WEIGHTS, 0.1),
        ("regression", "none", 0.0),
    ],
)
def test_the_gradient_is_that_of_the_mean_over_the_whole_update(
    name: str, class_weights: Any, label_smoothing: float, at_once: int
) -> None:
    task = TASKS[name]
    settings: dict[str, Any] = {"label_smoothing": label_smoothing}
    module = FinetuningModule(class_weights=class_weights, **settings)
    module.task = task
    outputs = len(task.labels) or 1
    module.model = TaskModel(CONFIG, kind=task.kind, num_outputs=outputs).double().eval()
    module.trainer = pl.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False)
    items = items_of(task)
    module.weighting = make_weighting(task, items, class_weights=class_weights, **settings)
    update = TaskUpdates(
        items,
        batch_size=len(items),
        micro_batch_size=at_once,
        pad_id=0,
        segments=False,
        by_place=task.by_place,
        seed=0,
    )[0]
    counts = module._counts(update)
    sums = [0.0, 0.0]
    for batch in update.micro_batches():
        mean, parts = module.losses(batch, counts)
        mean.backward()  # type: ignore[no-untyped-call]
        sums = [total + float(part.detach()) for total, part in zip(sums, parts, strict=True)]
    found = [parameter.grad for parameter in module.model.parameters()]

    module.model.zero_grad()
    logits = module.model(update.input_ids, None, update.attention_mask)
    if name == "regression":
        wanted = mse_loss(logits.squeeze(-1), update.labels.double())
    else:
        weight = None if class_weights == "none" else torch.tensor(WEIGHTS, dtype=torch.double)
        wanted = cross_entropy(
            logits.flatten(0, -2),
            update.labels.flatten(),
            weight=weight,
            label_smoothing=label_smoothing,
        )
    wanted.backward()  # type: ignore[no-untyped-call]
    assert float(module.mean_loss(counts, list(sums))) == pytest.approx(
        float(wanted.detach()), rel=1e-6
    )
    for parameter, gradient in zip(module.model.parameters(), found, strict=True):
        assert (gradient is None) == (parameter.grad is None)
        if gradient is not None:
            # losses are computed in single precision
            torch.testing.assert_close(gradient, parameter.grad, rtol=1e-4, atol=1e-7)
