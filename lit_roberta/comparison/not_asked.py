"""Judges that were asked before and are not now: what they said is missing from the report.

In: what is asked for, and finished runs. Out: what to tell the user. A report shows the answers of
the judges that its command names, so a command without them drops tables that were there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lit_roberta.comparison.fine_tuning import FOLDER
from lit_roberta.comparison.probing import PROBES
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.runs.run import Run
from lit_roberta.finetuning.evaluation.runs import RESULT


def notices_of_judges_not_asked(asked: Comparison, runs: Sequence[Run]) -> Iterator[str]:
    """Name what lies in the folder and does not come into the report.

    Args:
        asked: Names the folder and the judges.
        runs: Finished ones.

    Yields:
        A line for each judge.
    """
    places = (asked.output / "runs" / run.recipe / f"seed-{run.seed}" for run in runs)
    if not asked.probes and any((place / PROBES).is_file() for place in places):
        yield f"runs in {asked.output} were probed: --probes brings that into the report again."
    if asked.finetune:
        return
    if tasks := sorted({task for run in runs for task in _tasks(asked.output / FOLDER, run)}):
        yield (
            f"runs in {asked.output} were fine-tuned for {', '.join(tasks)}:"
            " --finetune with the same files brings that into the report again."
        )


def _tasks(folder: Path, run: Run) -> Iterator[str]:
    for result in (folder / run.recipe).glob(f"*/seed-{run.seed}/{RESULT}"):
        yield result.parent.parent.name
