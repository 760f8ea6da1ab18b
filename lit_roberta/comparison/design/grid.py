"""A grid: every combination of the values of some settings, on top of a recipe.

In: the words of a command line, and recipes. Out: variants, and the axes that they lie on.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lit_roberta.comparison.design.switches import LEARNING_RATE, as_setting, is_for_loss
from lit_roberta.comparison.design.variants import Variant, named
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.errors import must

_BETWEEN = re.compile(r",(?![^\[{]*[\]}])")
"""A comma, but for those inside of a list or a mapping."""
_NOT_A_FOLDERS = re.compile(r"[^\w.+-]+")


def read_grid(words: Sequence[str]) -> dict[str, list[Any]]:
    """Read axes as `model.optimizer.lr=1e-4,1e-3`.

    Returns:
        By dotted name of the setting: its values.

    Raises:
        UserError: If one has no values, or if a setting or a value comes twice.

    Example:
        >>> read_grid(["data.batch_size=16,64", "model.optimizer.betas=[0.9,0.98],[0.9,0.999]"])
        {'data.batch_size': [16, 64], 'model.optimizer.betas': [[0.9, 0.98], [0.9, 0.999]]}
    """
    axes: dict[str, list[Any]] = {}
    for word in words:
        key, _, text = word.removeprefix("--").partition("=")
        values = [_value(each) for each in _BETWEEN.split(text)]
        if not key or "" in values:
            raise must("--grid", "give each setting values", word, "Write KEY=VALUE,VALUE.")
        if key in axes:
            raise must("--grid", "name each setting once", key, "Give all its values at once.")
        for value in values:
            if values.count(value) > 1:
                raise must("--grid", f"give {key} each value once", value, "Leave one out.")
        axes[key] = values
    return axes


def grid_words(axes: Mapping[str, Sequence[Any]]) -> list[str]:
    """Write axes as a command line has them."""
    return [
        f"{key}={','.join(as_setting('', value)[1:] for value in values)}"
        for key, values in axes.items()
    ]


def build_grid(
    recipes: Sequence[str | Variant], axes: Mapping[str, Sequence[Any]]
) -> tuple[list[Variant], Design]:
    """Give every combination of values on top of every recipe.

    Args:
        recipes: Paths, or shipped files by name, or either with settings of its own.
        axes: By setting: its values.
    """
    bases = [Variant(source=each) if isinstance(each, str) else each for each in recipes]
    variants = []
    for name, recipe in named(bases).items():
        for values in itertools.product(*axes.values()):
            point = dict(zip(axes, values, strict=True))
            own = tuple(as_setting(key, value) for key, value in point.items())
            words = point_name(point)
            variants.append(
                Variant(
                    source=recipe.source,
                    name=f"{name}-{words}" if len(recipes) > 1 else words,
                    settings=(*recipe.settings, *own),
                )
            )
    return variants, Design(
        kind="grid",
        judge="loss" if all(map(is_for_loss, axes)) else "probes",
        axes={key: list(values) for key, values in axes.items()},
    )


def check_grid(axes: Mapping[str, Sequence[Any]], *, halving: int, tune_lr: int) -> None:
    """Refuse what would choose a value twice, or by something that can't choose it.

    Args:
        axes: By setting: its values; nothing where there is no grid.
        halving: One of so many points goes on; 0 for all.
        tune_lr: Runs at each learning rate of a search of its own; 0 for none.

    Raises:
        UserError: If so.
    """
    if halving and not axes:
        raise must("--halving", "come with --grid", halving, "Give settings with their values.")
    if halving and halving < 2:
        raise must("--halving", "be 2 or more", halving, "With 2 the better half goes on.")
    if tune_lr and LEARNING_RATE in axes:
        remedy = "The grid tries learning rates itself."
        raise must("--tune-lr", f"be left out where the grid has {LEARNING_RATE}", tune_lr, remedy)
    if tune_lr and halving:
        remedy = f"Put {LEARNING_RATE} into the grid."
        raise must("--tune-lr", "be left out beside --halving", tune_lr, remedy)
    for key in axes if halving else ():
        if not is_for_loss(key):
            remedy = (
                "It changes what the loss measures: leave --halving out, and let a task judge."
            )
            raise must("--halving", "drop points by a loss that can judge them", key, remedy)


def _value(text: str) -> Any:
    """Read a value; what is no number, list, mapping, null, true or false is a word."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def point_name(point: Mapping[str, Any]) -> str:
    """Name a point of a grid by its values, as a folder can be named.

    Example:
        >>> point_name({"model.optimizer.lr": 1e-3, "data.batch_size": 16})
        'lr-0.001-batch_size-16'
    """
    return "-".join(_word(key, value) for key, value in point.items())


def _word(key: str, value: Any) -> str:
    """Name a value in a folder's name."""
    text = _NOT_A_FOLDERS.sub("-", as_setting("", value)[1:]).strip("-")
    return f"{key.rpartition('.')[2]}-{text}"
