"""Similarity by pooled vectors: the numbers that transformers and the same pooling give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import pearsonr, spearmanr

from lit_roberta.errors import UserError
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.inference.text_model import TextModel
from lit_roberta.probing.probe_cli import main
from lit_roberta.probing.similarity import cosines, judge_similarity, read_similar
from tests.inference.models import TEXTS, tiny_model, write_model

HEADER = "index\tgenre\tsentence1\tsentence2\tscore"
KNOWN = [text for text in TEXTS if text]


def write_folder(folder: Path) -> Path:
    """Write pairs in the layout of STS-B, with a quote that is a character like any other."""
    rows = [
        f'{number}\tcaptions\t{first} "tea\t{KNOWN[-1 - number]}\t{number % 3 + 0.25}'
        for number, first in enumerate(KNOWN)
    ]
    folder.mkdir()
    (folder / "dev.tsv").write_text("\n".join([HEADER, *rows]) + "\n", "utf-8")
    return folder


def naive_cosines(model: TextModel, pairs: list[tuple[str, str]], pooling: str) -> list[float]:
    def vector(text: str) -> np.ndarray:
        ids = torch.tensor([model.row(model.tokenizer.encode(text)[: model.room])])
        hidden = model.bert.encoder(model.bert.embeddings(ids))[0].double()
        return np.asarray(hidden[0] if pooling == "cls" else hidden.mean(dim=0))

    return [
        float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
        for one, other in ((vector(first), vector(second)) for first, second in pairs)
    ]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_cosines_are_those_of_each_text_alone(pooling: str, tmp_path: Path) -> None:
    model = tiny_model(tmp_path)
    examples = read_similar(str(write_folder(tmp_path / "STS-B")), LabelledReading())
    pairs = [(example.text, example.pair or "") for example in examples]
    expected = naive_cosines(model, pairs, pooling)
    found = cosines(model, pairs, pooling=pooling)  # type: ignore[arg-type]
    assert found == pytest.approx(expected, abs=1e-5)
    scores = judge_similarity(model, examples, pooling=pooling)  # type: ignore[arg-type]
    labels = [float(example.label or 0) for example in examples]
    assert scores["pearson"] == pytest.approx(pearsonr(expected, labels)[0], abs=1e-4)
    assert scores["spearmanr"] == pytest.approx(spearmanr(expected, labels)[0], abs=1e-4)


def test_numbers_are_those_of_transformers_and_the_same_pooling(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    transformers = pytest.importorskip("transformers")
    write_model(tmp_path / "model.ckpt")
    export(load_pretrained(str(tmp_path / "model.ckpt")), tmp_path / "exported")
    folder = write_folder(tmp_path / "STS-B")
    words = [str(tmp_path / "exported"), "--similarity", "--data", str(folder), "--json"]
    assert main(words) == 0
    found = json.loads(capfd.readouterr().out)
    theirs = transformers.AutoModel.from_pretrained(tmp_path / "exported").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "exported")

    def vectors(texts: list[str]) -> torch.Tensor:
        batch = tokenizer(texts, padding=True, truncation=True, max_length=48, return_tensors="pt")
        with torch.inference_mode():
            hidden = theirs(**batch).last_hidden_state
        mask = batch["attention_mask"][..., None]
        pooled = (hidden * mask).sum(dim=1) / mask.sum(dim=1)
        return torch.nn.functional.normalize(pooled, dim=-1)

    examples = read_similar(str(folder), LabelledReading())
    first = vectors([example.text for example in examples])
    second = vectors([example.pair or "" for example in examples])
    own = (first * second).sum(dim=1).numpy()
    labels = [float(example.label or 0) for example in examples]
    assert found["pairs"] == len(examples)
    assert found["pearson"] == pytest.approx(pearsonr(own, labels)[0], abs=1e-3)
    assert found["spearmanr"] == pytest.approx(spearmanr(own, labels)[0], abs=1e-3)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["text\tscore", "a\t1", "b\t2"], "must have a second text, got 'none'"),
        (["sentence1\tsentence2", "a\tb", "b\tc"], "must have a number, got 'none'"),
        (["sentence1\tsentence2\tscore", "a\tb\tx"], "must be a number, got 'x'"),
        (["sentence1\tsentence2\tscore", "a\tb\t1"], "must hold two pairs of texts or more"),
    ],
)
def test_what_is_no_file_of_scored_pairs_is_refused(
    rows: list[str], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join(rows) + "\n", "utf-8")
    with pytest.raises(UserError) as error:
        read_similar(str(path), LabelledReading())
    assert message in str(error.value)
    assert "\n" not in str(error.value)
