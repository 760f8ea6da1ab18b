from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.comparison.runs.observer import run_observed
from lit_roberta.planning.cli import main
from tests.training.commands import TINY

KEYS = {
    "format",
    "updates",
    "sequences",
    "tokens",
    "text_tokens",
    "predictions",
    "flops",
    "updates_counted",
    "finished_updates",
    "sequences_per_update",
    "epochs",
    "text_passes",
    "flops_per_update",
    "copies",
    "parameters",
    "checkpoint_bytes",
    "memory",
    "time",
    "device",
    "devices",
    "precision",
    "notes",
}
MEMORY_KEYS = {
    "weights_bytes",
    "gradients_bytes",
    "moments_bytes",
    "activations_bytes",
    "validation_bytes",
    "peak_bytes",
    "measured_peak_bytes",
    "available_bytes",
    "share",
    "longest_sequence",
    "micro_batch_size",
    "largest_micro_batch_size",
    "largest_was_tried",
}
TIME_KEYS = {
    "seconds_per_update",
    "tokens_per_second",
    "trial_updates",
    "training_seconds",
    "validations",
    "seconds_per_validation",
    "saves",
    "seconds_per_save",
    "total_seconds",
    "remaining_seconds",
}


class Planner:
    """`lit-roberta plan ...` in a folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *words: str) -> dict[str, Any]:
        """Plan; give what it says to machines."""
        status, said, errors = self.run(*words, "--json")
        assert status == 0, errors
        return json.loads(said)

    def run(self, *words: str) -> tuple[int, str, str]:
        """Plan; give the status and what was written to stdout and to stderr."""
        before = self.files
        self._capsys.readouterr()
        status = main(["--trial_updates=1", *words])
        assert self.files == before, "something was written"
        return status, *self._capsys.readouterr()

    @property
    def files(self) -> dict[Path, float]:
        """Every file and folder, and when it was last written to."""
        return {path: path.stat().st_mtime for path in sorted(self.folder.rglob("*"))}


@pytest.fixture
def plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Planner:
    monkeypatch.chdir(tmp_path)
    return Planner(tmp_path, capsys)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--config=roberta", "--trainer.max_epochs=2"], id="epochs"),
        pytest.param(["--config=bert", "--trainer.max_steps=6"], id="pairs"),
        pytest.param(
            [
                "--config=roberta",
                "--trainer.max_steps=8",
                "--data.batch_ramp.start=4",
                "--data.batch_ramp.updates=4",
                "--data.length_stages=[{max_length: 24, share: 0.5}]",
            ],
            id="growing",
        ),
    ],
)
def test_a_run_does_what_was_planned(words: list[str], plan: Planner) -> None:
    planned = plan(*words, *TINY)
    run = run_observed(["fit", *words, *TINY], lambda done, total, loss: None)
    costs = run.observer.costs
    assert planned["updates"] == planned["updates_counted"] == costs.updates
    assert planned["sequences"] == costs.sequences
    for name in ("tokens", "text_tokens", "predictions", "flops"):
        assert planned[name] == pytest.approx(getattr(costs, name)), name
    assert planned["parameters"] == sum(each.numel() for each in run.model.model.parameters())
    assert planned["tokens"] == pytest.approx(run.model.num_tokens)


def test_a_long_run_is_counted_by_some_of_its_updates(plan: Planner) -> None:
    words = ["--config=roberta", *TINY]
    planned = plan(*words, "--trainer.max_steps=20000")
    whole = plan(*words, "--trainer.max_steps=100")
    assert planned["updates_counted"] < 1000
    assert planned["sequences"] == 64 * 20_000
    assert planned["tokens"] == pytest.approx(200 * whole["tokens"], rel=0.01)


def test_the_keys_for_machines_stay(plan: Planner) -> None:
    planned = plan(*TINY, "--trainer.max_steps=3")
    assert set(planned) == KEYS
    assert set(planned["memory"]) == MEMORY_KEYS
    assert set(planned["time"]) == TIME_KEYS
    assert planned["format"] == 1
    time = planned["time"]
    assert time["total_seconds"] > time["training_seconds"] > 0


def test_a_person_gets_a_table_with_units(plan: Planner) -> None:
    status, said, _ = plan.run(*TINY, "--config=bert", "--trainer.max_steps=3", "--corpus", "toy")
    assert status == 0
    for words in ("FLOP", "tokens/s", " MB", " kB", "largest micro-batch", "no mask comes round"):
        assert words in said


@pytest.mark.slow
def test_hours_become_updates(plan: Planner) -> None:
    short, long = (plan(*TINY, f"--max_hours={hours}") for hours in (0.01, 0.1))
    assert short["updates"] < long["updates"]
    assert long["time"]["total_seconds"] < 1.2 * 360


def test_what_a_checkpoint_has_is_not_left(plan: Planner) -> None:
    words = ["--config=roberta", *TINY, "--trainer.max_steps=4"]
    run_observed(["fit", *words, "--checkpoint.every_n_updates=2"], lambda done, total, loss: None)
    more = [*words[:-1], "--trainer.max_steps=8", "--ckpt_path=last"]
    planned = plan(*more)
    assert planned["finished_updates"] == 4
    time = planned["time"]
    assert time["remaining_seconds"] == pytest.approx(time["total_seconds"] / 2)


def test_a_plan_may_be_made_where_a_run_lies(plan: Planner) -> None:
    words = ["--config=roberta", *TINY, "--trainer.max_steps=2"]
    run_observed(["fit", *words], lambda done, total, loss: None)
    assert plan(*words)["updates"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--trial_updates=0"], "--trial_updates must lie between 1 and 1,000,000, got 0."),
        (["--trial_seconds=-1"], "--trial_seconds must be above 0 and finite, got -1.0."),
        (["--trial_seconds"], "argument --trial_seconds: expected one argument"),
        (["--corpus=nowhere.txt"], "data.corpus must exist, got 'nowhere.txt'."),
        (["--confg=bert"], "Did you mean --config?"),
        (["--config=brt"], "--config must name a file, got 'brt'."),
        (["--trainer.max_steps=0"], "trainer.max_steps must be 1 or more, got 0."),
        (["--max_hours=0"], "max_hours must be above 0, got 0.0."),
        (["--trainer.devices=0"], "The trainer's settings don't fit: "),
        (["fit"], "fit"),
        (["--data.task=sst2"], "what is planned must be a run of pretraining, got 'data.task'."),
        (["--config=finetune/sst2"], "what is planned must be a run of pretraining"),
    ],
)
def test_what_can_not_be_planned_is_one_line(
    words: list[str], message: str, plan: Planner
) -> None:
    status, said, errors = plan.run(*TINY, *words)
    assert (status, said) == (2, "")
    assert "Traceback" not in errors
    assert message in [line for line in errors.splitlines() if line][-1]
