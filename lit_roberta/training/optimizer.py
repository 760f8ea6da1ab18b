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
    layer_decay: float = 1.0
    """Of the learning rate, from each layer to the one below it: what lies above the layers has
    the full rate, the embeddings the lowest. 1 for one rate (Clark et al. 2020, ELECTRA, tried 0.8
    and 0.9 in fine-tuning)."""

    def __post_init__(self) -> None:
        if self.lr <= 0:
            raise must("model.optimizer.lr", "be above 0", self.lr, "A common value is 1e-3.")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise must("model.optimizer.betas", "lie in [0, 1)", self.betas, "Give [0.9, 0.98].")
        if not 0 < self.layer_decay <= 1:
            remedy = "1 is the same rate everywhere."
            raise must("model.optimizer.layer_decay", "lie in (0, 1]", self.layer_decay, remedy)
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
        if "layers_down" in group:
            group["lr_scale"] = config.layer_decay ** group["layers_down"]
        group["weight_decay"] = config.weight_decay if group["name"].startswith(DECAYED) else 0.0


def parameter_groups(module: nn.Module, config: OptimizerConfig) -> list[dict[str, Any]]:
    """Part the trainable parameters into those that decay and those that do not.

    By the type of the module that owns a parameter and the parameter's shape, never by a pattern
    in its name. Parameters come with their names, so that a resumed optimizer matches its moments
    by name. Where layers have learning rates of their own, each layer has two groups, and
    `lr_scale` in them is the share of the full rate.
    """
    groups: dict[tuple[int, bool], list[tuple[str, nn.Parameter]]] = {}
    num_layers = getattr(getattr(module, "config", None), "num_hidden_layers", 0)
    for name, parameter, owner in _owned_parameters(module):
        is_matrix = parameter.ndim >= 2 and not isinstance(owner, NEVER_DECAYED)
        below = _layers_above(name, num_layers) if config.layer_decay < 1 else 0
        groups.setdefault((below, not is_matrix), []).append((name, parameter))
    _check_partition(module, *groups.values())
    return [
        _group(groups[below, is_kept], config, below=below, is_kept=is_kept)
        for below, is_kept in sorted(groups)
    ]


def _group(
    parameters: list[tuple[str, nn.Parameter]],
    config: OptimizerConfig,
    *,
    below: int,
    is_kept: bool,
) -> dict[str, Any]:
    name = "not decayed" if is_kept else DECAYED
    group = {
        "name": f"{name}, {below} layers down" if below else name,
        "params": parameters,
        "weight_decay": 0.0 if is_kept else config.weight_decay,
    }
    if config.layer_decay < 1:
        group |= {"layers_down": below, "lr_scale": config.layer_decay**below}
    return group


def _layers_above(name: str, num_layers: int) -> int:
    """Tell how many steps of decay a parameter of a model is away from its head."""
    parts = name.split(".")
    if parts[0] == "embeddings":
        return num_layers + 1
    return num_layers - int(parts[2]) if parts[:2] == ["encoder", "layers"] else 0


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
    if len(groups) != len(state["param_groups"]):
        rule = "stay 1, or below 1, as the checkpoint's was, and the same weights be trained"
        remedy = "To train on under it, start a new run."
        raise must("model.optimizer.layer_decay", rule, config.layer_decay, remedy)
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
