""" "B follows A" is class 1 of ours, and class 0 of the model that leaves."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from lit_roberta.exchange.checkpoint import read_checkpoint
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.pretrained import Pretrained
from tests.exchange.models import tiny_pretrained
from tests.exchange.theirs import load

transformers = pytest.importorskip("transformers", reason="the export's reader is not installed")

Pair = tuple[str, str]
ROOT = Path(__file__).parents[2]


def class_0(folder: Path, pairs: list[Pair]) -> list[bool]:
    """Ask the exported model of each pair whether it is of class 0, through its own tokenizer."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    columns = [list(column) for column in zip(*pairs, strict=True)]
    inputs: Any = tokenizer(*columns, padding=True, return_tensors="pt")
    with torch.no_grad():
        logits: Tensor = load(folder, "BertForPreTraining")(**inputs).seq_relationship_logits
    return (logits.argmax(-1) == 0).tolist()


# ---- a head that was fitted to a few pairs, by our own labels

FOLLOWS = [("I like you.", "You and I walk."), ("we like the dog", "the dog likes us.")]
RANDOM = [("I like you.", "the dog likes us."), ("we like the dog", "You and I walk.")]


def fitted(pretrained: Pretrained, labels: dict[Pair, int]) -> Pretrained:
    """Solve for the classifier that gives each pair its label, in our order of rows."""
    assert pretrained.tokenizer is not None
    model, tokenizer = pretrained.build(), pretrained.tokenizer
    pooled = []
    for first, second in labels:
        ids = [2, *tokenizer.encode(first), 3]
        segments = [0] * len(ids) + [1] * (len(tokenizer.encode(second)) + 1)
        ids += [*tokenizer.encode(second), 3]
        output = model(torch.tensor([ids]), torch.tensor([segments]))
        assert model.next_sentence_head is not None
        assert model.next_sentence_head.pooler is not None
        state = torch.tanh(model.next_sentence_head.pooler(output.last_hidden_state[:, 0]))
        pooled.append(state.detach().double())
    wanted = torch.tensor([2.0 * label - 1 for label in labels.values()]).double()
    row = torch.linalg.lstsq(torch.cat(pooled), wanted[:, None], driver="gelsd").solution[:, 0]
    head = "next_sentence_head.classifier"
    weights = {
        **pretrained.weights,
        f"{head}.weight": torch.stack([-row, row]).float(),  # class 1: B follows A
        f"{head}.bias": torch.zeros(2),
    }
    return replace(pretrained, weights=weights)


def test_what_follows_by_our_labels_is_class_0_there(tmp_path: Path) -> None:
    labels = dict.fromkeys(FOLLOWS, 1) | dict.fromkeys(RANDOM, 0)
    export(fitted(tiny_pretrained("BertForPreTraining"), labels), tmp_path / "out")
    assert class_0(tmp_path / "out", list(labels)) == [True, True, False, False]


# ---- a head that was trained

NUMBERS = ("one", "two", "three", "four", "five", "six")
ANIMALS = ("cat", "dog", "cow", "hen", "fox", "owl", "bee", "ant")
WORDS = (
    "--config=bert",
    "--data.corpus=corpus.txt",
    "--data.batch_size=64",
    "--data.masking.rate=0.05",
    "--model.encoder.hidden_size=48",
    "--model.encoder.intermediate_size=96",
    "--model.encoder.max_position_embeddings=64",
    "--model.encoder.tanh_pooler=true",
    "--model.encoder.hidden_dropout_prob=0",
    "--model.encoder.attention_probs_dropout_prob=0",
    "--model.optimizer.lr=3e-3",
    "--trainer.accelerator=cpu",
    "--trainer.enable_progress_bar=false",
    "--trainer.max_steps=700",
    "--trainer.val_check_interval=700",
)


@pytest.mark.slow
def test_a_real_continuation_is_class_0_there(tmp_path: Path) -> None:
    # Sentences count up, so that what follows can be told.
    generator = random.Random(0)
    documents = (
        "\n".join(f"{number} {generator.choice(ANIMALS)}." for number in NUMBERS)
        for _ in range(400)
    )
    (tmp_path / "corpus.txt").write_text("\n\n".join(documents) + "\n", encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "lit_roberta", "train", "fit", *WORDS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        check=True,
        timeout=900,
    )
    pretrained = read_checkpoint(tmp_path / "runs/bert/checkpoints/last.ckpt")
    assert export(pretrained, tmp_path / "out").architecture == "BertForPreTraining"
    for step, wanted in ((1, True), (2, False), (3, False)):
        pairs = [
            (f"{first} {animal}.", f"{second} {ANIMALS[-1]}.")
            for first, second in zip(NUMBERS, NUMBERS[step:], strict=False)
            for animal in ANIMALS
        ]
        share = class_0(tmp_path / "out", pairs).count(wanted) / len(pairs)
        assert share > 0.9, (step, share)
