"""The words of `lit-roberta evaluate` before they are parsed.

In: the words that a person typed, in any order. Out: models first, then options; and the settings
of training that all runs get.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from lit_roberta import command_line
from lit_roberta.errors import must
from lit_roberta.finetuning.evaluation.request import GRIDS

_SHARED = ("data.", "model.", "trainer.", "checkpoint.", "divergence.", "reading.", "compile")
"""How the settings of training begin."""
_PER_RUN = {
    "model.pretrained": "name the models without an option",
    "model.optimizer.lr": "give --lrs",
    "data.batch_size": "give --batch-sizes",
    "trainer.default_root_dir": "give --output",
    "data.task": "give --tasks, or a file of settings as --task-config",
    "trainer.max_epochs": "give --epochs",
}
_FLAGS = ("--mnli-first", "--keep", "-h", "--help")
"""Options without a value."""
_LISTS = ("--lrs", "--batch-sizes")
"""Options with numbers behind them, as many as there are."""
_ALL_GRID = "--grid=roberta"
"""What `--grid` alone stands for."""


def models_first(words: Sequence[str]) -> list[str]:
    """Put the models before all options.

    Args:
        words: Of the evaluation itself.

    Returns:
        The same words, in an order that can be parsed; `--grid` alone with its value.

    Example:
        >>> models_first(["--lrs", "1e-5", "2e-5", "a.ckpt", "--grid", "--seeds", "3", "b.ckpt"])
        ['a.ckpt', 'b.ckpt', '--lrs', '1e-5', '2e-5', '--grid=roberta', '--seeds', '3']
    """
    models: list[str] = []
    options: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        values = _count_values(word, words[place + 1 :])
        if not word.startswith("-"):
            models.append(word)
        else:
            is_alone = word == "--grid" and not values
            options += [_ALL_GRID] if is_alone else words[place : place + 1 + values]
        place += 1 + values
    return models + options


def _count_values(word: str, following: Sequence[str]) -> int:
    """Count the words behind an option that are its values."""
    if not word.startswith("-") or "=" in word or word in _FLAGS:
        return 0
    if word in _LISTS:
        return len(list(takewhile(_is_number, following)))
    if word == "--grid":
        return int(bool(following) and following[0] in GRIDS)
    return int(bool(following) and not following[0].startswith("--"))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def part_settings(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the options of the evaluation from the settings that all runs get.

    Args:
        argv: The arguments.

    Returns:
        Its own, and the settings, each as a word `--name=value`.

    Raises:
        UserError: If a setting has no value, or is not for all runs alike.
    """
    own, shared = command_line.part_settings(argv, _SHARED)
    for name, value in shared:
        if name in _PER_RUN:
            raise must(f"--{name}", "be left out", value, f"Instead {_PER_RUN[name]}.")
    return own, [f"--{name}={value}" for name, value in shared]
