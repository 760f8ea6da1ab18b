from __future__ import annotations

import sys
from pathlib import Path

import pytest
from filelock import FileLock

from lit_roberta.comparison.cli import _SIZES, main, parse
from lit_roberta.comparison.design import halving, tuning
from lit_roberta.comparison.request import MOST_SEEDS
from lit_roberta.training.arguments import shipped_configs


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


def test_settings_of_training_are_parted_from_the_comparisons_own() -> None:
    asked = parse(
        [
            *(
                "--recipes",
                "bert",
                "roberta",
                "--data.tokenizer.kind",
                "wordpiece",
                "--seeds",
                "3",
            ),
            *("--corpus=a b.txt", "--size", "small", "--config", "mine.yaml"),
            *("--model.optimizer.lr=2e-3", "--tune-lr", "2", "--compile", "true"),
        ]
    )
    assert asked.recipes == ("bert", "roberta")
    assert (asked.seeds, asked.tune_lr) == (3, 2)
    assert asked.overlays == ("size/small", "mine.yaml")
    assert asked.overrides == (
        "data.tokenizer.kind=wordpiece",
        "model.optimizer.lr=2e-3",
        "compile=true",
        "data.corpus=a b.txt",
    )
    assert asked.command.startswith("python compare.py --recipes bert roberta --data.tokenizer")
    assert "'--corpus=a b.txt'" in asked.command


def test_the_sizes_are_those_that_ship() -> None:
    files = (shipped_configs() / "size").glob("*.yaml")
    assert sorted(_SIZES) == sorted(file.stem for file in files)


def test_the_notebooks_own_setting_can_be_asked_for() -> None:
    recipes = ["--recipes", "notebook/bert", "notebook/roberta"]
    asked = parse([*recipes, "--budget.unit", "epochs", "--budget.amount", "15"])
    assert (asked.budget.unit, asked.budget.amount) == ("epochs", 15)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--seed 3", "unrecognized arguments: --seed 3"),
        ("--seeds -1", "--seeds must be 0 or more, got -1. Give a whole number."),
        ("--seeds 1001", "--seeds must be at most 1,000, got 1001."),
        ("--tune-lr 1001", "--tune-lr must be at most 1,000, got 1001."),
        ("--order-seeds 99999999999", "--order-seeds must be at most 1,000"),
        ("--seeds 0", "--seeds must be 1 or more, got 0. Only with --tune-lr"),
        ("--seeds three", "seeds must be a whole number, got 'three'. Write it in digits"),
        ("--jobs 0", "--jobs must be 1 or more, got 0."),
        ("--budget.unit weeks", "budget.unit"),
        ("--budget.unit epochs", "budget.amount must be given where the unit is epochs"),
        ("--budget.amount -5", "budget.amount must be above 0, got -5."),
        ("--recipes bret", "--recipes must name a file, got 'bret'. Did you mean bert?"),
        ("--corpus nowhere.txt", "data.corpus must exist, got 'nowhere.txt'."),
        ("--data.masking.rat 0.3", "--data.masking.rat"),
        ("--data.max_length", "--data.max_length must be followed by a value"),
        ("--data.max_length --seeds 3", "--data.max_length must be followed by a value"),
        ("--data.max_length 3", "max_length must lie between 5 and"),
        ("--trainer.max_steps 9", "--trainer.max_steps must be left to the comparison, got '9'."),
        ("--trainer.gradient_clip_val 1", "--model.optimizer.clip_norm"),
        ("--size huge", "--size must be one of tiny, small, base, large, got 'huge'."),
        ("--budget.amount 1e400", "budget.amount must be finite and below 2**63, got inf."),
        ("--budget.amount 1e30", "budget.amount must be finite and below 2**63, got 1e+30."),
        ("--budget.amount 1e18", "budget.amount must come to fewer than 2,147,483,648 updates"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "report"
    assert main([*words.split(), "--output", str(output)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert message in said[-1]
    assert not [line for line in said if "Traceback" in line]
    assert {path.name for path in output.glob("*")} <= {".lock"}


def test_no_compared_run_has_a_seed_that_something_was_chosen_with() -> None:
    assert tuning.FIRST_SEED >= MOST_SEEDS
    assert halving.FIRST_SEED >= tuning.FIRST_SEED + MOST_SEEDS


def test_a_folder_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert main(["--output", str(tmp_path / "file" / "report")]) == 2
    assert capsys.readouterr().err.startswith("--output must be writable, got ")


def test_two_comparisons_do_not_share_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FileLock(tmp_path / ".lock"):
        assert main(["--output", str(tmp_path)]) == 2
    assert "--output must be no other comparison's, got " in capsys.readouterr().err


def test_help_says_what_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    said = capsys.readouterr().out
    for option in (
        "--corpus",
        "--recipes",
        "--budget.unit",
        "--tune-lr",
        "non-padding tokens fed",
    ):
        assert option in said
