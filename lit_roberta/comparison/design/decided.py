"""What the comparison decides itself, so that neither a recipe nor a person can.

In: settings as they were given, and files. Out: a refusal, or notices. It reads no recipe.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import yaml

from lit_roberta.comparison.design.variants import Variant
from lit_roberta.errors import must
from lit_roberta.training.checkpoint_settings import flatten

OURS = {
    "trainer.max_steps": "Give --budget.unit and --budget.amount.",
    "trainer.max_epochs": "Give --budget.unit epochs --budget.amount N.",
    "max_hours": "Give --budget.unit seconds --budget.amount N.",
    "trainer.max_time": "Give --budget.unit seconds --budget.amount N.",
    "trainer.default_root_dir": "Give --output.",
    "trainer.devices": "Every run has one device; give --jobs for several runs at once.",
    "trainer.num_nodes": "Every run has one device.",
    "trainer.fast_dev_run": "Give a small budget, as --budget.unit updates --budget.amount 5.",
    "checkpoint.folder": "Give --output.",
    "ckpt_path": "Finished runs are kept and interrupted ones go on by themselves.",
    "seed_everything": "Give --seeds, the number of them.",
    "data.seed": "Give --seeds, the number of them.",
    "model.seed": "Give --seeds, the number of them.",
}
"""Settings that the comparison decides, and what to give in their place."""

_AGREEING = {
    "trainer.devices": ("auto", 1),
    "trainer.num_nodes": (1,),
    "trainer.fast_dev_run": (False,),
    "trainer.max_epochs": (-1,),
    "trainer.max_steps": (-1,),
}
"""Values of a file that say nothing else than the comparison does, besides null."""

UNDONE = (
    "--trainer.max_epochs=-1",
    "--max_hours=null",
    "--trainer.max_time=null",
    "--trainer.fast_dev_run=false",
    "--trainer.devices=1",
    "--trainer.num_nodes=1",
)
"""What takes a file's own length and devices back; the rest is given to each run anyway."""


def check_overrides(overrides: Iterable[str]) -> None:
    """Refuse settings that the comparison decides itself.

    Args:
        overrides: As `data.max_length=128`.
    """
    for override in overrides:
        name, _, value = override.partition("=")
        if name in OURS:
            raise must(f"--{name}", "be left to the comparison", value, OURS[name])


def check_settings(name: str, variant: Variant, overrides: Iterable[str]) -> None:
    """Refuse what the comparison decides, and what would take from a recipe what makes it one."""
    check_overrides(variant.settings)
    own = {setting.partition("=")[0] for setting in variant.settings}
    for override in overrides:
        key, _, value = override.partition("=")
        if key in own:
            remedy = f"{name} sets it itself: leave it out."
            raise must(f"--{key}", "not be given for all recipes", value, remedy)


def decided_elsewhere(path: Path) -> list[str]:
    """Say which settings of a file have no effect, because the comparison decides them."""
    given = dict(flatten(yaml.safe_load(path.read_text(encoding="utf-8")) or {}))
    return [
        f"{path} sets {name} {value}, which the comparison decides. {OURS[name]}"
        for name, value in given.items()
        if name in OURS and value is not None and value not in _AGREEING.get(name, ())
    ]
