"""Which files of a comparison's folder the numbers of a recipe come from."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class RunFiles:
    """The files of one run, as links from the report."""

    seed: int
    result: str
    """Every number of it."""
    config: str
    """Every setting of it."""
    log: str


def files_of(results: Results) -> dict[str, list[RunFiles]]:
    """Give the files of each recipe's runs; those of another where both are the same run."""
    return {
        recipe.name: [
            RunFiles(
                seed=run.seed,
                result=_link(run, "result.json"),
                config=_link(run, "config.yaml"),
                log=_link(run, "log.txt"),
            )
            for run in results.runs_of(recipe.name)
        ]
        for recipe in results.finished()
    }


def _link(run: Run, name: str) -> str:
    return quote(f"runs/{run.same_as or run.recipe}/seed-{run.seed}/{name}")
