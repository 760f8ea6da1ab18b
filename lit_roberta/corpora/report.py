"""What a person should know of a prepared text: on the terminal, and beside the text.

In: a prepared folder. Out: `report.md` and `lengths.png` in it, and the same on stdout.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from lit_roberta.corpora.budget import Spending
from lit_roberta.corpora.rendering import show, to_markdown
from lit_roberta.corpora.sections import describe
from lit_roberta.corpora.suggesting import describe_suggestions, suggest_for
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.manifest import read_manifest
from lit_roberta.errors import UserError
from lit_roberta.whole_files import write_whole

REPORT, PICTURE = "report.md", "lengths.png"
_WIDE = 200
"""Columns."""


def report(folder: Path, config: TextConfig, spending: Mapping[str, Any]) -> None:
    """Report on a text.

    Args:
        folder: The prepared folder.
        config: What it was made from.
        spending: What is given of a `Spending`; its batch size follows from the amount of text.

    Raises:
        UserError: If the folder can't be written.
    """
    manifest = read_manifest(folder)
    made = suggest_for(manifest)
    budget = Spending(**{"batch_size": made.batch_size.value, **spending})
    sections = [
        *describe(manifest, budget),
        describe_suggestions(made, config, folder),
    ]
    page = to_markdown(f"The text of {config.name}", sections, picture=PICTURE)
    try:
        # matplotlib is a large import, for those who ask for a report.
        from lit_roberta.corpora.picture import draw_lengths

        write_whole(folder / PICTURE, draw_lengths(manifest.facts))
        write_whole(folder / REPORT, page.encode("utf-8", "replace"))
    except OSError as error:
        raise UserError(
            f"{folder} must let the report be written, and fails with: {error.strerror}. Make "
            "room there."
        ) from error
    show(sections, _console())


def _console() -> Console:
    """Print in the width of a terminal; into a file or a pipe, so wide that nothing is broken."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)
