"""All tasks of benchmarks that a name stands for."""

from __future__ import annotations

from lit_roberta.finetuning.benchmarks.choosing import RACE, SWAG
from lit_roberta.finetuning.benchmarks.glue import GLUE
from lit_roberta.finetuning.benchmarks.layout import Benchmark
from lit_roberta.finetuning.benchmarks.superglue import SUPERGLUE

GROUPS: dict[str, tuple[Benchmark, ...]] = {"glue": GLUE, "superglue": SUPERGLUE}
"""Tasks that are judged together, by the name of the benchmark; some are in two."""

BENCHMARKS: tuple[Benchmark, ...] = tuple(
    {each.name: each for each in (*GLUE, *SUPERGLUE, RACE, SWAG)}.values()
)
"""Each once."""
