"""Tiny fine-tuned checkpoints, made once for all tests that only read them."""

from __future__ import annotations

from pathlib import Path

from lit_roberta.exchange.names import Family
from lit_roberta.finetuning.train_cli import main
from tests.finetuning.examples import ROWS, write_rows
from tests.inference.models import write_model

LENGTH = 24
"""Tokens that they were fine-tuned with; the models take 48."""
QUIET = ["--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]


def fine_tune(
    folder: Path, task: str, *, pairs: bool = False, family: Family = "roberta", steps: int = 3
) -> Path:
    """Fine-tune a tiny model that nobody trained, for some updates.

    Args:
        folder: A new one, for the run and all that it needs.
        task: classification, of the labels no and yes; or regression.
        pairs: Whether texts come in pairs.
        family: Of the model.
        steps: Updates.
    """
    folder.mkdir()
    segments = 2 if family == "bert" else 1
    pretrained = write_model(
        folder / "pretrained.ckpt", kind="wordpiece", family=family, type_vocab_size=segments
    )
    labels = {"yes": "1.5", "no": "-0.25"} if task == "regression" else {"yes": "yes", "no": "no"}
    header = ("sentence1", "sentence2", "label") if pairs else ("text", "label")
    rows = [(text, *["so it is"] * pairs, labels[label]) for text, label in ROWS * 3]
    train = write_rows(folder / "train.csv", rows, header)
    words = [f"--data.task={task}", f"--data.train={train}", f"--data.max_length={LENGTH}"]
    words += [f"--model.pretrained={pretrained}", f"--trainer.max_steps={steps}", *QUIET]
    words += ["--data.batch_size=8", "--model.optimizer.lr=5e-3"]
    assert main(["fit", *words, f"--trainer.default_root_dir={folder / 'run'}"]) == 0
    return folder / "run" / "checkpoints" / "last.ckpt"
