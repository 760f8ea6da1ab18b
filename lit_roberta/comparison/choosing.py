"""Which of the planned runs are made now: all, some by their numbers, or none.

In: the words of a person. Out: a choice, and planned runs as it sees them. It does not know what
the runs are for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jsonargparse import Namespace
from rich.console import Console

from lit_roberta.comparison.runs.claiming import is_claimed
from lit_roberta.comparison.runs.stored import FAILED, MARK, RESULT, differs_by_code, read_stored
from lit_roberta.comparison.runs.tasks import Task, finished, only_scored, superseded
from lit_roberta.errors import UserError, must
from lit_roberta.training.parser import OneLineParser

_NUMBERS = re.compile(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*")
"""No comparison has a million runs, and the numbers of a longer range would fill the memory."""


class RunsFailed(UserError):  # noqa: N818 - said of runs, not of words
    """Runs that were asked for by their numbers failed."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which of the planned runs are made."""

    numbers: Sequence[int] | None = None
    """Their places in the list of all, from 0; None for all of them."""
    listing: bool = False
    """Whether the list of them is all that is wanted."""
    report_only: bool = False
    """Whether none is made, and those that are there are reported, whatever version made them."""
    anew: bool = False
    """Whether finished runs of other settings may be replaced."""

    @property
    def shares_folder(self) -> bool:
        """Whether others may make runs in the same folder meanwhile: no report is written."""
        return self.listing or self.numbers is not None

    def of(self, tasks: Sequence[Task]) -> list[Task]:
        """Give the chosen runs.

        Raises:
            UserError: If there are not so many.
        """
        if self.numbers is None:
            return list(tasks)
        beyond = [number for number in self.numbers if number >= len(tasks)]
        if beyond:
            remedy = "--list shows the runs with their numbers."
            raise must("--index", f"be at most {len(tasks) - 1}", beyond[0], remedy)
        return [tasks[number] for number in self.numbers]

    def seen(self, tasks: Sequence[Task]) -> list[Task]:
        """Give planned runs as this choice sees them: in a report alone, whoever made them."""
        return [as_it_lies(task) if self.report_only else task for task in tasks]


EVERY = Choice()
"""All of them."""


def as_it_lies(task: Task) -> Task:
    """Give a planned run that takes what other code has made of it for its own."""
    stored = str(read_stored(task.folder / RESULT).get("fingerprint"))
    made_otherwise = differs_by_code(stored, task.fingerprint)
    return replace(
        task, fingerprint=stored if made_otherwise else task.fingerprint, any_scoring=True
    )


def add_choice_options(parser: OneLineParser) -> None:
    """Add which of the planned runs are made now."""
    parser.add_argument(
        "--index",
        type=str | None,
        help="Make only these of the runs, by their numbers from 0, and no report: 3, or 3,7, or "
        "0-4. In an array of jobs: sbatch --array=0-14 --wrap 'python compare.py ... --index "
        "$SLURM_ARRAY_TASK_ID'; the same command without --index then writes the report.",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="Show the runs with their numbers, and which are finished; make none.",
    )
    parser.add_argument(
        "--report-only",
        action="store_true",
        help="Make no run: report on those that are there, whatever version made them.",
    )
    parser.add_argument(
        "--anew",
        action="store_true",
        help="Replace finished runs in --output that are of other settings.",
    )


def choice_of(asked: Namespace) -> Choice:
    """Read the choice from parsed words.

    Raises:
        UserError: If it makes no sense.
    """
    said = {"--index": asked.index, "--list": asked.list, "--report-only": asked.report_only}
    given = [name for name, value in said.items() if value not in (None, False)]
    if len(given) > 1:
        raise must(given[1], f"not be given with {given[0]}", True, "Give one of them.")
    return Choice(
        numbers=None if asked.index is None else parse_numbers(asked.index),
        listing=asked.list,
        report_only=asked.report_only,
        anew=asked.anew,
    )


def parse_numbers(words: str) -> tuple[int, ...]:
    """Read numbers and ranges of numbers.

    Raises:
        UserError: If they are none.

    Example:
        >>> parse_numbers("7,0-2,1")
        (7, 0, 1, 2)
    """
    if not _NUMBERS.fullmatch(words):
        remedy = "Count from 0; --list shows the runs with their numbers."
        raise must(
            "--index",
            "be a number below a million, a range or several, as 3 or 0-4,7",
            words,
            remedy,
        )
    ranges = [part.partition("-")[::2] for part in words.split(",")]
    numbers = [n for low, high in ranges for n in range(int(low), int(high or low) + 1)]
    if not numbers:
        raise must("--index", "have ranges that rise", words, "Give the smaller number first.")
    return tuple(dict.fromkeys(numbers))


def require_tried(tasks: Sequence[Task]) -> None:
    """Refuse to choose runs by number while what decides on all of them is not known.

    Raises:
        UserError: If a tuning run was not made yet. One that failed was made.
    """
    untried = [task for task in tasks if state_of(task) not in ("finished", "failed")]
    if untried:
        remedy = "First run the same command with --seeds 0, which makes them and nothing else."
        rule = "come when all learning rates are tried"
        raise must("--index or --list", rule, f"{len(untried)} untried runs", remedy)


def list_runs(tasks: Sequence[Task], console: Console) -> None:
    """Write a line for each planned run: its number, its name, and how far it is."""
    width = max((len(task.label) for task in tasks), default=0)
    for number, task in enumerate(tasks):
        line = f"{number:>4}  {task.label:<{width}}  {state_of(task)}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    done = sum(map(finished, tasks))
    console.print(f"{done} of {len(tasks)} runs are finished.", highlight=False)


def state_of(task: Task) -> str:
    """Say in a few words how far a planned run is."""
    if finished(task):
        return "finished"
    if is_claimed(task.folder):
        return "being made"
    if superseded(task):
        stored = str(read_stored(task.folder / RESULT)["fingerprint"])
        by_code = differs_by_code(stored, task.fingerprint)
        return f"finished, of {'another version' if by_code else 'other settings'}"
    if only_scored(task):
        return "trained, not scored"
    if read_stored(task.folder / FAILED).get("fingerprint") == task.fingerprint:
        return "failed"
    begun = read_stored(task.folder / MARK).get("fingerprint") == task.fingerprint
    return "begun" if begun else "not begun"
