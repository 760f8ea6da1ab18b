"""A report's sections as a page of Markdown, or as tables on a terminal of any width."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from lit_roberta.corpora.sections import Section

_ANY_WIDTH = 10_000


def to_markdown(title: str, sections: Sequence[Section], *, picture: str) -> str:
    """Write a page.

    Args:
        title: What it is about.
        sections: What it says.
        picture: The file beside the page that shows the lengths.
    """
    head = [f"# {_escape(title)}", f"![How long documents and sentences are]({picture})"]
    return "\n\n".join(chain(head, *map(_paragraphs, sections))) + "\n"


def _paragraphs(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    if section.rows:
        head = [section.columns, ("---",) * len(section.columns)]
        yield "\n".join(_line(cells) for cells in (*head, *section.rows))
    yield from map(_escape, section.lines)
    if section.commands:
        yield "\n".join(["```", *section.commands, "```"])


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(_escape(cell) for cell in cells)} |"


def _escape(text: str) -> str:
    """Keep what stands in a corpus from becoming markup."""
    return re.sub(r"[\\`*\[\]<>|#]", r"\\\g<0>", text)


def show(sections: Sequence[Section], console: Console) -> None:
    """Print sections, each cell in full however narrow the terminal is.

    Args:
        sections: What is said.
        console: Where to.
    """
    for section in sections:
        console.print(Text(f"\n{section.title}", style="bold"))
        if section.rows:
            console.print(_fitting(section, console))
        for line in section.lines:
            console.print(Text(line))
        for command in section.commands:
            # It is copied from the screen: no line end may be put into it.
            console.print(Text(command, style="cyan"), soft_wrap=True)


def _fitting(section: Section, console: Console) -> Table | Text:
    """Lay out rows as a table, or each as lines where a table would have to break words."""
    table = _table(section)
    unbounded = console.options.update(max_width=_ANY_WIDTH)
    if Measurement.get(console, unbounded, table).minimum <= console.width:
        return table
    text = Text()
    for name, *cells in section.rows:
        text.append(f"{name}\n", style="bold")
        named = zip(section.columns[1:], cells, strict=True)
        text.append("".join(f"  {column}: {cell}\n" for column, cell in named))
    return text


def _table(section: Section) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(section.columns):
        cells = [row[place] for row in section.rows]
        numbers = all(cell[:1].isdigit() or cell == "-" for cell in cells) and place > 0
        table.add_column(
            Text(column),
            justify="right" if numbers else "left",
            overflow="fold",
        )
    for row in section.rows:
        table.add_row(*map(Text, row))
    return table
