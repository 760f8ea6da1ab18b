"""The command line that names what separates two recipes: `lit-roberta diff`.

In: two recipes, and settings for both. Out: switches, each with its settings before and after, and
apart from them the settings that differ and are no recipe's. No text is read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lit_roberta.command_line import exit_status_of, read_attribute_docstrings
from lit_roberta.comparison.design.recipes import RecipeReader
from lit_roberta.comparison.design.switches import (
    Switch,
    differing,
    find_switches,
    is_recipe_key,
)
from lit_roberta.comparison.design.variants import Variant, named
from lit_roberta.comparison.shared_settings import part_settings
from lit_roberta.errors import must
from lit_roberta.training.parser import OneLineParser

_DEFAULTS = "defaults"


@dataclass(frozen=True, kw_only=True)
class Diff:
    """What separates two recipes."""

    first: str
    second: str
    switches: list[Switch]
    others: dict[str, tuple[Any, Any]]
    """Settings of text, machine and trainer that differ, too."""


def main(argv: Sequence[str] | None = None) -> int:
    """Print what separates two recipes.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0, whether they differ or not; 2 after an error of the user's.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    return exit_status_of(lambda: _print(words), interrupted="Interrupted.")


def diff_recipes(
    asked: Sequence[str], *, overlays: Sequence[str] = (), overrides: Sequence[str] = ()
) -> Diff:
    """Name what separates two recipes, or one from what holds where no file says otherwise.

    Args:
        asked: One or two, as paths or shipped files by name.
        overlays: Configuration files for both, read after each one's own.
        overrides: Settings for both, as `data.max_length=128`.

    Raises:
        UserError: If a file or a setting is wrong.
    """
    reader = RecipeReader(overlays=overlays, overrides=overrides)
    recipes: list[tuple[str, Variant | None]] = [(_DEFAULTS, None)] if len(asked) == 1 else []
    recipes += named([Variant(source=source) for source in asked], asked_by="diff").items()
    (first, _), (second, _) = recipes
    before, after = (reader.settings(variant) for _, variant in recipes)
    found = differing(before, after)
    return Diff(
        first=first,
        second=second,
        switches=find_switches(before, after),
        others={key: pair for key, pair in found.items() if not is_recipe_key(key)},
    )


def as_table(diff: Diff) -> str:
    """Write a diff for a person."""
    rows = [("switch", "setting", diff.first, diff.second, "judged by")]
    for switch in diff.switches:
        rows += [
            (switch.name if place == 0 else "", *cells, switch.judge if place == 0 else "")
            for place, cells in enumerate(_cells(switch.changes))
        ]
    parts = ["\n".join(_aligned(rows))]
    if not diff.switches:
        parts = [f"{diff.first} and {diff.second} are the same recipe."]
    if diff.others:
        head = "They differ, too, in what is no part of a recipe:"
        others = [("setting", diff.first, diff.second), *_cells(diff.others)]
        parts.append("\n".join([head, *_aligned(others)]))
    return "\n\n".join(parts)


def as_json(diff: Diff) -> str:
    """Write a diff for a program."""
    switches = [
        {
            "name": switch.name,
            "short_name": switch.slug,
            "judge": switch.judge,
            "changes": switch.changes,
        }
        for switch in diff.switches
    ]
    values = {"first": diff.first, "second": diff.second, "switches": switches}
    return json.dumps({**values, "others": diff.others}, indent=1)


def _print(words: Sequence[str]) -> None:
    own, overrides = part_settings(words)
    asked = _parser(own).parse_args(own)
    if len(asked.recipes) > 2:
        raise must("diff", "be given one recipe or two", asked.recipes, "Leave the others out.")
    diff = diff_recipes(asked.recipes, overlays=asked.config, overrides=overrides)
    sys.stdout.write(f"{as_json(diff) if asked.json else as_table(diff)}\n")


def _parser(argv: Sequence[str]) -> OneLineParser:
    read_attribute_docstrings(wanted="--help" in argv or "-h" in argv)
    parser = OneLineParser(
        prog="lit-roberta diff",
        description="Name the switches that lead from one recipe to another, or from the defaults "
        "to one. `compare.py --ladder A B` tries them.",
        epilog="Every setting of `train.py fit` can be given for both: --data.batch_size 16, ...",
        allow_abbrev=False,
    )
    parser.add_argument(
        "recipes", nargs="+", type=str, help="Configuration files, or shipped ones by name."
    )
    parser.add_argument(
        "--config",
        action="append",
        type=str,
        default=[],
        help="A configuration file for both, read after each one's own.",
    )
    parser.add_argument("--json", action="store_true", help="Write JSON.")
    return parser


def _cells(changes: Mapping[str, tuple[Any, Any]]) -> list[tuple[str, str, str]]:
    return [(key, _written(before), _written(after)) for key, (before, after) in changes.items()]


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
