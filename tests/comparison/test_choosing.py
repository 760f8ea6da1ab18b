from __future__ import annotations

import io
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from rich.console import Console

from lit_roberta.comparison.choosing import (
    Choice,
    as_it_lies,
    list_runs,
    parse_numbers,
    require_tried,
    state_of,
)
from lit_roberta.comparison.cli import main, parse
from lit_roberta.comparison.runs.claiming import claimed_run
from lit_roberta.comparison.runs.run import write_json
from lit_roberta.comparison.runs.stored import scoring_digest
from lit_roberta.comparison.runs.tasks import Task, finished
from lit_roberta.errors import UserError
from tests.comparison.planted import plant_results


def plan(folder: Path, *, runs: int = 1) -> list[Task]:
    return [
        Task(
            recipe="bert",
            seed=seed,
            updates=6,
            arguments=(),
            folder=folder / "bert" / f"seed-{seed}",
            fingerprint=f"run{seed}-code",
            formats=["sentence-pair", "doc-sentences"],
        )
        for seed in range(runs)
    ]


def leave_result(task: Task, *, fingerprint: str | None = None, scored_by: str = "") -> None:
    """Leave a result in a run's place, as a run of some kind would."""
    task.folder.mkdir(parents=True, exist_ok=True)
    run = replace(
        plant_results().runs[0],
        seed=task.seed,
        fingerprint=fingerprint or task.fingerprint,
        scored_by=scored_by or scoring_digest(),
    )
    write_json(task.folder / "result.json", asdict(run))


@pytest.mark.parametrize(
    ("words", "numbers"),
    [("0", (0,)), ("3,7", (3, 7)), ("0-2", (0, 1, 2)), ("5,0-2,1", (5, 0, 1, 2))],
)
def test_numbers_and_ranges_are_read(words: str, numbers: tuple[int, ...]) -> None:
    assert parse_numbers(words) == numbers
    assert parse(["--index", words]).choice.numbers == numbers


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--index x", "--index must be a number below a million, a range or several, as 3 or 0-4"),
        ("--index=-1", "--index must be a number below a million, a range or several"),
        ("--index 0-99999999999", "--index must be a number below a million"),
        (f"--index {'9' * 5000}", "--index must be a number below a million"),
        ("--index 4-2", "--index must have ranges that rise, got '4-2'."),
        ("--index 1, --list", "--list must not be given with --index"),
        ("--index 1 --report-only", "--report-only must not be given with --index"),
        ("--list --report-only", "--report-only must not be given with --list"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words.split(), "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_a_number_beyond_the_runs_is_refused(tmp_path: Path) -> None:
    tasks = plan(tmp_path, runs=3)
    assert Choice(numbers=(2, 0)).of(tasks) == [tasks[2], tasks[0]]
    with pytest.raises(UserError, match=r"^--index must be at most 2, got 3\. --list shows"):
        Choice(numbers=(0, 3)).of(tasks)


def test_every_state_of_a_run_is_listed(tmp_path: Path) -> None:
    tasks = plan(tmp_path, runs=8)
    there, scored, trained, other, newer, begun, failed, untouched = tasks
    leave_result(there)
    leave_result(scored, scored_by="other code")  # and its checkpoint is gone
    leave_result(trained, scored_by="other code")
    (trained.folder / "checkpoints").mkdir()
    (trained.folder / "checkpoints" / "last.ckpt").touch()
    leave_result(other, fingerprint="else-code")
    leave_result(newer, fingerprint=newer.fingerprint.replace("code", "newer"))
    for task, name in ((begun, "run.json"), (failed, "run.json"), (failed, "failed.json")):
        task.folder.mkdir(exist_ok=True)
        write_json(task.folder / name, {"fingerprint": task.fingerprint})
    written = io.StringIO()
    list_runs(tasks, Console(file=written, width=200))
    assert [line.rpartition("  ")[2] for line in written.getvalue().splitlines()] == [
        "finished",
        "not begun",
        "trained, not scored",
        "finished, of other settings",
        "finished, of another version",
        "begun",
        "failed",
        "not begun",
        "1 of 8 runs are finished.",
    ]
    assert written.getvalue().startswith("   0  bert, seed 0  finished\n")
    with claimed_run(untouched.folder):
        assert state_of(untouched) == "being made"


def test_a_report_alone_takes_what_other_versions_have_made(tmp_path: Path) -> None:
    (task,) = plan(tmp_path)
    for fingerprint, taken in (("run0-older", True), ("run1-code", False), ("run0-code", True)):
        leave_result(task, fingerprint=fingerprint, scored_by="other code")
        assert not finished(task)
        assert finished(as_it_lies(task)) is taken
    assert Choice().seen([task]) == [task]
    assert Choice(report_only=True).seen([task]) == [as_it_lies(task)]


def test_runs_are_chosen_by_number_only_when_all_rates_are_tried(tmp_path: Path) -> None:
    first, second = tasks = plan(tmp_path, runs=2)
    leave_result(first)
    with pytest.raises(UserError, match="come when all learning rates are tried, got '1 untried"):
        require_tried(tasks)
    second.folder.mkdir()
    for name in ("run.json", "failed.json"):
        write_json(second.folder / name, {"fingerprint": second.fingerprint})
    require_tried(tasks)
