"""Question answering from a file to answers, by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from lit_roberta.exchange.exporting import export
from lit_roberta.finetuning.checkpoint import read_finetuned
from lit_roberta.finetuning.module import FinetuningModule
from tests.finetuning.test_cli import QUIET
from tests.training.commands import Command

CONTEXT = "So the old ship is here, and the captain said that all you need is tea and love."


def write_questions(path: Path) -> Path:
    """Questions that the model can answer by heart; some have no answer."""
    wanted = {"who": "captain", "what": "tea", "where": "here", "why": None}
    rows = []
    for number in range(3):
        for key, answer in wanted.items():
            here = (
                [] if answer is None else [{"text": answer, "answer_start": CONTEXT.index(answer)}]
            )
            rows.append(
                {
                    "id": f"{key}{number}",
                    "question": f" {key} is it, {number}?",
                    "answers": here,
                    "is_impossible": answer is None,
                }
            )
    paragraphs = [{"context": CONTEXT, "qas": rows}]
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}), encoding="utf-8")
    return path


def test_questions_are_learned_judged_predicted_and_exported(
    command: Command, pretrained: Path
) -> None:
    write_questions(command.folder / "squad.json")
    words = ["--data.task=question-answering", "--data.train=squad.json"]
    words += ["--data.validation=squad.json", "--data.test=squad.json", *QUIET]
    words += ["--data.max_length=40", "--data.batch_size=4", "--data.options.stride=8"]
    words += [f"--model.pretrained={pretrained}", "--model.optimizer.lr=1e-2"]
    assert command("fit", *words, "--trainer.max_epochs=2") == 0, command.messages
    assert "In the training part: 3 questions have no answer." in command.messages
    assert "Without reading: f1 0.2500." in command.messages
    assert "best_f1_threshold" in command.messages

    assert command("predict", *words, "--data.options.n_best=2") == 0, command.messages
    folder = command.folder / "runs" / "finetuning"
    rows = [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]
    assert len(rows) == 12
    for row in rows:
        said = row["prediction"]
        assert len(said["found"]) == 2
        assert said["text"] == (
            "" if said["start"] is None else CONTEXT[said["start"] : said["stop"]]
        )
    assert command.refuses("predict", *words, "--data.options.n_best=0").endswith("it is 5.")

    transformers = pytest.importorskip("transformers", reason="the reader is not installed")
    path = folder / "checkpoints" / "last.ckpt"
    export(read_finetuned(path).pretrained, command.folder / "out")
    theirs = transformers.AutoModelForQuestionAnswering.from_pretrained(command.folder / "out")
    tokenizer = transformers.AutoTokenizer.from_pretrained(command.folder / "out")
    rows_of = tokenizer("who is it?", "So the old ship is here.", return_tensors="pt")
    ours = FinetuningModule.load_from_checkpoint(path, weights_only=True).model.eval()
    with torch.no_grad():
        logits = ours(rows_of["input_ids"], None, rows_of["attention_mask"].bool())
        found = theirs.eval()(**rows_of)
    torch.testing.assert_close(found.start_logits, logits[..., 0], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(found.end_logits, logits[..., 1], rtol=1e-4, atol=1e-5)


def test_a_model_is_judged_with_the_windows_of_its_training_unless_the_command_line_says_others(
    command: Command, pretrained: Path
) -> None:
    write_questions(command.folder / "squad.json")
    words = ["--data.validation=squad.json", "--data.train=squad.json", *QUIET]
    words += ["--data.task=question-answering", "--data.batch_size=4"]
    options = "stride: 2, max_question_length: 8, max_answer_length: 2"
    config = command.folder / "wide.yaml"
    config.write_text(f"data: {{options: {{{options}}}}}\n", encoding="utf-8")
    with_file = [*words, f"--config={config}", "--trainer.default_root_dir=run"]
    fit = [*with_file, f"--model.pretrained={pretrained}", "--trainer.max_epochs=1"]
    own = ["--data.options.stride=8", "--data.options.n_best=2", "--data.max_length=24"]
    assert command("fit", *fit, *own) == 0, command.messages

    def windows(*more: str) -> str:
        assert command("validate", *with_file, *more) == 0, command.messages
        return next(line for line in command.messages.splitlines() if "windows of" in line)

    as_trained = windows("--data.options.n_best=3")
    assert command("validate", *words, "--trainer.default_root_dir=run") == 0, command.messages
    assert as_trained in command.messages
    config.write_text("data: {options: {null_threshold: 1.0}}\n", encoding="utf-8")
    assert windows() == as_trained  # training said nothing of it
    assert windows("--data.options.stride=2") != as_trained
    assert windows("--data.options={stride: 2}") == windows("--data.options.stride=2")
