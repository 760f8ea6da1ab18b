"""What a run of fine-tuning puts into its checkpoint, and takes from it to go on.

Tokenizer, labels by name, task, and what a way to Hugging Face needs stand in it as plain data,
under the names that `exchange` reads.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytorch_lightning.trainer.states import TrainerFn

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.checkpoint import FINETUNING
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.tasks import Task
from lit_roberta.finetuning.checkpoint import make_task
from lit_roberta.finetuning.conditions import finetuning_conditions
from lit_roberta.finetuning.examples import are_pairs
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.checkpoint_settings import check_weights
from lit_roberta.training.optimizer import order_by_name
from lit_roberta.training.run_state import hyper_parameters

if TYPE_CHECKING:
    from lit_roberta.finetuning.datamodule import FinetuningDataModule
    from lit_roberta.finetuning.module import FinetuningModule


def add_finetuned(module: FinetuningModule, checkpoint: dict[str, Any]) -> None:
    """Add what a run that goes on, or a reader, needs besides the weights.

    Args:
        module: Attached to its trainer.
        checkpoint: Changed in place.
    """
    data, task, origin = module.datamodule, module.task, module.origin
    assert origin is not None, "begin comes first"
    checkpoint[module.CHECKPOINT_HYPER_PARAMS_KEY] = hyper_parameters(module)
    checkpoint["encoder"] = asdict(module.model.config)
    checkpoint["tokenizer"] = data.tokenizer.to_json()
    checkpoint["task"] = None if origin.task is None else asdict(origin.task)
    checkpoint["family"] = origin.family
    checkpoint["pad_id"] = origin.pad_id
    checkpoint["config"] = dict(origin.config)
    checkpoint["longest_text"] = origin.longest_text
    checkpoint[FINETUNING] = {
        "task": data.spec.name,
        "labels": list(task.labels),
        "metrics": list(task.metrics),
        "options": dict(task.options),
        "max_length": data.max_length,
        "pairs": are_pairs(data.parts.train),
        "num_examples": _num_examples(data),
        "source": origin.source,
        "total_updates": module.total_updates,
        "num_tokens": module.num_tokens,
        "meter": module.meter.state_dict(),
        "epoch_meter": module.epoch_meter.state_dict(),
        "conditions": finetuning_conditions(module.trainer, data),
    }
    checkpoint["divergence"] = module.divergence.state_dict()


def _num_examples(data: FinetuningDataModule) -> dict[str, int]:
    """Count the examples of what a run learns from and is judged by."""
    validation = data.examples("validation").values()
    return {"train": len(data.parts.train), "validation": sum(map(len, validation))}


def build_from(module: FinetuningModule, checkpoint: dict[str, Any]) -> None:
    """Go on from what a checkpoint holds; build the model where the module has none yet.

    Args:
        module: Attached to a trainer, or being loaded without one.
        checkpoint: Its optimizer's state is put into the order of this module's parameters.

    Raises:
        UserError: If its weights are not this model's, or no optimizer's state is in it.
    """
    state = checkpoint[FINETUNING]
    if module.origin is None:
        _build(module, checkpoint)
    check_weights(checkpoint["state_dict"], module.state_dict())
    trainer = module._trainer
    is_fitting = trainer is not None and trainer.state.fn == TrainerFn.FITTING
    if is_fitting and not checkpoint.get("optimizer_states"):
        remedy = "Without it the run would start anew in the middle: take another checkpoint."
        raise must("ckpt_path", "hold the optimizer's state", "none", remedy)
    module.num_tokens = state["num_tokens"]
    module.meter.load_state_dict(state["meter"])
    module.epoch_meter.load_state_dict(state["epoch_meter"])
    module.divergence.load_state_dict(checkpoint["divergence"])
    for optimizer in checkpoint.get("optimizer_states", ()):
        order_by_name(optimizer, module.model, module.optimizer_config)


def _build(module: FinetuningModule, checkpoint: dict[str, Any]) -> None:
    """Build the model that a checkpoint holds, as Lightning's `load_from_checkpoint` wants it."""
    finetuned = Pretrained(
        source=checkpoint[FINETUNING]["source"],
        family=checkpoint["family"],
        encoder=EncoderConfig(**checkpoint["encoder"]),
        weights={},
        tokenizer=Tokenizer.from_json(checkpoint["tokenizer"]),
        pad_id=checkpoint["pad_id"],
        config=checkpoint["config"],
        cut_at=checkpoint["longest_text"],
        task=None if checkpoint["task"] is None else Task(**checkpoint["task"]),
    )
    module.restore(finetuned, make_task(checkpoint[FINETUNING]))
