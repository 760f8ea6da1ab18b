from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from lit_roberta.comparison.diff_cli import main


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["lit-roberta"])


def test_a_diff_names_the_switches_and_apart_from_them_what_is_no_recipes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.yaml"
    text = "data: {format: doc-sentences, corpus: nowhere.txt, batch_size: 32}\n"
    mine.write_text(f"{text}trainer: {{precision: 32-true}}\n")
    assert main(["roberta", str(mine), "--model.optimizer.lr=0.001"]) == 0
    table, others = (part.splitlines() for part in capsys.readouterr().out.split("\n\n"))
    assert [line.split() for line in table] == [
        ["switch", "setting", "roberta", "mine", "judged", "by"],
        [
            "batch",
            "size",
            "with",
            "its",
            "learning",
            "rate",
            "data.batch_size",
            "64",
            "32",
            "loss",
        ],
    ]
    assert others[0] == "They differ, too, in what is no part of a recipe:"
    assert [line.split() for line in others[1:]] == [
        ["setting", "roberta", "mine"],
        ["trainer.precision", "null", "32-true"],
        ["data.corpus", "toy", "nowhere.txt"],
    ]


def test_a_diff_for_programs_has_every_setting_and_a_recipe_alone_stands_beside_the_defaults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bert", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["first"], values["second"], values["others"]) == ("defaults", "bert", {})
    assert [(each["short_name"], each["judge"]) for each in values["switches"]] == [
        *(("masking-copies", "loss"), ("nsp", "loss"), ("format", "probes"), ("batch", "loss")),
    ]
    assert values["switches"][0]["changes"] == {"data.masking.copies": [None, 1]}


def test_recipes_that_are_one_are_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = tmp_path / "same.yaml"
    same.write_text("data: {batch_size: 64}\nmodel: {optimizer: {lr: 2.0e-3}}\n")
    assert main(["roberta", str(same)]) == 0
    assert capsys.readouterr().out == "roberta and same are the same recipe.\n"


def test_a_file_called_defaults_stands_beside_the_defaults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "defaults.yaml").write_text("data: {batch_size: 48}\n")
    assert main([str(tmp_path / "defaults.yaml")]) == 0
    assert "data.batch_size  null      48 " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a", "b", "c"], "diff must be given one recipe or two, got ['a', 'b', 'c']. Leave"),
        (["a" * 5000], "diff must name a file, got 'aaa"),
        (["roberta", "nix"], "diff must name a file, got 'nix'. "),
        (["roberta", "--data.seed", "3"], "--data.seed must be left to the comparison, got '3'."),
        (["roberta", "--data.masking.rat=1"], "unrecognized arguments: --data.masking.rat=1"),
    ],
)
def test_what_cannot_be_told_apart_is_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith(message)
    assert said.count("\n") == 1
