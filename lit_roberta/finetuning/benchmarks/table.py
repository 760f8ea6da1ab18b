"""All tasks of benchmarks that a name stands for."""

from __future__ import annotations

from lit_roberta.finetuning.benchmarks.glue import GLUE
from lit_roberta.finetuning.benchmarks.layout import Benchmark

GROUPS: dict[str, tuple[Benchmark, ...]] = {"glue": GLUE}
"""By the benchmark's name."""

BENCHMARKS: tuple[Benchmark, ...] = tuple(
    {each.name: each for group in GROUPS.values() for each in group}.values()
)
"""Each once."""
