"""How the arms of a comparison relate to one another, and what judges them.

In: nothing; plain data, which results.json carries and the report reads. It does not know how the
arms came about, nor what was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["plain", "ladder", "grid", "seeds"]
"""Arms side by side; one switch apart each; a product of values; the same arm at other seeds."""

Judge = Literal["loss", "probes", "fine-tuning"]
"""What decides between arms. Where a difference changes what the loss measures, loss does not."""


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One switch of a ladder: an arm, and the arm that it is held against."""

    arm: str
    before: str
    """The arm that differs from it in this switch and in nothing else."""
    switch: str
    """What was switched, in plain words."""
    changes: dict[str, list[Any]]
    """The settings that make it up, by dotted name: the value before and the value after."""
    judge: Judge = "loss"
    alone: bool = False
    """Whether it stands on the first recipe alone; else on all the switches before it."""
    note: str = ""
    """Why more than one thing was switched, a sentence; empty where only one was."""


@dataclass(frozen=True, kw_only=True)
class PaperTable:
    """What a paper printed for the same question, to be shown beside what was found here."""

    source: str
    """Authors, year, table."""
    columns: list[str]
    rows: list[list[str | int | float | None]]
    """One cell a column; the first names the row."""
    note: str = ""
    """How the paper's setting differs from the one here."""


@dataclass(frozen=True, kw_only=True)
class Design:
    """How the arms relate."""

    kind: Kind = "plain"
    question: str | None = None
    """What is asked, as a person would ask it; a study has one."""
    judge: Judge = "loss"
    rungs: list[Rung] = field(default_factory=list)
    """Of a ladder: those of the walk in its order, then those that stand alone."""
    axes: dict[str, list[Any]] = field(default_factory=dict)
    """Of a grid: the values of each setting."""
    paper: PaperTable | None = None

    def ends(self) -> tuple[str, str] | None:
        """Name the recipe that a ladder starts from, and the one that it leads to."""
        walked = [rung for rung in self.rungs if not rung.alone]
        return (walked[0].before, walked[-1].arm) if walked else None

    def pairs(self) -> list[tuple[str, str]] | None:
        """Name the pairs of arms that are in question: each once. None: all of them."""
        ends = self.ends()
        if ends is None:
            return None
        return list(dict.fromkeys([*((rung.before, rung.arm) for rung in self.rungs), ends]))

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> Design:
        """Read what results.json holds; what was written before there were designs is plain."""
        if values is None:
            return cls()
        paper = values.get("paper")
        return cls(
            **{
                **values,
                "rungs": [Rung(**rung) for rung in values.get("rungs", [])],
                "paper": None if paper is None else PaperTable(**paper),
            }
        )
