"""Whole runs of fine-tuning, beside `transformers`' models under torch's own AdamW.

Without dropout both are given the same weights and the same examples in every update. Theirs
computes a whole batch at once, with all that is padding; ours cuts it, and leaves out what is not
read.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch

from lit_roberta import FinetuningDataModule, FinetuningModule, start_finetuning
from lit_roberta.batch import TaskUpdate
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import Family
from lit_roberta.training.optimizer import OptimizerConfig
from lit_roberta.training.schedules import ScheduleConfig
from tests.finetuning.sources import SOURCES
from tests.inference.models import write_model

UPDATES = 6
OPTIMIZER = OptimizerConfig(lr=1e-3, weight_decay=0.1, clip_norm=0.5)
CLASSES = {
    "classification": "AutoModelForSequenceClassification",
    "regression": "AutoModelForSequenceClassification",
    "multiple-choice": "AutoModelForMultipleChoice",
    "tagging": "AutoModelForTokenClassification",
    "question-answering": "AutoModelForQuestionAnswering",
}
QUIET: dict[str, Any] = {
    "accelerator": "cpu",
    "logger": False,
    "enable_checkpointing": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
    "limit_val_batches": 0,
}


@pytest.mark.filterwarnings("ignore:.*does not have many workers.*")
@pytest.mark.parametrize(
    ("task", "family"),
    [
        ("classification", "bert"),
        *(
            pytest.param(task, family, marks=pytest.mark.slow)
            for task in CLASSES
            for family in ("bert", "roberta")
            if (task, family) != ("classification", "bert")
        ),
    ],
)
def test_updates_lead_to_the_weights_of_their_classes(
    tmp_path: Path, task: str, family: Family
) -> None:
    transformers = pytest.importorskip("transformers", reason="its classes are the peer")
    data, module = start(tmp_path, task, family)
    assert module.origin is not None
    weights = {name: each.clone() for name, each in module.model.state_dict().items()}
    begun = replace(module.origin, weights=weights)
    export(begun, tmp_path / "start")
    theirs = getattr(transformers, CLASSES[task]).from_pretrained(tmp_path / "start").train()
    train_theirs(theirs, data, task)
    theirs.save_pretrained(tmp_path / "start")
    pl.Trainer(max_steps=UPDATES, **QUIET).fit(module, datamodule=data)
    wanted, found = load_pretrained(str(tmp_path / "start")).weights, module.model.state_dict()
    moved = [(found[name] - begun.weights[name]).abs().max() for name in found]
    assert max(moved) > UPDATES * OPTIMIZER.lr / 10
    for name, weight in found.items():
        if task == "multiple-choice" and name == "task_head.classifier.bias":
            continue  # added to all choices it changes no loss: AdamW follows what rounding leaves
        assert torch.allclose(weight, wanted[name], rtol=0, atol=0.01 * OPTIMIZER.lr), name


def start(
    folder: Path, task: str, family: Family
) -> tuple[FinetuningDataModule, FinetuningModule]:
    """Examples of a task in updates of up to five, at most two at a time; and what learns them."""
    segments = 2 if family == "bert" else 1
    nowhere: dict[str, Any] = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    source = folder / "pretrained.ckpt"
    write_model(source, kind="wordpiece", family=family, type_vocab_size=segments, **nowhere)
    words = dict(word.removeprefix("--data.").split("=", 1) for word in SOURCES[task](folder))
    options = {"stride": 8, "max_question_length": 8} if task == "question-answering" else None
    data = FinetuningDataModule(
        task,
        train=words["train"],
        validation_share=0.0,
        options=options,
        max_length=24,
        batch_size=5,
        micro_batch_size=2,
    )
    schedule = ScheduleConfig(warmup_share=0.0)
    return data, start_finetuning(str(source), data, optimizer=OPTIMIZER, schedule=schedule)


def train_theirs(model: Any, data: FinetuningDataModule, task: str) -> None:
    """Learn what ours learns, by the textbook: no decay of biases and norms, a linear fall."""
    kept = [each for name, each in model.named_parameters() if is_kept(name)]
    decayed = [each for name, each in model.named_parameters() if not is_kept(name)]
    optimizer = torch.optim.AdamW(
        [
            {"params": decayed, "weight_decay": OPTIMIZER.weight_decay},
            {"params": kept, "weight_decay": 0.0},
        ],
        lr=OPTIMIZER.lr,
        betas=OPTIMIZER.betas,
        eps=OPTIMIZER.eps,
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: 1 - done / UPDATES)
    updates = data.updates()
    for number in range(UPDATES):
        model(**inputs_of(updates[number], task)).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), OPTIMIZER.clip_norm)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()


def is_kept(name: str) -> bool:
    return name.endswith(".bias") or "LayerNorm" in name


def inputs_of(update: TaskUpdate, task: str) -> dict[str, torch.Tensor]:
    """Name an update's tensors as their classes do."""
    inputs = {"input_ids": update.input_ids, "attention_mask": update.attention_mask.long()}
    if update.segment_ids is not None:
        inputs["token_type_ids"] = update.segment_ids
    if task == "question-answering":
        starts, ends = update.labels.long().T
        return inputs | {"start_positions": starts, "end_positions": ends}
    labels = update.labels
    return inputs | {"labels": labels.float() if task == "regression" else labels.long()}
