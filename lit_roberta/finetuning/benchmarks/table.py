"""All tasks of benchmarks that a name stands for."""

from __future__ import annotations

from lit_roberta.finetuning.benchmarks.choosing import COPA, RACE, SWAG
from lit_roberta.finetuning.benchmarks.glue import GLUE
from lit_roberta.finetuning.benchmarks.layout import Benchmark

GROUPS: dict[str, tuple[Benchmark, ...]] = {"glue": GLUE}
"""Tasks that are judged together, by the name of the benchmark."""

BENCHMARKS: tuple[Benchmark, ...] = tuple(
    {
        each.name: each
        for each in (*(task for group in GROUPS.values() for task in group), RACE, COPA, SWAG)
    }.values()
)
"""Each once: some are in two groups."""
