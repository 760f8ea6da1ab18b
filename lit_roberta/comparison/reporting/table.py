"""Text in rows and columns, before it is a page or a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Table:
    """Text in rows and columns."""

    caption: str
    header: list[str]
    rows: list[list[str]]


def markdown(table: Table) -> str:
    """Write a table in Markdown, without its caption."""
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )
