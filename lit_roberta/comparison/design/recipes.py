"""Recipe files to everything that can be known of a recipe before it is trained.

In: names of files, and settings for all recipes. Out: resolved settings and the data module,
through the same parser that training uses, so that what is compared is what `train.py fit` would
run.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from lit_roberta.comparison.design.variants import Variant, named
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.errors import UserError, must
from lit_roberta.training.arguments import arrange, find_config
from lit_roberta.training.checkpoint_settings import flatten
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.pretraining_cli import PretrainingCLI

logger = logging.getLogger(__name__)

_OURS = {
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

_UNDONE = (
    "--trainer.max_epochs=-1",
    "--max_hours=null",
    "--trainer.max_time=null",
    "--trainer.fast_dev_run=false",
    "--trainer.devices=1",
    "--trainer.num_nodes=1",
)
"""What takes a file's own length and devices back; the rest is given to each run anyway."""


@dataclass(frozen=True, kw_only=True)
class PlannedRecipe:
    """A recipe with its resolved settings and its text."""

    name: str
    source: str
    arguments: tuple[str, ...]
    """Of `fit`, without folder, seed and length."""
    settings: dict[str, Any]
    """Every setting by its dotted name, without those that the comparison decides."""
    data: PretrainingDataModule


def check_overrides(overrides: Iterable[str]) -> None:
    """Refuse settings that the comparison decides itself.

    Args:
        overrides: As `data.max_length=128`.
    """
    for override in overrides:
        name, _, value = override.partition("=")
        if name in _OURS:
            raise must(f"--{name}", "be left to the comparison", value, _OURS[name])


def read_recipes(
    asked: Sequence[str | Variant], *, overlays: Sequence[str] = (), overrides: Sequence[str] = ()
) -> list[PlannedRecipe]:
    """Read recipes, each with the same overlays and settings on top.

    Args:
        asked: Paths, or shipped files by name, or either with settings of its own.
        overlays: Configuration files for all recipes, read after the recipe's own.
        overrides: Settings for all recipes, as `data.max_length=128`; they win over files.

    Raises:
        UserError: If a file or a setting is wrong, or if the recipes do not share their text.
    """
    check_overrides(overrides)
    variants = named([Variant(source=one) if isinstance(one, str) else one for one in asked])
    for name, variant in variants.items():
        _check_settings(name, variant, overrides)
    recipes = [_read(name, variant, overlays, overrides) for name, variant in variants.items()]
    sources = [variant.path() for variant in variants.values()]
    for path in dict.fromkeys([*sources, *map(find_config, overlays)]):
        for notice in _decided_elsewhere(path):
            logger.info("%s", notice)
    _check_same_text(recipes)
    return recipes


def _check_settings(name: str, variant: Variant, overrides: Iterable[str]) -> None:
    """Refuse what the comparison decides, and what would take from a recipe what makes it one."""
    check_overrides(variant.settings)
    own = {setting.partition("=")[0] for setting in variant.settings}
    for override in overrides:
        key, _, value = override.partition("=")
        if key in own:
            remedy = f"{name} sets it itself: leave it out."
            raise must(f"--{key}", "not be given for all recipes", value, remedy)


def _decided_elsewhere(path: Path) -> list[str]:
    """Say which settings of a file have no effect, because the comparison decides them."""
    given = dict(flatten(yaml.safe_load(path.read_text(encoding="utf-8")) or {}))
    return [
        f"{path} sets {name} {value}, which the comparison decides. {_OURS[name]}"
        for name, value in given.items()
        if name in _OURS and value is not None and value not in _AGREEING.get(name, ())
    ]


class _UnstartedCLI(PretrainingCLI):
    """Everything that a run is made of, built and not run."""

    def _run_subcommand(self, subcommand: str) -> None:
        """Stop here."""

    def after_instantiate_classes(self) -> None:
        """Say nothing: nothing is about to happen."""


def _read(
    name: str, variant: Variant, overlays: Sequence[str], overrides: Sequence[str]
) -> PlannedRecipe:
    source = str(variant.path())
    configs = [word for path in (source, *overlays) for word in ("--config", path)]
    settings = (*variant.settings, *overrides)
    arguments = ("fit", *configs, *(f"--{setting}" for setting in settings))
    # The length in a recipe's own file is not the comparison's; one update stands in for it here.
    placeholders = (
        *("--trainer.max_steps=1", "--trainer.max_epochs=-1", "--trainer.logger=false"),
        "--ckpt_path=null",
    )
    with without_small_talk():
        cli = _UnstartedCLI(arrange([*arguments, *placeholders, "--trainer.fast_dev_run=true"]))
    resolved = {key: value for key, value in flatten(cli.config_dump) if key not in _OURS}
    if cli.start is not None:  # weights count by their numbers, wherever they lie
        resolved["model.pretrained"] = cli.start.digest
    return PlannedRecipe(
        name=name,
        source=source,
        arguments=(*arguments, *_UNDONE),
        settings={key: value for key, value in resolved.items() if key != "trainer.logger"},
        data=cli.datamodule,
    )


def _check_same_text(recipes: Sequence[PlannedRecipe]) -> None:
    first = recipes[0]
    for other in recipes[1:]:
        if other.data.prepared.digest != first.data.prepared.digest:
            raise UserError(
                f"The recipes must share their text, and {first.name} and {other.name} do not. "
                "Give --corpus for all of them."
            )
        if not _same_tokens(first.data, other.data):
            raise UserError(
                f"The recipes must share their tokenizer, and {first.name} and {other.name} do "
                "not: a loss per token means another thing with other tokens. Give "
                "--data.tokenizer.kind for all of them."
            )


def _same_tokens(first: PretrainingDataModule, other: PretrainingDataModule) -> bool:
    """Tell whether two recipes read the same tokens, however their tokenizers were asked for."""
    return first.tokenizer.word_to_id == other.tokenizer.word_to_id and all(
        np.array_equal(
            getattr(first.prepared.parts, part).tokens, getattr(other.prepared.parts, part).tokens
        )
        for part in ("train", "validation", "test")
    )
