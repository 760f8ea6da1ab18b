"""Pseudo-log-likelihoods: those of the plain loop over the tokens of each text alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.inference import scoring
from lit_roberta.inference.score_cli import main
from lit_roberta.inference.scoring import Scorer, WithinWord, pseudo_log_likelihood
from lit_roberta.inference.text_model import TextModel, load_model
from tests.inference.models import KINDS, LENGTH, TEXTS, tiny_model, write_model
from tests.inference.pipeline import TIMEOUT, start


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> TextModel:
    return tiny_model(tmp_path, kind=request.param)


def naive(model: TextModel, text: str, *, hides_rest: bool) -> list[float]:
    """Mask each token in turn, and the rest of its word; logits at all places, one row a time."""
    ids = model.row(model.tokenizer.encode(text)[: model.room])
    starts = model.tokenizer.encode_sentences([text]).word_starts.tolist()
    found = []
    for place in range(1, len(ids) - 1):
        row = list(ids)
        row[place] = model.tokenizer.vocabulary.mask_id
        for behind in range(place + 1, len(ids) - 1):
            if not hides_rest or starts[behind - 1]:
                break
            row[behind] = model.tokenizer.vocabulary.mask_id
        logits = model.bert(torch.tensor([row])).mlm_logits[0, place]
        found.append(float(logits.log_softmax(dim=-1)[ids[place]]))
    return found


@pytest.mark.parametrize("within_word", ["visible", "left-to-right"])
def test_scores_are_those_of_the_plain_loop(
    model: TextModel, within_word: WithinWord, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [naive(model, text, hides_rest=within_word != "visible") for text in TEXTS]
    for batch_tokens in (1, 60, 4096):
        monkeypatch.setattr(scoring, "BATCH_TOKENS", batch_tokens)
        scores = pseudo_log_likelihood(model, TEXTS, within_word=within_word)
        for text, found, parts in zip(TEXTS, scores, expected, strict=True):
            assert (found.text, found.tokens) == (text, len(parts))
            assert found.score == pytest.approx(sum(parts), rel=1e-5, abs=1e-5)
            if parts:
                assert found.per_token == pytest.approx(sum(parts) / len(parts), rel=1e-5)


def is_by_word(model: TextModel) -> bool:
    """Tell whether no word is of several tokens."""
    return len(model.tokenizer.encode("loves")) == 1


def test_only_words_of_several_tokens_tell_the_two_scores_apart(model: TextModel) -> None:
    texts = [text for text in TEXTS if text]
    visible, hidden = (
        [score.score for score in pseudo_log_likelihood(model, texts, within_word=within_word)]
        for within_word in ("visible", "left-to-right")
    )
    pieces = [not model.tokenizer.encode_sentences([text]).word_starts.all() for text in texts]
    assert any(pieces) == (not is_by_word(model))
    for one, other, has_pieces in zip(visible, hidden, pieces, strict=True):
        assert (abs(one - other) > 1e-4) == has_pieces


def test_an_empty_text_has_no_tokens_and_no_mean(model: TextModel) -> None:
    (score,) = pseudo_log_likelihood(model, [""])
    assert (score.score, score.per_token, score.tokens, score.unknown) == (0.0, None, 0, 0)
    assert pseudo_log_likelihood(model, []) == []


def test_unknown_words_are_scored_as_such_and_counted(tmp_path: Path) -> None:
    model = tiny_model(tmp_path, kind="word")
    (score,) = pseudo_log_likelihood(model, ["I xylophone you xylophone"])
    assert (score.tokens, score.unknown) == (4, 2)
    assert score.score == pytest.approx(
        sum(naive(model, "I xylophone you xylophone", hides_rest=False)), rel=1e-5
    )


def test_a_long_text_is_cut_or_refused(model: TextModel, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    text = "so " * 60
    (score,) = pseudo_log_likelihood(model, [text])
    assert score.tokens == LENGTH - 2
    assert "1 of 1 text is longer than the 46 tokens" in caplog.text
    with pytest.raises(UserError, match="text 1 must have at most 46 tokens"):
        pseudo_log_likelihood(model, [text], on_too_long="error")


def test_counts_are_written_as_a_person_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, source = write_model(tmp_path / "model.ckpt", kind="word"), tmp_path / "texts.txt"
    for count, said in ((1, "1 text with tokens"), (2, "2 texts with tokens")):
        source.write_text("xylophone\n" * count, encoding="utf-8")
        assert run(capsys, path, "--input", source)[2].startswith(said)
    source.write_text("so\tI love\n", encoding="utf-8")
    assert "% of 1 pair; neither in 0." in run(capsys, path, "--input", source, "--pairs")[2]


def test_pairs_prefer_the_higher_sum(model: TextModel) -> None:
    texts = [text for text in TEXTS if text]
    scores = {score.text: score.score for score in pseudo_log_likelihood(model, texts)}
    pairs = [(one, other) for one in texts for other in texts]
    for found, (good, bad) in zip(Scorer(model).pair_scores(pairs), pairs, strict=True):
        assert (found.good.text, found.bad.text) == (good, bad)
        if good == bad:
            assert found.preferred == "neither"
        else:
            assert found.preferred == ("good" if scores[good] > scores[bad] else "bad")


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main([str(word) for word in words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_writes_a_line_of_json_for_each_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, source = write_model(tmp_path / "model.ckpt"), tmp_path / "texts.txt"
    source.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    output = tmp_path / "scores.jsonl"
    assert run(capsys, path, "--input", source, "--output", output) == (0, "", "")
    status, out, err = run(capsys, path, "--input", source)
    assert (status, out, err) == (0, output.read_text(encoding="utf-8"), "")
    expected = pseudo_log_likelihood(load_model(str(path)), TEXTS)
    for line, score in zip(out.splitlines(), expected, strict=True):
        row = json.loads(line)
        assert row == {
            "text": score.text,
            "score": pytest.approx(score.score, rel=1e-5, abs=1e-5),
            "per_token": score.per_token and pytest.approx(score.per_token, rel=1e-5),
            "tokens": score.tokens,
            "unknown": 0,
        }


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.csv", "pairs.jsonl", "pairs.txt"])
def test_pairs_come_in_columns_or_with_a_tab_between_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path, source = write_model(tmp_path / "model.ckpt"), tmp_path / name
    pairs = [("I love you.", "I you love"), ("tea", "tea"), ("so it is", "is it so")]
    if name.endswith("jsonl"):
        lines = [json.dumps({"sentence_good": good, "b": bad}) for good, bad in pairs]
    else:
        mark = "," if name.endswith("csv") else "\t"
        lines = [mark.join(pair) for pair in pairs]
        lines[:0] = [] if name.endswith("txt") else [f"sentence_good{mark}b"]
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    named = ("--good-column", "sentence_good", "--bad-column", "b")
    columns = () if name.endswith("txt") else named
    status, out, err = run(capsys, path, "--input", source, "--pairs", *columns)
    assert status == 0
    rows = list(map(json.loads, out.splitlines()))
    assert [(row["good"]["text"], row["bad"]["text"]) for row in rows] == pairs
    right = sum(row["good"]["score"] > row["bad"]["score"] for row in rows)
    assert rows[1]["preferred"] == "neither"
    assert err == (
        f"The first text is preferred in {100 * right / 3:.1f}% of 3 pairs; neither in 1.\n"
    )


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--input", "missing"], "--input must be a file"),
        (["--input", "TEXTS", "--output", "x.npy"], "--output must end in .jsonl"),
        (["--input", "TEXTS", "--pairs"], "texts.txt, line 2, must be two texts with a tab"),
        (["--input", "TEXTS", "--pairs", "--output", "x.jsonl"], "line 2, must be two texts"),
        (["--input", "ROWS", "--pairs"], "must have the column 'bad'"),
        (["--input", "ROWS", "--good-column", "good "], "must be left out without --pairs"),
        (["--input", "ROWS", "--pairs", "--text-column", "good"], "left out with --pairs"),
        (["--input", "TEXTS", "--pairs", "--bad-column", "x"], "must be left out without rows"),
        (["--input", "-", "--text-column", "words"], "must be left out without rows"),
        (
            ["--input", "TEXTS", "--within-word", "no"],
            "--within-word must be visible or left-to-right",
        ),
    ],
)
def test_what_can_not_be_done_is_one_line_and_leaves_nothing(
    words: list[str],
    line: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_model(tmp_path / "model.ckpt")
    (tmp_path / "texts.txt").write_text("a\tb\nc\n", encoding="utf-8")
    (tmp_path / "rows.csv").write_text("good,evil\na,b\n", encoding="utf-8")
    names = {"TEXTS": "texts.txt", "ROWS": "rows.csv"}
    before = sorted(tmp_path.iterdir())
    status, out, err = run(capsys, path, *(names.get(word, word) for word in words))
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert line in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_pair_with_an_empty_text_is_no_silent_victory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, source = write_model(tmp_path / "model.ckpt"), tmp_path / "pairs.txt"
    source.write_text("\tI love you.\ntea\tso\n", encoding="utf-8")
    status, out, err = run(capsys, path, "--input", source, "--pairs")
    assert (status, json.loads(out.splitlines()[0])["preferred"]) == (0, "good")
    assert err.startswith("1 text of pairs without a token: its score is 0, which no other ")


@pytest.mark.slow
def test_pairs_go_through_a_pipe(tmp_path: Path) -> None:
    path = write_model(tmp_path / "model.ckpt")
    process = start("score", str(path), "--input", "-", "--pairs")
    out, err = process.communicate(b"I love you.\tyou I love\r\na\tb", timeout=TIMEOUT)
    assert process.returncode == 0
    assert [json.loads(line)["bad"]["text"] for line in out.splitlines()] == ["you I love", "b"]
    assert err.startswith(b"The first text is preferred in ")
