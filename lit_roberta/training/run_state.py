"""What a checkpoint holds of a run besides weights and optimizer, as plain data only.

In: a module between two updates. Out: entries of the checkpoint; and the module as it was, from
them. It knows nothing of files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytorch_lightning.trainer.states import TrainerFn

from lit_roberta.errors import must
from lit_roberta.exchange.checkpoint import IMPORTED
from lit_roberta.training.checkpoint_settings import check_weights
from lit_roberta.training.conditions import run_conditions
from lit_roberta.training.optimizer import order_by_name

if TYPE_CHECKING:
    from lit_roberta.training.module import PretrainingModule
    from lit_roberta.training.updating import UpdatingModule


def add_run_state(module: PretrainingModule, checkpoint: dict[str, Any]) -> None:
    """Add what a run that goes on, or a reader, needs besides the weights.

    Args:
        module: Attached to its trainer.
        checkpoint: Changed in place.
    """
    checkpoint[module.CHECKPOINT_HYPER_PARAMS_KEY] = hyper_parameters(module)
    checkpoint["tokenizer"] = module.datamodule.tokenizer.to_json()
    add_origin(module, checkpoint)
    checkpoint["total_updates"] = module.total_updates
    checkpoint["hours"] = module.hours
    checkpoint["stage_starts"] = [stage.start for stage in module.datamodule.run_sizes.stages]
    checkpoint["num_tokens"] = module.num_tokens
    checkpoint["num_sequences"] = module.num_sequences
    checkpoint["history"] = module.history.state_dict()
    checkpoint["meter"] = module.meter.state_dict()
    checkpoint["divergence"] = module.divergence.state_dict()
    checkpoint["conditions"] = run_conditions(module.trainer, module.datamodule)


def hyper_parameters(module: UpdatingModule) -> dict[str, Any]:
    """Give a module's settings in the form that Lightning makes the module from again."""
    return {
        **module.settings,
        "_class_path": f"{type(module).__module__}.{type(module).__qualname__}",
        "_instantiator": "pytorch_lightning.cli.instantiate_module",
    }


def require_start(module: PretrainingModule) -> None:
    """Refuse to train from initial weights where others were named.

    Raises:
        UserError: If weights were named and nobody has read them.
    """
    source = module.settings["pretrained"]
    if source is not None and module.origin is None:
        remedy = "Build the module by start_from_pretrained."
        raise must("pretrained", "be read before training", source, remedy)


def add_origin(module: PretrainingModule, checkpoint: dict[str, Any]) -> None:
    """Add what the run started from, where it did not start from initial weights.

    Which family the model is of, and what else a way back to the source's form needs, stands
    where an imported checkpoint has it.
    """
    if module.origin is None:
        return
    checkpoint["origin"] = module.origin
    checkpoint["scores"] = module.scores.state_dict()
    # What has seen a second segment is no RoBERTa any more.
    is_other = module.datamodule.pairs and module.origin["family"] != "bert"
    kept = ("pad_id",) if is_other else ("pad_id", "family", "config", "unused_weights")
    checkpoint.update({name: module.origin[name] for name in kept})


def take_run_state(module: PretrainingModule, checkpoint: dict[str, Any]) -> None:
    """Go on from what a checkpoint holds.

    Args:
        module: Attached to a trainer, or being loaded without one.
        checkpoint: Its optimizer's state is put into the order of this module's parameters.

    Raises:
        UserError: If its weights are not this model's, or no optimizer's state is in it.
    """
    check_weights(checkpoint["state_dict"], module.state_dict())
    if IMPORTED in checkpoint:
        return  # a model without a run
    trainer = module._trainer
    is_fitting = trainer is not None and trainer.state.fn == TrainerFn.FITTING
    if is_fitting and not checkpoint["optimizer_states"]:
        remedy = "Without it the run would start anew in the middle: take another checkpoint."
        raise must("ckpt_path", "hold the optimizer's state", "none", remedy)
    if is_fitting:
        module.datamodule.keep_stages(checkpoint["stage_starts"])
        module.hours = checkpoint["hours"]
    module.origin = checkpoint.get("origin")
    module.scores.load_state_dict(checkpoint.get("scores", {}))
    module.num_tokens = checkpoint["num_tokens"]
    module.history.load_state_dict(checkpoint["history"])
    module.meter.load_state_dict(checkpoint["meter"])
    module.divergence.load_state_dict(checkpoint["divergence"])
    for state in checkpoint.get("optimizer_states", ()):
        order_by_name(state, module.model, module.optimizer_config)
