"""SuperGLUE's tasks, from the folders that its download makes.

Source: Wang et al. 2019, table 1 for the metrics.
"""

from __future__ import annotations

from lit_roberta.finetuning.benchmarks.answering import (
    multirc_of_row,
    read_multirc,
    read_record,
    record_of_row,
)
from lit_roberta.finetuning.benchmarks.choosing import COPA
from lit_roberta.finetuning.benchmarks.glue import RTE
from lit_roberta.finetuning.benchmarks.layout import (
    Benchmark,
    OfRow,
    ReadFile,
    files_of,
    part_reader,
)
from lit_roberta.finetuning.benchmarks.marked import (
    LABELS,
    read_wic,
    read_wsc,
    wic_of_row,
    wsc_of_row,
)
from lit_roberta.finetuning.benchmarks.rows import RowReader

GROUPED = "grouped-classification"
"""The kind of tasks that judge the answers of a question together."""

_INFERENCE = ("entailment", "contradiction", "neutral")


def _task(
    folder: str,
    read: ReadFile,
    *,
    kind: str = "classification",
    labels: tuple[str, ...] = LABELS,
    metrics: tuple[str, ...] = ("accuracy",),
    of_row: OfRow | None = None,
) -> Benchmark:
    name = folder.lower()
    return Benchmark(
        name=name,
        kind=kind,
        folder=folder,
        read_part=part_reader(name, [files_of(".jsonl", validation="val")], read),
        labels=labels,
        metrics=metrics,
        of_row=of_row,
    )


SUPERGLUE = (
    _task("BoolQ", RowReader(text="question", pair="passage", labels=LABELS)),
    _task(
        "CB",
        RowReader(text="premise", pair="hypothesis", labels=_INFERENCE),
        labels=_INFERENCE,
        metrics=("accuracy", "macro_f1"),
    ),
    COPA,
    _task(
        "MultiRC",
        read_multirc,
        kind=GROUPED,
        metrics=("f1_a", "exact_match"),
        of_row=multirc_of_row,
    ),
    _task(
        "ReCoRD",
        read_record,
        kind=GROUPED,
        metrics=("best_f1", "best_exact_match"),
        of_row=record_of_row,
    ),
    RTE,
    _task("WiC", read_wic, of_row=wic_of_row),
    _task("WSC", read_wsc, of_row=wsc_of_row),
)
