"""Settings of training on the command line of a comparison: every recipe gets them alike.

In: the words of a command line. Out: the options of the command, and the settings.
"""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.errors import must

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
    own: list[str] = []
    shared: list[str] = []
    words = iter(argv)
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name.startswith(_SHARED):
            own.append(word)
            continue
        if not equals:
            value = next(words, "--")
            if value.startswith("--"):
                raise must(word, "be followed by a value", value, f"Write {word} VALUE.")
        shared.append(f"{name}={value}")
    return own, shared
