"""The runs that a report is without, in as few lines as say why.

In: failures. Out: lines. A study of which half is still to be made has many runs that are not
there, and they come before everything that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lit_roberta.comparison.judging.wording import joined
from lit_roberta.comparison.results import Failure


def missing_runs(failures: Sequence[Failure]) -> list[tuple[str, str]]:
    """Gather runs that are missing for one reason.

    Returns:
        For each reason, what to call it, and a sentence with the runs.

    Example:
        >>> missing_runs([Failure(recipe="a", seed=each, message="it died") for each in (0, 2)])
        [('Failed', 'a (seeds 0 and 2): it died')]
    """
    groups: dict[tuple[bool, str], list[Failure]] = {}
    for failure in failures:
        groups.setdefault((failure.tried, failure.message), []).append(failure)
    return [
        ("Failed" if tried else "Missing", f"{', '.join(_by_recipe(group))}: {message}")
        for (tried, message), group in groups.items()
    ]


def _by_recipe(failures: Sequence[Failure]) -> Iterator[str]:
    for recipe in dict.fromkeys(failure.recipe for failure in failures):
        seeds = [str(failure.seed) for failure in failures if failure.recipe == recipe]
        yield f"{recipe} ({'seed' if len(seeds) == 1 else 'seeds'} {joined(seeds)})"
