"""Fine-tuned checkpoints leave: the same labels and numbers in classes that know nothing of us."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lit_roberta import load_task_model, predict
from lit_roberta.exchange.export_cli import main as export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import Family
from lit_roberta.finetuning.train_cli import main as train
from tests.finetuning.examples import write_rows
from tests.finetuning.models import QUIET, fine_tune
from tests.inference.models import TEXTS
from tests.training.commands import Command

# An empty second text is none for their tokenizers.
PAIRS = [pair for pair in zip(TEXTS, reversed(TEXTS), strict=True) if pair[1]]


def export_of(checkpoint: Path, folder: Path, *words: str) -> Path:
    assert export([str(checkpoint), str(folder), *words]) == 0
    return folder


@pytest.mark.parametrize(
    ("task", "pairs", "family"),
    [
        ("classification", True, "bert"),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in [
                ("classification", True, "roberta"),
                ("classification", False, "bert"),
                ("classification", False, "roberta"),
                ("regression", True, "bert"),
                ("regression", False, "roberta"),
            ]
        ),
    ],
)
def test_a_pipeline_of_theirs_says_what_the_checkpoint_says(
    tmp_path: Path, task: str, pairs: bool, family: Family
) -> None:
    transformers = pytest.importorskip("transformers", reason="its pipeline is the peer")
    checkpoint = fine_tune(tmp_path / "run", task, pairs=pairs, family=family)
    folder = export_of(checkpoint, tmp_path / "out")
    model = load_task_model(str(checkpoint), device="cpu", max_length=48)
    texts: list[Any] = [*PAIRS] if pairs else TEXTS
    theirs = [{"text": one, "text_pair": other} for one, other in PAIRS] if pairs else TEXTS
    pipeline = transformers.pipeline("text-classification", str(folder), top_k=None)
    known = model.task.exchange_task()
    assert known is not None
    assert dict(pipeline.model.config.id2label) == dict(enumerate(known.labels))
    cut = {"truncation": True, "max_length": 48}
    found = predict(model, texts)
    again = predict(load_task_model(str(folder), device="cpu"), texts)
    for ours, wanted, back in zip(found, pipeline(theirs, **cut), again, strict=True):
        if task == "regression":
            assert ours.value == pytest.approx(wanted[0]["score"], abs=1e-4)
            assert ours.value == pytest.approx(back.value, abs=1e-5)
        else:
            scores = {each["label"]: each["score"] for each in wanted}
            assert dict(ours.probabilities) == pytest.approx(scores, abs=1e-4)
            assert dict(ours.probabilities) == pytest.approx(dict(back.probabilities), abs=1e-5)
    assert load_pretrained(str(folder)).task == load_pretrained(str(checkpoint)).task


def test_the_card_says_what_was_done_and_nothing_else(tmp_path: Path) -> None:
    checkpoint = fine_tune(tmp_path / "run", "classification")
    folder = export_of(checkpoint, tmp_path / "out")
    card = (folder / "README.md").read_text(encoding="utf-8")
    cells = [line.strip("| ").split(" | ") for line in card.splitlines() if line[:2] == "| "]
    rows = dict(each for each in cells if len(each) == 2)
    assert "fine-tuned by lit_roberta" in card
    assert "pipeline_tag: text-classification" in card
    assert rows["task"] == "classification"
    assert rows["labels"] == "2: no, yes"
    assert rows["started from"] == f"`{tmp_path / 'run' / 'pretrained.ckpt'}`"
    assert rows["examples"].startswith(f"`{tmp_path / 'run' / 'train.csv'}`: ")
    assert rows["updates"] == "3 of 3"
    assert rows["learning rate"] == "0.005 at its highest, linear"
    facts = load_pretrained(str(checkpoint)).finetuning
    assert facts is not None
    assert sum(facts.num_examples.values()) == 24
    assert f"{facts.num_examples['validation']} of validation" in rows["examples"]
    assert f"accuracy {facts.validated['val/accuracy']:.4f}" in rows["validation"]
    assert rows["test"] == "not recorded"
    assert not {"freeze", "class weights", "label smoothing"} & set(rows)
    assert (folder / "training_config.yaml").is_file()
    # the configuration beside the card makes the same model
    again = ["fit", f"--config={folder / 'training_config.yaml'}", "--ckpt_path=null"]
    assert train([*again, f"--trainer.default_root_dir={tmp_path / 'again'}"]) == 0
    one, other = (
        load_pretrained(str(path)).weights
        for path in (checkpoint, tmp_path / "again" / "checkpoints" / "last.ckpt")
    )
    assert all(one[name].equal(other[name]) for name in one)


def test_a_fine_tuned_model_is_a_start_without_its_head_or_with_it(
    tmp_path: Path, command: Command
) -> None:
    checkpoint = fine_tune(tmp_path / "first", "classification")
    source = [f"--model.pretrained={checkpoint}", "--trainer.max_steps=1", *QUIET]
    task = ["--data.task=classification", f"--data.train={tmp_path / 'first' / 'train.csv'}"]
    words = ["fit", *task, *source, "--data.max_length=16"]
    assert command(*words, "--trainer.default_root_dir=fresh") == 0
    assert "the one for sequence-classification is left out" in command.messages
    kept = ["--model.keep_head=true", "--trainer.default_root_dir=kept"]
    assert command(*words, *kept, "--model.optimizer.lr=1e-12") == 0
    assert "Its head is kept." in command.messages
    heads = [
        load_pretrained(str(path)).weights["task_head.classifier.weight"]
        for path in (
            checkpoint,
            *(command.folder / f"{name}/checkpoints/last.ckpt" for name in ("kept", "fresh")),
        )
    ]
    assert heads[0].allclose(heads[1], atol=1e-6)
    assert not heads[0].allclose(heads[2], atol=1e-4)
    line = command.refuses(*words, "--model.keep_head=true", '--data.labels=["yes", "no"]')
    assert "model.keep_head must be for the head of the same labels" in line
    # a task of another kind, as STS-B from MNLI
    numbers = ["--data.task=regression", f"--data.train={tmp_path / 'numbers.csv'}"]
    rows: list[tuple[str, ...]] = [(f"tea {n}", f"{n}") for n in range(9)]
    write_rows(tmp_path / "numbers.csv", rows, ("text", "score"))
    words = ["fit", *numbers, *source, "--data.max_length=16"]
    assert command(*words, "--trainer.default_root_dir=numbers") == 0, command.messages
    assert "the one for sequence-classification is left out" in command.messages
    documents = [f"{text} {copy}" for copy in range(9) for text in TEXTS if text]
    (tmp_path / "corpus.txt").write_text("\n\n".join(documents), encoding="utf-8")
    words = ["fit", f"--data.corpus={tmp_path / 'corpus.txt'}", "--data.max_length=16", *source]
    words += ["--data.batch_size=4", "--trainer.default_root_dir=pretraining"]
    assert command(*words) == 0, command.messages
    assert "does not train it: the head of its task" in command.messages
    assert load_pretrained(str(tmp_path / "pretraining/checkpoints/last.ckpt")).task is None


@pytest.mark.slow
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_graph_of_a_fine_tuned_model_computes_the_same(tmp_path: Path, task: str) -> None:
    pytest.importorskip("onnxruntime", reason="runs the graph")
    checkpoint = fine_tune(tmp_path / "run", task, pairs=True, family="bert")
    folder = export_of(checkpoint, tmp_path / "out", "--onnx")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "`model.onnx`, run by onnxruntime" in card
