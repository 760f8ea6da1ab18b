"""Numbers and lists as a person would write them, the same in every sentence, table and chart."""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.comparison.judging.claims import Difference
from lit_roberta.statistics import Interval


def nats(value: float, *, sign: bool = False) -> str:
    """Write a number of nats: two decimals, and a third where two would say little.

    Example:
        >>> nats(1.234), nats(-0.0312, sign=True)
        ('1.23', '-0.031')
    """
    digits = 2 if abs(value) >= 0.1 else 3
    return f"{value:{'+' if sign else ''}.{digits}f}"


def joined(names: Sequence[str]) -> str:
    """Write a list of names as a person would.

    Example:
        >>> joined(["a", "b", "c"])
        'a, b and c'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def evidence_on(difference: Difference, sign: int = 1) -> str:
    """Write the intervals of a difference, as `intervals` does."""
    return intervals(
        difference.over_runs, difference.over_documents, sign, over_both=difference.over_both
    )


def intervals(
    over_runs: Interval | None,
    over_documents: Interval | None,
    sign: int = 1,
    *,
    over_both: Interval | None = None,
) -> str:
    """Write the intervals in brackets, with a space before; nothing where there is none."""
    parts = [
        f"over {unit} {_ends(interval, sign)}"
        for unit, interval in (
            ("runs", over_runs),
            ("documents", over_documents),
            ("both by two-level bootstrap", over_both),
        )
        if interval is not None
    ]
    return f" (95% interval {', '.join(parts)})" if parts else ""


def _ends(interval: Interval, sign: int) -> str:
    low, high = sorted((sign * interval.low, sign * interval.high))
    return f"{nats(low)} to {nats(high)}"
