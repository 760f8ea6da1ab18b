"""What has to stay the same for a resumed run to be the run that was interrupted.

Some of it makes the updates what they are: another seed, text, packing, mask or batch would put
another stream in the place of the one that the position counts in. The rest changes how sums are
rounded and which dropout is drawn: that is allowed, and said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import pytorch_lightning as pl
import torch

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.errors import must
from lit_roberta.training.sharding import FullySharded

Conditions = dict[str, int | float | str | bool | None]

_ROUNDING = frozenset(
    {"data.micro_batch_size", "processes", "weights", "device", "precision", "threads"}
)
"""What may change when a run goes on, and changes how sums are rounded."""
_FREE = _ROUNDING | {"data.num_workers"}
"""What may change when a run goes on."""
_NEW_RUN = "To train on under it, start a new run: another --trainer.default_root_dir."


def run_conditions(trainer: pl.Trainer, data: PretrainingDataModule) -> Conditions:
    """Name what a run's numbers depend on besides the settings that its weights stand on.

    Text, packing, masks and batch decide what the updates are. Processes, shards, micro-batch,
    device, precision and threads decide how sums are rounded, and which dropout is drawn.
    """
    return {
        "seed_everything": data.seed,
        "data.order_seed": data.order_seed,
        "data.corpus": data.text.corpus,
        "text": data.prepared.digest,
        "data.training_share": data.training_share,
        "data.weights": None if data.shares is None else ", ".join(map(str, data.shares)),
        **{f"data.{name}": value for name, value in asdict(data.packing).items()},
        **{f"data.masking.{name}": value for name, value in asdict(data.masking).items()},
        "data.batch_size": data.sequences_per_update,
        **{f"data.batch_ramp.{name}": value for name, value in asdict(data.batch_ramp).items()},
        "data.length_stages": ", ".join(map(str, data.length_stages)) or None,
        "data.micro_batch_size": data.batch.micro_batch_size,
        **machine_conditions(trainer),
        "data.num_workers": data.num_workers,
    }


def machine_conditions(trainer: pl.Trainer) -> Conditions:
    """Name what of a machine decides how sums are rounded, and which dropout is drawn."""
    return {
        "processes": trainer.world_size,
        "weights": "in shards" if isinstance(trainer.strategy, FullySharded) else "whole",
        "device": trainer.strategy.root_device.type,
        "precision": str(trainer.precision),
        "threads": torch.get_num_threads(),
    }


def refuse_another_run(before: Mapping[str, object], now: Mapping[str, object]) -> None:
    """Refuse to go on with a run whose updates would no longer be its own.

    Args:
        before: The checkpoint's conditions.
        now: This run's.

    Raises:
        UserError: Names the setting and both values.
    """
    for name, value in now.items():
        if name in _FREE or name == "data.corpus" or before.get(name, value) == value:
            continue
        if name != "text":
            raise must(name, f"stay the checkpoint's {before[name]!r}", value, _NEW_RUN)
        old, new = before["data.corpus"], now["data.corpus"]
        got = "another text under that name" if old == new else str(new)
        raise must("data.corpus", f"hold the checkpoint's text ({old})", got, _NEW_RUN)


def changes(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """List what is no longer as it was, and makes the run another one in its last digits.

    Example:
        >>> changes({"processes": 2, "threads": 1}, {"processes": 4, "threads": 1})
        ['processes 2, now 4']
    """
    return differences(before, {name: now[name] for name in now if name in _ROUNDING})


def differences(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """List settings that had another value before, with both values.

    Example:
        >>> differences({"lr": 1e-3, "eps": 1e-6}, {"lr": 5e-4, "eps": 1e-6, "new": 1})
        ['lr 0.001, now 0.0005']
    """
    return [
        f"{name} {before[name]}, now {value}"
        for name, value in now.items()
        if name in before and before[name] != value
    ]
