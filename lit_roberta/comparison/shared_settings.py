"""Settings of training on the command line of a comparison: every recipe gets them alike.

In: the words of a command line. Out: the options of the command, and the settings.
"""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta import command_line

_SHARED = (
    "data.",
    "model.",
    "trainer.",
    "checkpoint.",
    "divergence.",
    "compile",
    "seed_everything",
    "ckpt_path",
)
"""How the settings of training begin."""


def part_settings(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the options of the comparison from the settings that all runs get.

    Returns:
        The first as they are, the second as `name=value`.
    """
    own, shared = command_line.part_settings(argv, _SHARED)
    return own, [f"{name}={value}" for name, value in shared]
