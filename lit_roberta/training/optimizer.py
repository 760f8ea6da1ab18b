"""AdamW over two groups of parameters: those that decay, and biases and norms, which do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from lit_roberta.errors import must

NEVER_DECAYED = (nn.LayerNorm,)
"""Modules whose weight is a scale, not a matrix: decay would pull the scale away from 1."""


DECAYED = "decayed"
"""Name of the group that has weight decay."""


@dataclass(frozen=True, kw_only=True)
class OptimizerConfig:
    """AdamW's settings, and the gradient's clipping."""

    lr: float = 1e-3
    """Peak learning rate."""
    betas: tuple[float, float] = (0.9, 0.98)
    """Decay of the two moments; 0.98 as in Liu et al. 2019, section 3.1, for large batches."""
    eps: float = 1e-6
    """Added to the root of the second moment (Liu et al. 2019, table 9)."""
    weight_decay: float = 0.01
    """Of matrices; biases and layer norms have none (Devlin et al. 2019, appendix A.2)."""
    clip_norm: float = 1.0
    """Largest norm of an update's gradient; 0 for no clipping."""

    def __post_init__(self) -> None:
        if self.lr <= 0:
            raise must("model.optimizer.lr", "be above 0", self.lr, "A common value is 1e-3.")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise must("model.optimizer.betas", "lie in [0, 1)", self.betas, "Give [0.9, 0.98].")
        for name in ("eps", "weight_decay", "clip_norm"):
            if getattr(self, name) < 0:
                raise must(
                    f"model.optimizer.{name}", "be 0 or more", getattr(self, name), "0 is none."
                )


def build_optimizer(
    module: nn.Module, config: OptimizerConfig, *, fused: bool
) -> torch.optim.AdamW:
    """Build AdamW over the parameter groups of a module.

    Args:
        module: Whose parameters are trained.
        config: The settings.
        fused: One kernel for a whole step. Not with fp16: Lightning refuses to unscale the
            gradients of a fused optimizer, and clipping needs them unscaled.
    """
    return torch.optim.AdamW(
        parameter_groups(module, config),
        lr=config.lr,
        betas=config.betas,
        eps=config.eps,
        fused=fused,
    )


def write_settings(optimizer: torch.optim.Optimizer, config: OptimizerConfig) -> None:
    """Let the settings win over those that an optimizer restored from a checkpoint.

    The learning rate is not among them: it is written at every update.
    """
    for group in optimizer.param_groups:
        group["betas"], group["eps"] = config.betas, config.eps
        group["weight_decay"] = config.weight_decay if group["name"] == DECAYED else 0.0


def parameter_groups(module: nn.Module, config: OptimizerConfig) -> list[dict[str, Any]]:
    """Part the trainable parameters into those that decay and those that do not.

    By the type of the module that owns a parameter and the parameter's shape, never by a pattern
    in its name. Parameters come with their names, so that a resumed optimizer matches its moments
    by name.
    """
    decayed: list[tuple[str, nn.Parameter]] = []
    kept: list[tuple[str, nn.Parameter]] = []
    for name, parameter, owner in _owned_parameters(module):
        is_matrix = parameter.ndim >= 2 and not isinstance(owner, NEVER_DECAYED)
        (decayed if is_matrix else kept).append((name, parameter))
    _check_partition(module, decayed, kept)
    groups: list[dict[str, Any]] = [
        {"name": DECAYED, "params": decayed, "weight_decay": config.weight_decay},
        {"name": "not decayed", "params": kept, "weight_decay": 0.0},
    ]
    return [group for group in groups if group["params"]]  # torch can't name nothing


def _owned_parameters(module: nn.Module) -> Iterator[tuple[str, nn.Parameter, nn.Module]]:
    """Yield every trainable parameter once, with the module that holds it."""
    owners = dict(module.named_modules())
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            yield name, parameter, owners[name.rpartition(".")[0]]


def _check_partition(module: nn.Module, *groups: list[tuple[str, nn.Parameter]]) -> None:
    expected = {name for name, parameter in module.named_parameters() if parameter.requires_grad}
    grouped = [name for group in groups for name, _ in group]
    assert len(grouped) == len(set(grouped)), f"in two groups: {sorted(grouped)}"
    assert set(grouped) == expected, f"in no group: {sorted(expected - set(grouped))}"


def order_by_name(state: dict[str, Any], module: nn.Module, config: OptimizerConfig) -> None:
    """Put a stored optimizer state into the order of a module's parameters, in place.

    torch matches moments with parameters by position, so two layers that changed places in the
    code would silently swap theirs where their shapes agree.

    Raises:
        UserError: If the checkpoint was made for other parameters.
    """
    groups = parameter_groups(module, config)
    for stored, group in zip(state["param_groups"], groups, strict=True):
        names = [name for name, _ in group["params"]]
        stored_names = list(stored["param_names"])
        if sorted(names) != sorted(stored_names):
            different = sorted(set(names) ^ set(stored_names))
            remedy = "Resume with the model that the checkpoint was made with."
            raise must("checkpoint", "hold this model's parameters", different, remedy)
        position = dict(zip(stored_names, stored["params"], strict=True))
        stored["params"] = [position[name] for name in names]
        stored["param_names"] = names
