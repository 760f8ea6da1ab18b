"""Recipe files to everything that can be known of a recipe before it is trained.

In: names of files, and settings for all recipes. Out: resolved settings and the data module,
through the same parser that training uses, so that what is compared is what `train.py fit` would
run.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from lit_roberta.comparison.design.decided import (
    OURS,
    UNDONE,
    check_overrides,
    check_settings,
    decided_elsewhere,
)
from lit_roberta.comparison.design.variants import Variant, named
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.evaluation.words import find_words
from lit_roberta.errors import UserError, must
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.arguments import arrange, find_config
from lit_roberta.training.checkpoint_settings import flatten
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.pretraining_cli import PretrainingCLI

logger = logging.getLogger(__name__)

CLI = TypeVar("CLI", bound=PretrainingCLI)


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
    encoder: EncoderConfig


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
    return RecipeReader(overlays=overlays, overrides=overrides).read_all(asked)


class RecipeReader:
    """Reads recipes, each with the same overlays and settings on top, and each one once.

    Args:
        overlays: Configuration files for all recipes, read after the recipe's own.
        overrides: Settings for all recipes, as `data.max_length=128`; they win over files.

    Raises:
        UserError: If a setting is the comparison's.
    """

    def __init__(self, *, overlays: Sequence[str] = (), overrides: Sequence[str] = ()) -> None:
        check_overrides(overrides)
        self._overlays = tuple(overlays)
        self._overrides = tuple(overrides)
        self._known: dict[tuple[str, tuple[str, ...]], PlannedRecipe] = {}

    def read_all(self, asked: Sequence[str | Variant]) -> list[PlannedRecipe]:
        """Read recipes that are to be compared.

        Raises:
            UserError: If a file or a setting is wrong, or if the recipes do not share their text.
        """
        variants = named([Variant(source=one) if isinstance(one, str) else one for one in asked])
        for name, variant in variants.items():
            check_settings(name, variant, self._overrides)
        recipes = [self.read(variant, name) for name, variant in variants.items()]
        sources = [variant.path() for variant in variants.values()]
        for path in dict.fromkeys([*sources, *map(find_config, self._overlays)]):
            for notice in decided_elsewhere(path):
                logger.info("%s", notice)
        _check_same_text(recipes)
        return recipes

    def read(self, variant: Variant, name: str) -> PlannedRecipe:
        """Read one recipe.

        Raises:
            UserError: If it can't be trained.
        """
        key = str(variant.path()), variant.settings
        if key not in self._known:
            self._known[key] = _read(name, variant, self._overlays, self._overrides)
        return replace(self._known[key], name=name)

    def settings(self, variant: Variant | None) -> dict[str, Any]:
        """Give a recipe's settings without a look at its text.

        Args:
            variant: The recipe; None for what holds where no file says otherwise.

        Returns:
            By dotted name as they would be given; without those that the comparison decides, and
            without the size of the vocabulary, which is the text's to say.

        Raises:
            UserError: If a file or a setting is wrong.
        """
        cli = _parsed(_ParsedOnlyCLI, _arguments(variant, self._overlays, self._overrides))
        return {k: v for k, v in _of_recipe(cli).items() if k != "model.encoder.vocab_size"}


class _UnstartedCLI(PretrainingCLI):
    """Everything that a run is made of, built and not run."""

    def _run_subcommand(self, subcommand: str) -> None:
        """Stop here."""

    def after_instantiate_classes(self) -> None:
        """Say nothing: nothing is about to happen."""


class _ParsedOnlyCLI(_UnstartedCLI):
    """The settings of a run, of which nothing is built."""

    def instantiate_classes(self) -> None:
        """Read no text: the settings are all that is asked for."""
        self._dump_config()


def _read(
    name: str, variant: Variant, overlays: Sequence[str], overrides: Sequence[str]
) -> PlannedRecipe:
    arguments = _arguments(variant, overlays, overrides)
    cli = _parsed(_UnstartedCLI, arguments)
    settings = _of_recipe(cli)
    if cli.start is not None:  # weights count by their numbers, wherever they lie
        settings["model.pretrained"] = cli.start.digest
    return PlannedRecipe(
        name=name,
        source=str(variant.path()),
        arguments=(*arguments, *UNDONE),
        settings=settings,
        data=cli.datamodule,
        encoder=cli.model.model.config,
    )


def _arguments(
    variant: Variant | None, overlays: Sequence[str], overrides: Sequence[str]
) -> tuple[str, ...]:
    """Write a recipe as arguments of `fit`."""
    files = () if variant is None else (str(variant.path()),)
    own = () if variant is None else variant.settings
    configs = [f"--config={path}" for path in (*files, *overlays)]
    return ("fit", *configs, *(f"--{setting}" for setting in (*own, *overrides)))


def _parsed(cli: type[CLI], arguments: Sequence[str]) -> CLI:
    # The length in a recipe's own file is not the comparison's; one update stands in for it here.
    placeholders = (
        *("--trainer.max_steps=1", "--trainer.max_epochs=-1", "--trainer.logger=false"),
        *("--ckpt_path=null", "--trainer.fast_dev_run=true"),
    )
    with without_small_talk():
        return cli(arrange([*arguments, *placeholders]))


def _of_recipe(cli: PretrainingCLI) -> dict[str, Any]:
    """Give all settings but those that the comparison decides."""
    return {
        key: value
        for key, value in flatten(cli.config_dump)
        if key not in OURS and key != "trainer.logger"
    }


def _check_same_text(recipes: Sequence[PlannedRecipe]) -> None:
    first = recipes[0]
    for other in recipes[1:]:
        if other.data.prepared.digest != first.data.prepared.digest:
            raise UserError(
                f"The recipes must share their text, and {first.name} and {other.name} do not. "
                "Give --corpus for all of them."
            )
    if len({token_identity(recipe.data) for recipe in recipes}) > 1:
        _check_shared_words(recipes)


def _check_shared_words(recipes: Sequence[PlannedRecipe]) -> None:
    """Refuse recipes with different tokens that nothing compares."""
    known = []
    for recipe in recipes:
        text = recipe.data.prepared
        if text.words is None:
            raise must(
                "recipes with different tokenizers",
                "have texts with sampled words, by which they are compared",
                recipe.settings["data.corpus"],
                "An older version prepared it: prepare it anew.",
            )
        words = find_words(text.words, text.parts.test, text.tokenizer)
        known.append(words.known & (words.stops > words.firsts))
    if not np.logical_and.reduce(known).any():
        remedy = "Give larger vocabularies, or the same one to all."
        rule = "know some held-out words all of them"
        raise must("recipes with different tokenizers", rule, "none", remedy)


def token_identity(data: PretrainingDataModule) -> str:
    """Hash what the tokens of a text are, however the tokenizer was asked for.

    Where it differs between recipes of one text, no loss per token compares them.
    """
    text = data.prepared
    total = hashlib.blake2b(digest_size=16)
    for words in sorted(text.tokenizer.word_to_id.items()):
        total.update(repr(words).encode("utf-8", "surrogatepass"))
    total.update(text.token_counts().tobytes())
    for part in (text.parts.validation, text.parts.test):
        for tokens in part.blocks("tokens"):
            total.update(tokens.tobytes())
    return total.hexdigest()
