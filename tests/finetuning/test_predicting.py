"""What a fine-tuned model says of texts, from a checkpoint and from an exported folder."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta import load_task_model, predict
from lit_roberta.errors import UserError
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.names import Family
from lit_roberta.finetuning.asking import example_of
from lit_roberta.finetuning.predict_cli import main
from lit_roberta.finetuning.predicting import FinetunedModel
from lit_roberta.model.task_heads import TaskKind
from tests.exchange.fine_tuned import fine_tuned, task_of
from tests.finetuning.models import LENGTH, fine_tune
from tests.inference.models import LENGTH as POSITIONS
from tests.inference.models import TEXTS, write_model
from tests.inference.pipeline import TIMEOUT, start
from tests.inference.test_pipes import lines_of

PAIRS = [("I love tea", "so it is"), ("rain " * 30, "tea"), ("", "the old ship"), ("tea", "")]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fine_tune(tmp_path_factory.mktemp("models") / "texts", "classification")


@pytest.fixture(scope="module")
def pair_classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "pairs"
    return fine_tune(folder, "classification", pairs=True, family="bert")


@pytest.fixture(scope="module")
def regression(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fine_tune(tmp_path_factory.mktemp("models") / "numbers", "regression", pairs=True)


def naive(model: FinetunedModel, first: str, second: str | None = None) -> torch.Tensor:
    """Compute the logits of one text or pair by itself, with nothing padded."""
    layout = model.layout
    ids = [layout.tokenizer.encode(text) for text in (first, second) if text is not None]
    row, _ = layout.lay_out(*ids)
    segments = torch.arange(len(row.input_ids))[None] >= row.second
    return model.model(torch.from_numpy(row.input_ids)[None].long(), segments.long())[0]


def test_texts_of_any_length_get_what_each_gets_alone(classifier: Path) -> None:
    model = load_task_model(str(classifier), device="cpu")
    assert model.task.labels == ("no", "yes")
    assert model.pairs is False
    texts = [*TEXTS * 3, "", "rain " * 40]
    for text, found in zip(texts, predict(model, texts), strict=True):
        shares = naive(model, text).softmax(dim=-1)
        assert list(found.probabilities) == ["no", "yes"]
        assert list(found.probabilities.values()) == pytest.approx(shares.tolist(), abs=1e-5)
        assert found.label == max(found.probabilities, key=lambda name: found.probabilities[name])


def test_pairs_are_read_as_they_were_learned(pair_classifier: Path, regression: Path) -> None:
    model = load_task_model(str(pair_classifier), device="cpu")
    assert model.pairs is True
    for pair, found in zip(PAIRS, predict(model, PAIRS), strict=True):
        shares = naive(model, *pair).softmax(dim=-1).tolist()
        assert list(found.probabilities.values()) == pytest.approx(shares, abs=1e-5)
    numbers = load_task_model(str(regression), device="cpu")
    for pair, found in zip(PAIRS, predict(numbers, PAIRS), strict=True):
        assert found.value == pytest.approx(float(naive(numbers, *pair)), abs=1e-5)


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize("problem_type", [None, "multi_label_classification", "regression"])
def test_a_folder_says_what_transformers_says_of_it(
    tmp_path: Path, family: Family, problem_type: Any
) -> None:
    transformers = pytest.importorskip("transformers", reason="its pipeline is the peer")
    labels = ("stars",) if problem_type == "regression" else ("no", "yes", "perhaps")
    task = task_of("sequence-classification", labels, problem_type=problem_type)
    export(fine_tuned("sequence-classification", family, task), tmp_path / "out")
    model = load_task_model(str(tmp_path / "out"), device="cpu")
    texts = ["I love the rain.", "tea", "it is what it is"]
    pipeline = transformers.pipeline("text-classification", str(tmp_path / "out"), top_k=None)
    for found, wanted in zip(predict(model, texts), pipeline(texts), strict=True):
        scores = {each["label"]: each["score"] for each in wanted}
        if problem_type == "regression":
            assert found.value == pytest.approx(scores["stars"], abs=1e-5)
        else:
            assert dict(found.probabilities) == pytest.approx(scores, abs=1e-5)
            assert found.label == wanted[0]["label"]


def test_what_is_too_long_is_cut_and_counted_or_refused(
    classifier: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = load_task_model(str(classifier))
    assert model.layout.max_length == LENGTH
    long = "tea " * LENGTH
    with pytest.raises(UserError, match=r"text 2 must have at most 24 tokens, got \d\d\. It begi"):
        predict(model, ["tea", long], on_too_long="error")
    assert main([str(classifier), "tea", long]) == 0
    said = capsys.readouterr().err
    assert "1 of 2 texts is longer than the 24 tokens of its fine-tuning (--max-length)" in said
    longest = load_task_model(str(classifier), max_length=POSITIONS)
    assert predict(longest, [long]) != predict(model, [long])
    with pytest.raises(UserError, match="--max-length must lie between"):
        load_task_model(str(classifier), max_length=POSITIONS + 1)


def test_lines_and_rows_give_the_same(
    classifier: Path, pair_classifier: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    rows = [{"label": 3, "content": text} for text in TEXTS]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = []
    for name in ("texts.txt", "rows.jsonl"):
        assert main([str(classifier), "--input", str(tmp_path / name)]) == 0
        found.append([json.loads(line) for line in capsys.readouterr().out.splitlines()])
    assert found[0] == found[1]
    assert [row["text"] for row in found[0]] == TEXTS
    assert main([str(classifier), "--json", *TEXTS]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == found[0]

    lines = "".join(f"{first}\t{second}\n" for first, second in PAIRS)
    (tmp_path / "pairs.txt").write_text(lines, encoding="utf-8")
    text = "sentence1\tsentence2\n" + lines
    (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
    (tmp_path / "named.tsv").write_text(text.replace("sentence", "s"), encoding="utf-8")
    ours = text.replace("sentence1", "text").replace("sentence2", "pair")
    (tmp_path / "ours.tsv").write_text(ours, encoding="utf-8")
    columns = ["--text-column=s1", "--pair-column=s2"]
    asked: dict[str, list[str]] = {name: [] for name in ("pairs.txt", "pairs.tsv", "ours.tsv")}
    asked["pairs.txt.jsonl"] = []  # what came out can go in
    for name, more in {**asked, "named.tsv": columns}.items():
        output = tmp_path / f"{name}.jsonl"
        words = [str(pair_classifier), "--input", str(tmp_path / name), "--output", str(output)]
        assert main([*words, *more]) == 0, capsys.readouterr().err
    whole = (tmp_path / "pairs.txt.jsonl").read_text(encoding="utf-8")
    assert [(row["text"], row["pair"]) for row in map(json.loads, whole.splitlines())] == PAIRS
    for name in ("pairs.tsv", "ours.tsv", "pairs.txt.jsonl", "named.tsv"):
        assert (tmp_path / f"{name}.jsonl").read_text(encoding="utf-8") == whole


def test_no_text_at_all_is_said(
    classifier: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("none.txt", "none.jsonl", "none.csv"):
        given = rows(tmp_path, name, "")
        assert main([str(classifier), "--input", given]) == 0
        assert capsys.readouterr() == ("", f"There was no text in {given}.\n")


def test_a_person_reads_labels_and_numbers(
    classifier: Path, regression: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(classifier), "I love the rain"]) == 0
    text, *shares = capsys.readouterr().out.splitlines()
    assert text == "I love the rain"
    assert sorted(line.split()[1] for line in shares) == ["no", "yes"]
    assert sum(float(line.split("%")[0]) for line in shares) == pytest.approx(100, abs=0.01)
    assert main([str(regression), "I love\tthe rain"]) == 0
    assert capsys.readouterr().out.endswith("  I love  |  the rain\n")


def rows(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "TEXT must be given. TEXT: Texts; for a model of pairs"),
        (["tea", "--input=-"], "TEXT or --input must be one of the two"),
        (["--input=missing.txt"], "--input must be a file"),
        (["--input=a.csv", "--text-column=body"], "--text-column must be a column of a.csv, line"),
        (["--input=b.csv"], "must have a column of text, got the columns one, two. Give one of"),
        (["--input=a.csv", "--pair-column=n"], "--pair-column must be left out, got 'n'."),
        (["tea", "--pairs"], "--pairs must be left out"),
        (["tea", "--text-column=n"], "--text-column must be left out without rows"),
        (["--input=a.txt", "--text-column=n"], "--text-column must be left out without rows"),
        (["--input=a.txt", "--words-column=2"], "--words-column must be left out without rows"),
        (["--input=a.txt", "--header=false"], "--header must be left out without rows"),
        (["--input=a.jsonl", "--words-column=n"], "--words-column must be left out, got 'n'. The"),
        (["--input=a.json"], "--input must hold lines of text, or rows of .jsonl, .csv, .tsv, .p"),
        (["--input=a.conll"], "--input must hold lines of text, or rows of"),
        (["--input=a.csv", "--output=x.csv"], "--output must end in .jsonl"),
        (["tea", "--batch-tokens=0"], "--batch-tokens must be 1 or more"),
        (["tea", "--max-length=2"], "--max-length must lie between 8 and 48"),
        (["tea", "--device=nonsense"], "--device must be a device of this machine"),
        (["\ud800"], "text 1 must be text in UTF-8"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    classifier: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    rows(tmp_path, "a.csv", "text,n\ntea,1\n")
    rows(tmp_path, "b.csv", "one,two\ntea,1\n")
    for name in ("a.txt", "a.json", "a.jsonl", "a.conll"):
        rows(tmp_path, name, '{"text": "tea"}\n')
    assert main([str(classifier), *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert line in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("names", [("text", "target"), ("label", "other"), ("class", "score")])
@pytest.mark.parametrize("header", [True, False])
def test_columns_that_are_named_are_texts_whatever_they_are_called(
    pair_classifier: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    names: tuple[str, str],
    header: bool,
) -> None:
    lines = ["\t".join(names)] * header + ["\t".join(pair) for pair in PAIRS]
    given = rows(tmp_path, "a.tsv", "".join(f"{line}\n" for line in lines))
    first, second = names if header else ("1", "2")
    words = [f"--text-column={first}", f"--pair-column={second}", f"--header={header}"]
    assert main([str(pair_classifier), "--input", given, *words]) == 0, capsys.readouterr().err
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["text"], row["pair"]) for row in found] == PAIRS


def test_pairs_and_heads_that_are_missing_are_one_line(
    pair_classifier: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(pair_classifier), "tea"]) == 2
    assert "TEXT must be two texts with a tab between them" in capsys.readouterr().err
    assert main([str(pair_classifier), "--input", rows(tmp_path, "a.txt", "a\tb\nc\n")]) == 2
    assert "a.txt, line 2, must be two texts" in capsys.readouterr().err
    assert main([str(pair_classifier), "--input", rows(tmp_path, "a.csv", "text,n\nb,1\n")]) == 2
    assert "--pair-column must be there" in capsys.readouterr().err
    assert main([str(write_model(tmp_path / "plain.ckpt")), "tea"]) == 2
    assert "must have the head of a task" in capsys.readouterr().err


@pytest.mark.slow
def test_a_checkpoint_alone_is_all_that_is_needed_and_lines_come_as_they_go(
    classifier: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.move(shutil.copytree(classifier.parents[2], tmp_path / "run"), tmp_path / "moved")
    checkpoint = (tmp_path / "moved/run/checkpoints/last.ckpt").rename(tmp_path / "only.ckpt")
    shutil.rmtree(tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    process = start("predict", checkpoint.name, "--input", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    wanted = predict(load_task_model(str(classifier)), ["I love the rain", "", "tea"])
    for text, found in zip(["I love the rain", "", "tea"], wanted, strict=True):
        process.stdin.write(text.encode() + b"\n")
        process.stdin.flush()
        row = json.loads(process.stdout.readline())
        assert row["text"] == text
        assert row["probabilities"] == pytest.approx(dict(found.probabilities), abs=1e-5)
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err) == (0, b"", b"")


def folder_of(kind: TaskKind, folder: Path, labels: tuple[str, ...] = ()) -> str:
    """Export a model of a kind that nobody trained."""
    task = task_of(kind, labels) if labels else task_of(kind)
    export(fine_tuned(kind, "bert", task), folder)
    return str(folder)


def test_entities_stand_where_the_text_has_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder_of("token-classification", tmp_path / "out", ("O", "B-X", "B-Y"))
    texts = ["  I love the rain,  the   tea!", "", "so (it) is it's"]
    found = predict(load_task_model(source), texts)
    assert any(each.entities for each in found)
    for text, each in zip(texts, found, strict=True):
        for entity in each.entities:
            assert text[entity.start : entity.stop] == entity.text
    (tmp_path / "a.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    assert main([source, "--input", str(tmp_path / "a.txt")]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["text"] for line in lines] == texts
    assert [line["entities"] for line in lines] == [
        [entity.as_dict() for entity in each.entities] for each in found
    ]
    assert all(len(line["words"]) == len(line["tags"]) for line in lines)
    assert main([source, texts[0]]) == 0
    assert capsys.readouterr().out.splitlines()[0] == texts[0]


def test_answers_stand_where_the_context_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder_of("question-answering", tmp_path / "out")
    question, context = "What is it?", "The old ship,  so it is;  " * 3
    (found,) = predict(load_task_model(source), [(question, context)])
    assert found.start is not None
    assert context[found.start : found.stop] == found.text
    assert main([source, "--question", question, "--context", context, "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert one == {"id": "1", "question": question, **found.as_dict()}
    row = json.dumps({"id": "1", "question": question, "context": context})
    (tmp_path / "a.jsonl").write_text(row + "\n", encoding="utf-8")
    paragraph = {"context": context, "qas": [{"id": "1", "question": question}]}
    squad = json.dumps({"data": [{"paragraphs": [paragraph]}]})
    (tmp_path / "a.json").write_text(squad, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", lines_of(row.encode()))
    for given in (str(tmp_path / "a.jsonl"), str(tmp_path / "a.json"), "-"):
        assert main([source, "--input", given]) == 0, capsys.readouterr().err
        assert json.loads(capsys.readouterr().out) == one
    assert main([source, "--question", question, "--context", context]) == 0
    assert f"({found.start}-{found.stop})" in capsys.readouterr().out
    for words, line in (
        (["--question", "a"], "--question and --context must come together"),
        (["a text"], "--question and --context must be given"),
    ):
        assert main([source, *words]) == 2
        assert line in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", lines_of(b'{"question": "a"}'))
    assert main([source, "--input", "-"]) == 2
    assert capsys.readouterr().err.startswith("standard input, line 1 must have the entry")


def test_choices_are_weighed_against_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = folder_of("multiple-choice", tmp_path / "out")
    choices = ["rain", "the old ship", "tea and more tea"]
    (found,) = predict(load_task_model(source), [("so it is", choices)])
    assert sum(found.probabilities) == pytest.approx(1)
    row = {"text": "so it is", "choices": choices, "label": 0}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert main([source, "--input", str(tmp_path / "a.jsonl")]) == 0, capsys.readouterr().err
    said = capsys.readouterr().out
    line = json.loads(said)
    assert line.pop("choices") == [["so it is", choice] for choice in choices]
    assert line == found.as_dict()
    for label in (-1, 7, "unknown"):  # nobody asks for it
        (tmp_path / "a.jsonl").write_text(json.dumps(row | {"label": label}), encoding="utf-8")
        assert main([source, "--input", str(tmp_path / "a.jsonl")]) == 0, capsys.readouterr().err
        assert capsys.readouterr().out == said
    assert main([source, "--input", str(tmp_path / "a.jsonl"), "--text-column=x"]) == 2
    assert "--text-column must be a column of" in capsys.readouterr().err
    assert main([source, "so it is"]) == 2
    assert "--input must name rows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("sequence-classification", ("a", "b", "c")),
        ("sequence-classification", 3),
        ("token-classification", ("a", 3)),
        ("question-answering", "a"),
        ("multiple-choice", ("a", "b")),
    ],
)
def test_an_input_of_another_form_is_named(kind: TaskKind, given: Any) -> None:
    with pytest.raises(TypeError, match="input 2 must be"):
        example_of(kind, given, 2)


@pytest.mark.parametrize("choices", [[], ["tea"]])
def test_who_chooses_needs_two_choices(choices: list[str]) -> None:
    with pytest.raises(UserError, match="input 2, must have two choices or more, got"):
        example_of("multiple-choice", ("so it is", choices), 2)


def test_one_text_is_no_list_of_them(classifier: Path) -> None:
    with pytest.raises(TypeError, match="inputs must be a list of them, got one text"):
        predict(load_task_model(str(classifier)), "tea")
