"""Fine-tuning with a prompt, from files to predictions and to a folder of another library's."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lit_roberta import load_task_model, predict
from lit_roberta.exchange.export_cli import main as export
from lit_roberta.inference.cloze import Template, make_prompt, read_words
from lit_roberta.inference.text_model import load_model
from lit_roberta.probing.probe_cli import main as probe
from lit_roberta.probing.zero_shot import log_probabilities
from tests.finetuning.examples import write_texts
from tests.finetuning.running import run_all
from tests.inference.models import TEXTS, write_model

TEMPLATE = "{text}. So it is {mask}."
WORDS = "no=love,yes=you"
LENGTH = 32

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs from one model that nobody trained, with 32 examples to learn from."""
    folder = tmp_path_factory.mktemp("prompted")
    write_model(folder / "pretrained.ckpt", kind="wordpiece")
    write_texts(folder / "train.csv", copies=6)
    test = write_texts(folder / "all.csv", copies=9).read_text().splitlines(keepends=True)
    (folder / "test.csv").write_text("".join([test[0], *test[-24:]]))
    options = json.dumps({"template": TEMPLATE, "words": WORDS})
    fit = [
        *["fit", "--data.task=prompted-classification", "--data.train=train.csv"],
        *["--data.num_train_examples=32", "--data.test=test.csv", f"--data.options={options}"],
        *[f"--data.max_length={LENGTH}", "--data.batch_size=8", "--trainer.accelerator=cpu"],
        *["--model.pretrained=pretrained.ckpt", "--trainer.enable_progress_bar=false"],
    ]
    lengths = {
        "start": ["--trainer.max_steps=1", "--model.optimizer.lr=1e-12"],
        "learned": ["--trainer.max_steps=120", "--model.optimizer.lr=2e-3"],
        "weighed": [
            *["--trainer.max_steps=6", "--model.class_weights=balanced"],
            *["--model.label_smoothing=0.1", "--model.freeze=embeddings"],
        ],
    }
    commands = {
        name: [*fit, *words, f"--trainer.default_root_dir={name}"]
        for name, words in lengths.items()
    }
    same = [*fit, "--model.schedule.kind=constant", "--trainer.max_steps=6"]
    commands |= {
        "straight": [*same, "--trainer.default_root_dir=straight"],
        "half": [*same, "--trainer.max_steps=3", "--trainer.default_root_dir=parts"],
        "rest": [*same, "--ckpt_path=last", "--trainer.default_root_dir=parts"],
        "test": ["test", *fit[1:], "--trainer.default_root_dir=learned", "--ckpt_path=last"],
        "further": [
            *[word for word in fit if "pretrained" not in word],
            *["--model.pretrained=learned/checkpoints/best.ckpt", "--trainer.max_steps=1"],
            "--trainer.default_root_dir=further",
        ],
    }
    for name, (status, said) in run_all(folder, commands).items():
        assert status == 0, f"{name}: {said}"
        (folder / f"{name}.txt").write_text(said, encoding="utf-8")
    return folder


def last(runs: Path, name: str) -> Path:
    return runs / name / "checkpoints" / "last.ckpt"


def weights(path: Path) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = torch.load(path, weights_only=True)["state_dict"]
    return found


def test_before_it_learns_it_answers_as_the_probe_and_then_it_learns(
    runs: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with (runs / "test.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts = [row["text"] for row in rows]
    judge = load_model(str(runs / "pretrained.ckpt"), device="cpu")
    template = Template(TEMPLATE)
    words = read_words({"no": "love", "yes": "you"}, template, judge.tokenizer)
    prompts = [make_prompt(judge.tokenizer, template, text, room=judge.room) for text in texts]
    shares = np.exp(log_probabilities(judge, prompts, words))
    shares /= shares.sum(axis=1, keepdims=True)

    right = {}
    for name in ("start", "learned"):
        found = predict(load_task_model(str(last(runs, name)), device="cpu"), texts)
        right[name] = sum(
            each.label == row["label"] for each, row in zip(found, rows, strict=True)
        )
        said = [[each.probabilities["no"], each.probabilities["yes"]] for each in found]
        assert (np.array(said) == pytest.approx(shares, abs=1e-5)) is (name == "start")
    asked = ["--template", TEMPLATE, "--words", WORDS, "--json"]
    source = [str(runs / "pretrained.ckpt"), "--zero-shot", "--data", str(runs / "test.csv")]
    assert probe([*source, *asked]) == 0
    known = json.loads(capfd.readouterr().out)["uncalibrated"]["right"]
    assert right["start"] == known < 20
    assert right["learned"] >= 23
    assert f"test/accuracy                    {right['learned'] / 24:.4f}" in (
        runs / "test.txt"
    ).read_text(encoding="utf-8")


def test_a_run_that_goes_on_is_the_run_that_was_not_interrupted(runs: Path) -> None:
    one, other = (weights(last(runs, name)) for name in ("straight", "parts"))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_what_is_frozen_stays_and_the_head_learns(runs: Path) -> None:
    first = torch.load(runs / "pretrained.ckpt", weights_only=True)["state_dict"]
    learned = weights(last(runs, "weighed"))
    assert learned.keys() == first.keys()
    changed = {name for name in learned if not torch.equal(learned[name], first[name])}
    assert not any(name.startswith("model.embeddings.") for name in changed)
    assert "model.masked_lm_head.dense.weight" in changed


def test_a_prompted_model_is_a_start_for_another_run(runs: Path) -> None:
    said = (runs / "further.txt").read_text(encoding="utf-8")
    assert "Its masked-language-model head is kept, and says the labels." in said
    assert "Best validation accuracy: 1.0000" in said


def test_a_checkpoint_alone_says_the_labels(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = predict(load_task_model(str(last(runs, "learned"))), TEXTS)
    shutil.copy(last(runs, "learned"), tmp_path / "only.ckpt")
    monkeypatch.chdir(tmp_path)
    model = load_task_model("only.ckpt")
    assert model.task.options["template"] == TEMPLATE
    assert model.layout.max_length == LENGTH
    assert predict(model, TEXTS) == wanted


def test_a_model_of_theirs_says_the_same_at_the_mask(runs: Path, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="its model is the peer")
    assert export([str(last(runs, "learned")), str(tmp_path / "out")]) == 0
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "out").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    answers: list[Any] = [tokenizer.convert_tokens_to_ids(word) for word in ("love", "you")]
    texts = [text for text in TEXTS if text and len(text) < 60]
    found = predict(load_task_model(str(last(runs, "learned"))), texts)
    for text, said in zip(texts, found, strict=True):
        written = TEMPLATE.format(text=text, mask=tokenizer.mask_token)
        ids = tokenizer(written, return_tensors="pt")
        with torch.no_grad():
            logits = theirs(**ids).logits[ids["input_ids"] == tokenizer.mask_token_id][0]
        shares = logits[answers].softmax(dim=-1).tolist()
        assert [said.probabilities["no"], said.probabilities["yes"]] == pytest.approx(
            shares, abs=1e-4
        )
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert f"| template | `{TEMPLATE}` |" in card
    assert "| words | `no=love, yes=you` |" in card
    assert "pipeline_tag: fill-mask" in card
