"""Weights, gradients and moments in shards, one on each process: FSDP2, through Lightning.

In: the model, and Lightning's strategy. Out: the same training with a share of its memory. What is
written is whole, so that any number of processes, sharded or not, can go on from it.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from pytorch_lightning.strategies import ModelParallelStrategy, Strategy
from torch import Tensor
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from lit_roberta.errors import must
from lit_roberta.model.bert import BertModel
from lit_roberta.model.cloze import ClozeModel
from lit_roberta.model.task_heads import TaskModel

FSDP2 = "fsdp2"
"""Its name, as `--trainer.strategy fsdp2`."""


class FullySharded(ModelParallelStrategy):
    """Lightning's strategy for FSDP2, over all processes, with whole checkpoints.

    Lightning's own reads a stored optimizer by position, where it would give a parameter the
    moments of another: it counts them in the model's order, and AdamW in that of its groups.
    """

    def __init__(self) -> None:
        super().__init__(tensor_parallel_size=1, save_distributed_checkpoint=False)

    def setup_environment(self) -> None:
        """Shard over all processes; Lightning's default is over machines."""
        self._data_parallel_size = self.world_size
        super().setup_environment()

    @contextmanager
    def block_backward_sync(self) -> Generator[None, None, None]:
        """Keep backward passes from sending gradients; Lightning's own does nothing here."""
        self._send_gradients(False)
        try:
            yield
        finally:
            self._send_gradients(True)

    def _send_gradients(self, wanted: bool) -> None:
        assert self.model is not None
        for module in self.model.modules():
            if isinstance(module, FSDPModule):
                module.set_requires_gradient_sync(wanted, recurse=False)

    # ---- checkpoints

    @property
    def lightning_restore_optimizer(self) -> bool:
        """Have the optimizer restored as under any other strategy: after the module's hooks."""
        return True

    def load_checkpoint(
        self, checkpoint_path: str | Path, weights_only: bool | None = None
    ) -> dict[str, Any]:
        """Read a checkpoint as any other strategy does."""
        return Strategy.load_checkpoint(self, checkpoint_path, weights_only)

    def load_model_state_dict(self, checkpoint: Mapping[str, Any], strict: bool = True) -> None:
        """Take this process's shards of whole weights."""
        assert self.model is not None
        options = StateDictOptions(full_state_dict=True, strict=strict)
        set_model_state_dict(self.model, dict(checkpoint["state_dict"]), options=options)

    def optimizer_state(self, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
        """Put an optimizer's state together; only the first process keeps it."""
        keep = self.global_rank == 0
        state: dict[str, Any] = Strategy.optimizer_state(self, optimizer)
        whole = {
            number: {name: _on_first(value, keep) for name, value in moments.items()}
            for number, moments in state["state"].items()
        }
        return {"state": whole, "param_groups": state["param_groups"]} if keep else {}

    def load_optimizer_state_dict(self, checkpoint: Mapping[str, Any]) -> None:
        """Take this process's shards of whole moments."""
        states = [
            shard_moments(state, optimizer)
            for state, optimizer in zip(
                checkpoint["optimizer_states"], self.optimizers, strict=True
            )
        ]
        Strategy.load_optimizer_state_dict(self, {"optimizer_states": states})


def shard_model(model: BertModel | TaskModel | ClozeModel, strategy: Strategy) -> None:
    """Cut a model's weights into shards if the strategy asks for it: each layer, then the rest.

    Args:
        model: Changed in place, once; it has its initial weights already, which do not depend on
            the number of processes.
        strategy: The trainer's.

    Raises:
        UserError: If it is Lightning's own, which would shard over machines or split tensors.
    """
    if not isinstance(strategy, ModelParallelStrategy) or isinstance(model, FSDPModule):
        return
    if not isinstance(strategy, FullySharded):
        remedy = f"Give --trainer.strategy {FSDP2}, in Python strategy=FullySharded()."
        raise must("trainer.strategy", "be ours", type(strategy).__name__, remedy)
    mesh = strategy.device_mesh["data_parallel"]
    for layer in model.encoder.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)


def whole(tensor: Tensor) -> Tensor:
    """Put a sharded tensor together, on all processes; any other is whole."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def shard_moments(state: Mapping[str, Any], optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """Cut the whole moments of a stored optimizer as its parameters are cut.

    Args:
        state: As `Optimizer.state_dict` gives it, its parameters in the optimizer's order.
        optimizer: Whose parameters these are.
    """
    numbers = [number for group in state["param_groups"] for number in group["params"]]
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    sharded = {
        number: {name: _like(value, parameter) for name, value in moments.items()}
        for number, parameter in zip(numbers, parameters, strict=True)
        if (moments := state["state"].get(number)) is not None
    }
    return {"state": sharded, "param_groups": state["param_groups"]}


def _like(value: Tensor, parameter: Tensor) -> Tensor:
    """Cut a value as a parameter is cut, if it has a number for each of its entries."""
    if not isinstance(parameter, DTensor) or value.shape != parameter.shape:
        return value
    # Every process has read the whole file, so nothing has to be sent.
    here = value.to(parameter.device)
    return distribute_tensor(here, parameter.device_mesh, parameter.placements, src_data_rank=None)


def _on_first(value: Tensor, keep: bool) -> Tensor | None:
    gathered = whole(value)  # on all processes, one tensor at a time
    return gathered.cpu() if keep else None
