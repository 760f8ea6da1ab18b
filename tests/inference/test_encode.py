"""Vectors of texts: those of each text alone, whatever else is encoded, from wherever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pyarrow import parquet
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.inference import inputs
from lit_roberta.inference.encode_cli import main
from lit_roberta.inference.encoding import Encoder, Pooling, encode
from lit_roberta.inference.text_model import TextModel, load_model
from tests.inference.models import LENGTH, TEXTS, tiny_model, write_model

Read = tuple[int, str, str]


@pytest.fixture
def model(tmp_path: Path) -> TextModel:
    return tiny_model(tmp_path)


def alone(model: TextModel, text: str, *, layer: int = 2) -> torch.Tensor:
    """Compute the hidden states of a text by itself, layer by layer: [tokens, hidden]."""
    ids = model.row(model.tokenizer.encode(text)[: model.room])
    hidden_states = model.bert.embeddings(torch.tensor([ids]))
    for one in list(model.bert.encoder.layers)[:layer]:
        hidden_states = one(hidden_states)
    return hidden_states[0]


def pooled(states: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    return states[0] if pooling == "cls" else states.mean(dim=0)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("layer", [-1, -2, 0, 1])
def test_a_vector_is_that_of_the_text_alone(
    model: TextModel, pooling: Pooling, layer: int
) -> None:
    number = layer % 3  # of two layers
    expected = torch.stack([pooled(alone(model, text, layer=number), pooling) for text in TEXTS])
    for batch_tokens in (1, 30, 4096):
        encoder = Encoder(model, pooling=pooling, layer=layer, batch_tokens=batch_tokens)
        found = torch.from_numpy(encoder.vectors(TEXTS))
        assert_close(found, expected, rtol=1e-5, atol=1e-5)
        backwards = torch.from_numpy(encoder.vectors(TEXTS[::-1]))
        assert_close(backwards.flip(0), expected, rtol=1e-5, atol=1e-5)


def test_vectors_of_tokens_are_those_of_the_text_alone(model: TextModel) -> None:
    for batch_tokens in (1, 4096):
        encoder = Encoder(model, pooling="tokens", batch_tokens=batch_tokens)
        for text, found in zip(TEXTS, encoder.token_vectors(TEXTS), strict=True):
            assert_close(torch.from_numpy(found.vectors), alone(model, text), rtol=1e-5, atol=1e-5)
            assert len(found.tokens) == len(found.vectors)
            assert (found.tokens[0], found.tokens[-1]) == ("[CLS]", "[SEP]")
    with pytest.raises(UserError, match="pooling must be mean or cls"):
        encode(model, TEXTS, pooling="tokens")


def test_normalized_vectors_point_the_same_way(model: TextModel) -> None:
    plain, unit = encode(model, TEXTS), encode(model, TEXTS, normalize=True)
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(unit, plain / lengths, rtol=1e-5)


def test_an_empty_text_has_a_vector_and_no_texts_have_none(model: TextModel) -> None:
    assert np.isfinite(encode(model, [""])).all()
    assert encode(model, []).shape == (0, 32)


def test_a_long_text_is_cut_or_refused(model: TextModel, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    whole = "a," * (LENGTH // 2)
    longer = [whole[: LENGTH - 2], whole, whole + whole]
    vectors = encode(model, longer)
    assert "2 of 3 texts are longer than the 46 tokens" in caplog.text
    np.testing.assert_allclose(vectors[1:], vectors[[0, 0]], rtol=1e-5, atol=1e-6)
    with pytest.raises(UserError, match=r"text 2 must have at most 46 tokens, got 48"):
        encode(model, longer, on_too_long="error")


def test_damaged_weights_give_an_error_and_no_vectors(model: TextModel) -> None:
    weights = dict(model.bert.named_parameters())
    weights["encoder.layers.1.feed_forward.inner.bias"][3] = float("nan")
    with pytest.raises(UserError, match="the model must compute finite numbers"):
        encode(model, TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_an_exported_folder_gives_what_its_checkpoint_gives(tmp_path: Path, family: Any) -> None:
    path = write_model(tmp_path / "model.ckpt", type_vocab_size=2 if family == "bert" else 1)
    export(load_pretrained(str(path)), str(tmp_path / "folder"), family=family)
    ours, theirs = (encode(load_model(str(place)), TEXTS) for place in (path, tmp_path / "folder"))
    np.testing.assert_array_equal(ours, theirs)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> Read:
    status = main([str(word) for word in words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def read(path: Path) -> tuple[list[str] | None, list[Any]]:
    """Read texts, where the file has them, and vectors."""
    if path.suffix == ".npy":
        return None, list(np.load(path))
    if path.suffix == ".jsonl":
        rows = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    else:
        rows = parquet.read_table(path).to_pylist()
    return [row["text"] for row in rows], [row.get("vector", row.get("vectors")) for row in rows]


@pytest.mark.parametrize("suffix", [".npy", ".parquet", ".jsonl"])
@pytest.mark.parametrize("window", [1, 2, 8192])
def test_files_hold_the_vectors_in_order_whatever_the_window(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    window: int,
) -> None:
    monkeypatch.setattr(inputs, "WINDOW_TEXTS", window)
    path = write_model(tmp_path / "model.ckpt")
    source, output = tmp_path / "texts.txt", tmp_path / f"vectors{suffix}"
    source.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    status, out, err = run(capsys, path, "--input", source, "--output", output)
    assert (status, out, err) == (0, "", f"{len(TEXTS)} texts in {output}.\n")
    texts, vectors = read(output)
    assert texts in (None, TEXTS)
    expected = encode(load_model(str(path)), TEXTS)
    np.testing.assert_allclose(np.asarray(vectors, np.float32), expected, rtol=1e-5, atol=1e-5)
    assert {each.name for each in tmp_path.iterdir()} == {"model.ckpt", source.name, output.name}


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
def test_files_hold_the_vectors_of_tokens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    path = write_model(tmp_path / "model.ckpt")
    source, output = tmp_path / "texts.csv", tmp_path / f"vectors{suffix}"
    source.write_text('id,words\n1,"I love\nyou."\n2,\n', encoding="utf-8")
    words = ("--text-column", "words", "--pooling", "tokens")
    status, _, _ = run(capsys, path, "--input", source, "--output", output, *words)
    assert status == 0
    texts, vectors = read(output)
    assert texts == ["I love\nyou.", ""]
    encoder = Encoder(load_model(str(path)), pooling="tokens")
    for found, expected in zip(vectors, encoder.token_vectors(texts), strict=True):
        np.testing.assert_allclose(found, expected.vectors, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("suffix", [".npy", ".parquet", ".jsonl"])
def test_no_texts_give_a_whole_file_without_vectors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    source, output = tmp_path / "none.txt", tmp_path / f"vectors{suffix}"
    source.write_text("", encoding="utf-8")
    path = write_model(tmp_path / "model.ckpt")
    assert run(capsys, path, "--input", source, "--output", output)[0] == 0
    assert read(output) in (([], []), (None, []))
    assert suffix != ".npy" or np.load(output).shape == (0, 32)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--input", "missing.txt"], "--input must be a file, or - for standard input"),
        (["--input", "TEXTS", "--output", "x.txt"], "--output must end in .npy, .parquet"),
        (["--input", "TEXTS", "--output", "no/x.npy"], "lie in a folder that exists"),
        (["--input", "TEXTS", "--output", "TEXTS.npy/x.npy"], "TEXTS.npy is a file."),
        (["--input", "TEXTS", "--output", f"{'x' * 300}.npy"], "File name too long"),
        (["--input", f"{'x' * 300}.txt", "--output", "x.npy"], "--input must be a file"),
        (["--input", "", "--output", "x.npy"], "--input must be a file"),
        (["--input", "TEXTS", "--text-column", "words"], "must be left out without rows"),
        (["--input", "TEXTS", "--output", "OLD"], "--output must be a new file"),
        (["--input", "TEXTS", "--output", "x.npy", "--pooling", "tokens"], "for tokens, got"),
        (["--input", "TEXTS", "--layer", "3"], "--layer must lie from -3 to 2, got 3"),
        (["--input", "TEXTS", "--layer", "-4"], "--layer must lie from -3 to 2, got -4"),
        (["--input", "TEXTS", "--batch-tokens", "0"], "--batch-tokens must be 1 or more"),
        (["--input", "TEXTS", "--pooling", "max"], "pooling"),
        (["--input", "BINARY", "--output", "x.npy"], "must be a text file, got a zero byte"),
        (["--input", "LATIN", "--output", "x.jsonl"], "must be utf-8 text, got byte 0xE9"),
        (["--input", "LONG", "--output", "x.parquet", "--on-too-long", "error"], "text 2 must"),
        (["--output", "x.npy"], "--input must be given. --input: Lines of text"),
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
    contents = {
        "TEXTS": b"a\nb\n",
        "OLD": b"",
        "BINARY": b"a\nb\0c\n",
        "LATIN": b"caf\xe9\n",
        "LONG": b"a\n" + b"a " * 60,
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.npy").write_bytes(content)
    given = [f"{word}.npy" if word in contents else word for word in words]
    before = sorted(tmp_path.iterdir())
    status, out, err = run(capsys, path, *given)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert line in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_file_is_replaced_when_asked_for_and_only_by_a_whole_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, output = write_model(tmp_path / "model.ckpt"), tmp_path / "old.npy"
    output.write_bytes(b"old")
    bad, good = tmp_path / "bad.txt", tmp_path / "good.txt"
    bad.write_bytes(b"a\n\0\n")
    good.write_bytes(b"a\n")
    words = ("--output", output, "--overwrite")
    assert run(capsys, path, "--input", bad, *words)[0] == 2
    assert output.read_bytes() == b"old"
    assert run(capsys, path, "--input", good, *words)[0] == 0
    assert np.load(output).shape == (1, 32)
