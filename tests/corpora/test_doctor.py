"""`lit-roberta prepare --report`, as a person runs it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.corpora.cli import main
from lit_roberta.corpora.report import PICTURE, REPORT
from lit_roberta.training.cli import main as train

Prepare = Callable[..., dict[str, Any]]

SMALL = ("--tokenizer.min_frequency", "1", "--workers", "0")


@pytest.fixture
def prepare(tmp_path: Path) -> Prepare:
    """Prepare documents, each a list of lines; give what the manifest says."""

    def run(documents: list[list[str]], *words: str) -> dict[str, Any]:
        text = "\n\n".join("\n".join(document) for document in documents) + "\n"
        source = tmp_path / "text.txt"
        if not source.exists() or source.read_text(encoding="utf-8") != text:
            source.write_text(text, encoding="utf-8")
        output = tmp_path / "prepared"
        lines = ("--reading.sentence_splitter", "lines", "--reading.document_boundary")
        common = ["--corpus", str(source), "--output", str(output), *lines, "blank-line", *SMALL]
        assert main([*common, *words]) == 0
        manifest: dict[str, Any] = json.loads((output / "manifest.json").read_text())
        return manifest

    return run


def documents_of(count: int, *, sentences: int = 3) -> list[list[str]]:
    """Write documents of sentences that nobody wrote before; each has 9 words."""
    return [
        [f"The cat saw dog {n} and hill {m} ." for m in range(sentences)] for n in range(count)
    ]


def test_every_figure_is_that_of_a_count_by_hand(prepare: Prepare) -> None:
    documents = documents_of(60)
    documents[7] = documents[3]
    documents[20] = ["Hello there ."]
    documents[30][1] = "A bell \a rang and rang and rang ."
    documents[40][1] = "It was torn \ufffd here \ufffd and there ."
    facts = prepare(documents)["facts"]
    lines = [line for document in documents for line in document]
    assert facts["documents"] == 60
    assert facts["sentences"] == len(lines) == 178
    assert facts["words"] == sum(len(line.split()) for line in lines)
    assert facts["bytes"] == sum(len(line.encode()) for line in lines)
    assert facts["duplicate_share"] == 1 / 60
    assert facts["near_empty_share"] == 1 / 60
    assert facts["control_characters"] == 1
    assert facts["replacement_characters"] == 2
    assert facts["words_per_document"]["0%"] == 3
    assert facts["words_per_document"]["50%"] == 27
    assert sum(facts["bars"]["words_per_document"]["counts"]) == 60
    assert sum(facts["bars"]["tokens_per_sentence"]["counts"]) == 178
    assert facts["training"]["max_length"] == 128


def test_what_should_not_be_trained_on_is_said(prepare: Prepare) -> None:
    documents = documents_of(60)
    for document in documents:
        document[::2] = ["Click here ."] * 2
    for n in range(10):
        documents[n] = documents[59]
        documents[10 + n] = [f"Page {n}"]
    documents[30][1] = "A bell \a rang \ufffd and rang ."
    manifest = prepare(documents)
    concerns = " / ".join(manifest["facts"]["concerns"])
    assert "16.7% of the documents are equal to an earlier one: --deduplicate true" in concerns
    assert "16.7% of the documents have fewer than 5 words" in concerns
    assert "1 control characters stand" in concerns
    assert "U+FFFD stands 1 times in the text" in concerns
    assert "one and the same, 'click here.'" in concerns
    assert "of the training sentences are equal to earlier ones" in concerns
    for concern in manifest["facts"]["concerns"]:
        assert concern in manifest["notes"]
    assert "--deduplicate" not in " ".join(prepare(documents, "--deduplicate", "true")["notes"])


def test_half_of_the_text_being_one_line_is_reported(prepare: Prepare) -> None:
    documents = documents_of(60, sentences=4)
    for document in documents:
        document[:2] = ["All rights reserved ."] * 2
    concerns = prepare(documents)["facts"]["concerns"]
    assert any("50.0% of the training sentences are one and the same" in line for line in concerns)


def test_few_documents_are_said(prepare: Prepare, tmp_path: Path) -> None:
    test = tmp_path / "test.txt"
    test.write_text("The cat saw dog 1 .\n\nThe hill saw dog 2 .\n", encoding="utf-8")
    facts = prepare(documents_of(60), "--test_corpus", str(test))["facts"]
    concerns = [line for line in facts["concerns"] if "2 documents" in line]
    assert any("no comparison can name a winner" in line for line in concerns)


def test_a_text_without_fault_raises_no_concern(prepare: Prepare) -> None:
    documents = documents_of(60)
    assert prepare(documents)["facts"]["concerns"] == []


def test_another_length_measures_anew_and_encodes_nothing(
    prepare: Prepare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = documents_of(60)
    before = prepare(documents)
    monkeypatch.setattr(
        "lit_roberta.data.preparation.preparing.make_folder",
        lambda *_: pytest.fail("the text was prepared again"),
    )
    after = prepare(documents, "--max_length", "12")
    assert after["facts"]["training"]["max_length"] == 12
    formats = after["facts"]["training"]["formats"]
    assert formats["full-sentences"]["examples"] > before["parts"]["train"]["documents"]
    for manifest in (before, after):
        del manifest["facts"]["training"]
    assert before == after
    assert not list((tmp_path / "prepared").glob("*.part"))


def test_other_weights_encode_nothing_and_are_kept(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(
            "\n\n".join(f"The {name} cat saw dog {n} ." for n in range(40)), encoding="utf-8"
        )
    sources = [f"{name}={tmp_path / name}" for name in ("one", "two")]
    words = ["--corpus", *sources, "--output", str(tmp_path / "out"), *SMALL]
    words += ["--tokenizer.kind", "wordpiece", "--tokenizer.vocab_size", "60"]
    found = []
    for weights in (["one=0.5", "two=0.5"], ["one=0.25", "two=0.75"]):
        assert main([*words, "--weights", *weights, "--report"]) == 0
        manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
        found.append(manifest.pop("weights"))
        (tokens,) = (tmp_path / "out" / "train").glob("tokens")
        found.append(tokens.stat().st_ino)
    assert found[::2] == [{"one": 0.5, "two": 0.5}, {"one": 0.25, "two": 0.75}]
    assert found[1] == found[3]
    # With another tokenizer, the command says sources and weights again.
    prepare_again = commands_of(tmp_path / "out" / REPORT)[0]
    assert prepare_again[:8] == [
        *("lit-roberta", "prepare", "--corpus", *sources),
        *("--weights", "one=0.25", "two=0.75"),
    ]


def test_a_report_that_cannot_be_written_is_one_line(
    prepare: Prepare, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = documents_of(60)
    prepare(documents)
    (tmp_path / "prepared" / f".{REPORT}.{os.getpid()}.part").mkdir()
    text = tmp_path / "text.txt"
    lines = ("--reading.sentence_splitter", "lines", "--reading.document_boundary", "blank-line")
    words = ["--corpus", str(text), "--output", str(tmp_path / "prepared"), *lines, *SMALL]
    assert main([*words, "--report"]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert "must let the report be written, and fails with: Is a directory." in last


def test_the_report_says_what_the_manifest_says(
    prepare: Prepare, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    documents = documents_of(60)
    documents[7] = documents[3]
    manifest = prepare(documents, "--report", "--max_length", "32", "--passes", "3")
    shown = capsys.readouterr().out
    page = (tmp_path / "prepared" / REPORT).read_text(encoding="utf-8")
    assert (tmp_path / "prepared" / PICTURE).read_bytes().startswith(b"\x89PNG")
    assert f"({PICTURE})" in page
    facts = manifest["facts"]
    rows = [
        ["documents", f"{facts['documents']:,}"],
        ["words", f"{facts['words']:,}"],
        ["bytes per token", f"{facts['bytes_per_token']:.2f}"],
        ["documents equal to an earlier one", f"{facts['duplicate_share']:.1%}"],
    ]
    for format, found in facts["training"]["formats"].items():
        padding = f"{found['padding_share']:.1%}"
        rows.append(
            [format, f"{found['examples']:,}", f"{found['tokens_per_example']:.1f}", padding]
        )
    for row in rows:
        assert f"| {' | '.join(row)} |" in page
        assert any(line.split("  ")[0].strip() == row[0] for line in shown.splitlines())
    assert "What 3 passes over the training text come to" in page
    assert "no mask comes round twice" in page
    assert "\x1b" not in shown


def test_pairs_that_a_text_is_too_small_for_are_said(prepare: Prepare, tmp_path: Path) -> None:
    prepare(documents_of(60, sentences=1), "--report")
    page = (tmp_path / "prepared" / REPORT).read_text(encoding="utf-8")
    assert "sentence-pair is not possible: data.corpus must hold a document of two" in page


@pytest.mark.parametrize("width", ["20", "60", "200"])
def test_no_word_of_a_row_is_lost_on_a_narrow_terminal(
    prepare: Prepare,
    width: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setenv("FORCE_COLOR", "1")
    prepare(documents_of(60), "--report")
    lines = capsys.readouterr().out.splitlines()
    assert any("sentence-pair" in line for line in lines)
    assert any("--data.corpus=" in line for line in lines)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--max_length", "2"), "max_length must lie between 3 and 65535, got 2."),
        (("--report", "--passes", "0"), "passes must be above 0, and finite, got 0.0."),
        (("--report", "--batch_size", "0"), "batch_size must be 1 or more, got 0."),
        (("--report", "--copies", "-1"), "copies must be 1 or more, got -1."),
        (("--passes", "3"), "passes must go with --report, got 3.0."),
    ],
)
def test_options_that_cannot_be_are_one_line(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--corpus", "toy", "--output", str(tmp_path / "out"), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith(message)
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def commands_of(page: Path) -> list[list[str]]:
    block = page.read_text(encoding="utf-8").split("```")[1]
    return [shlex.split(line) for line in block.strip().splitlines()]


def test_the_suggested_commands_are_read_as_they_are(tmp_path: Path) -> None:
    """With a tokenizer that is not the suggested one, that is made first."""
    output = tmp_path / "toy"
    words = ["--tokenizer.kind", "wordpiece", "--tokenizer.vocab_size", "300", "--report"]
    assert main(["--corpus", "toy", "--deduplicate", "true", "--output", str(output), *words]) == 0
    first, second = commands_of(output / REPORT)
    assert first[:4] == ["lit-roberta", "prepare", "--corpus", "toy"]
    assert main(first[2:]) == 0
    made = json.loads((tmp_path / "toy-word" / "manifest.json").read_text())
    assert made["inputs"]["deduplicate"] is True
    assert made["inputs"]["tokenizer"]["kind"] == "word"
    assert second[-1] == f"--data.corpus={tmp_path / 'toy-word'}"


@pytest.mark.slow
def test_the_suggested_command_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "toy"
    assert main(["--corpus", "toy", "--output", str(output), "--report"]) == 0
    (command,) = commands_of(output / REPORT)
    assert command[:3] == ["lit-roberta", "train", "fit"]
    monkeypatch.chdir(tmp_path)
    assert train([*command[2:], "--trainer.max_steps=2", "--trainer.accelerator=cpu"]) == 0
    assert "Finished 2 updates." in capsys.readouterr().err
