"""Text in rows and columns, before it is a page or a file, and where its numbers come from."""

from __future__ import annotations

from dataclasses import dataclass, field

from lit_roberta.comparison.reporting.markdown_text import row


@dataclass(frozen=True, kw_only=True)
class Table:
    """Text in rows and columns."""

    name: str
    """Of its place in a page, and of its files."""
    caption: str
    header: list[str]
    rows: list[list[str]]
    arms: list[str | None] = field(default_factory=list)
    """The recipe of each row, whose runs it is about; None where it is about none."""
    fields: list[str] = field(default_factory=list)
    """By column, what is read of each run's result file, as in `heldout.{scored on}.mlm_loss`,
    where `{scored on}` stands for the row's cell in the column of that name; "" for what is no
    mean over runs."""
    besides: str = ""
    """Where all other numbers come from, a sentence."""

    def origin(self) -> list[str]:
        """Say of each column which numbers of which files it is made of."""
        lines = [
            f"{column}: {read}"
            for column, read in zip(
                self.header, self.fields or [""] * len(self.header), strict=True
            )
            if read
        ]
        if lines:
            lines.insert(0, "Means over the runs of a row, from runs/RECIPE/seed-N/result.json:")
        return lines + [self.besides] * bool(self.besides)


def markdown(table: Table) -> str:
    """Write a table in Markdown, without its caption."""
    return "\n".join(map(row, [table.header, ["---"] * len(table.header), *table.rows]))
