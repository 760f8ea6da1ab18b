"""The words of a command line that name a study, read before all others.

In: the words. Out: the study, whose options take the place of the parser's defaults: what the
command line says itself wins.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from lit_roberta.comparison.design.grid import grid_words
from lit_roberta.comparison.design.study_file import Study, read_study, study_names
from lit_roberta.errors import must
from lit_roberta.training.parser import OneLineParser

_INSTEAD = ("recipes", "ladder", "grid")
"""Options that say what is compared, which a study has said."""


def add_study_options(parser: OneLineParser) -> None:
    """Add what names a study, for the help and for words in any order."""
    parser.add_argument(
        "--study",
        type=str | None,
        help=f"A question with its arms, from a file of your own or one of these: "
        f"{', '.join(study_names())}.",
    )
    parser.add_argument(
        "--set",
        action="append",
        type=str,
        default=[],
        help="What a study asks for, as MODEL=PATH.",
    )


def asked_study(own: Sequence[str]) -> Study | None:
    """Read the study that a command line names; None where it names none.

    Raises:
        UserError: If it can't be read, or something else says what is compared, too.
    """
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    early.add_argument("--study", nargs="?")
    early.add_argument("--set", action="append", nargs="?", default=[])
    asked, _ = early.parse_known_args(list(own))
    if asked.study is None:
        if asked.set:
            raise must("--set", "come with a study", asked.set[0], "Give --study NAME.")
        return None
    names = {word.removeprefix("--").partition("=")[0] for word in own if word.startswith("--")}
    for name in _INSTEAD:
        if name in names:
            remedy = "Its file says what is compared: copy it, and change the copy."
            raise must(f"--{name}", "not be given with a study", asked.study, remedy)
    return read_study(asked.study, given=_given(asked.set))


def _given(words: Sequence[str | None]) -> dict[str, str]:
    given = {}
    for word in words:
        name, equals, value = (word or "").partition("=")
        if not equals or not value:
            raise must("--set", "be NAME=VALUE", word, "Write --set MODEL=PATH.")
        given[name] = value
    return given


def defaults_of(study: Study) -> dict[str, Any]:
    """Give a study's options as the parser's defaults, by their dotted names."""
    options = dict(study.options)
    if "grid" in options:
        options["grid"] = grid_words(options["grid"])
    budget = options.pop("budget", {})
    return {**options, **{f"budget.{key}": value for key, value in budget.items()}}
