"""Sentences that come in words are tagged word by word, whatever file they come in."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lit_roberta import load_task_model, predict
from lit_roberta.exchange.exporting import export
from lit_roberta.finetuning.predict_cli import main
from lit_roberta.finetuning.predictions import TagsPrediction
from lit_roberta.finetuning.readable import readable
from tests.exchange.fine_tuned import fine_tuned, task_of

SENTENCES = [["I", "love", "rain-and-tea", "."], ["so"], ["the", "old", "ship"]]

FILES = {
    "a.jsonl": "".join(json.dumps({"words": words}) + "\n" for words in SENTENCES),
    "b.jsonl": "".join(json.dumps({"tokens": words, "id": 1}) + "\n" for words in SENTENCES),
    "a.conll": "\n".join("".join(f"{word}\tB-NEW\n" for word in words) for words in SENTENCES),
    "a.iob2": "\n\n".join("\n".join(words) for words in SENTENCES),
    "a.conllu": "\n".join(
        "# text = of some words\n"
        + "".join(f"{n}\t{word}\t_\t_\n" for n, word in enumerate(words, start=1))
        for words in SENTENCES
    ),
}


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("models") / "tagger"
    task = task_of("token-classification", ("O", "B-X", "B-Y"))
    export(fine_tuned("token-classification", "bert", task), folder)
    return str(folder)


@pytest.mark.parametrize("name", FILES)
def test_words_are_tagged_as_they_are(
    tagger: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    wanted = predict(load_task_model(tagger), SENTENCES)
    assert [len(each.tags) for each in wanted] == [4, 1, 3]
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    told = ["--words-column", "2"] if name.endswith("u") else []
    assert main([tagger, "--input", str(path), *told]) == 0, capsys.readouterr().err
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["words"] for row in rows] == SENTENCES
    assert [row["tags"] for row in rows] == [list(each.tags) for each in wanted]
    for row in rows:
        for entity in row["entities"]:
            assert " ".join(row["words"])[entity["start"] : entity["stop"]] == entity["text"]


def test_tags_that_name_no_entities_are_shown_with_their_words() -> None:
    found = TagsPrediction(("DET", "NOUN"))
    wanted = "the ship sails\n  the/DET ship/NOUN sails/NOUN"
    assert readable({"text": "the ship sails"}, found) == wanted
    assert readable({"words": ["the", "ship", "sails"]}, found) == wanted.splitlines()[1]
    assert readable({"text": "the ship"}, TagsPrediction(("O", "O"))) == "the ship"


def test_rows_of_words_and_rows_of_text_may_stand_side_by_side(
    tagger: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"words": ["rain-and-tea"]}, {"text": "rain-and tea"}, {"words": []}]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert main([tagger, "--input", str(path)]) == 0, capsys.readouterr().err
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["words"] for row in found] == [["rain-and-tea"], ["rain-and", "tea"], []]


@pytest.mark.parametrize("name", ["a.txt", "a", "a.txt.gz", "a.conll", "a.annotated", "a.gold.gz"])
def test_a_file_that_may_hold_words_says_that_its_lines_are_texts(
    tagger: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path, content = tmp_path / name, b"old\tO\nrain\tO\n"
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert main([tagger, "--input", str(path)]) == 0
    said = capsys.readouterr()
    is_told = f"Each line of {path} is read as a text: a file with a word a line ends in .conll."
    assert (is_told in said.err) == (name in ("a.annotated", "a.gold.gz"))
    assert len(said.out.splitlines()) == (1 if name == "a.conll" else 2)


@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl"])
def test_a_second_text_beside_the_first_is_no_word_of_it(
    tagger: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    text = "sentence1\tsentence2\nold rain\tso it is\n"
    row = {"sentence1": "old rain", "sentence2": "so it is"}
    path = tmp_path / name
    path.write_text(text if name == "a.tsv" else json.dumps(row), encoding="utf-8")
    assert main([tagger, "--input", str(path)]) == 0, capsys.readouterr().err
    assert json.loads(capsys.readouterr().out)["words"] == ["old", "rain"]
    for option in ("--pairs", "--pair-column=sentence2"):
        assert main([tagger, "--input", str(path), option]) == 2
        assert "must be left out, got" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.conll", "a\tO\n", "--words-column must be a number from 1 to 2, got '5'"),
        ("a.jsonl", '{"words": ["a", 3]}\n', "a.jsonl, line 1, column 'words', must hold text"),
        ("a.jsonl", '{"body": "a"}\n', "a.jsonl, line 1, must have a column of text"),
        ("a.conll", "a\tO\nb\n", "a.conll, line 2, must have a tag behind the word"),
    ],
)
def test_what_holds_no_words_is_one_line(
    tagger: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: str,
    said: str,
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    words = ["--words-column=5"] if name == "b.conll" else []
    assert main([tagger, "--input", str(tmp_path / name), *words]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)
