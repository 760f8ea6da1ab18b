"""Fine-tuning beside transformers' Trainer: same weights, data, settings and seeds; one judge.

Each run is a process of its own with one thread, ours and theirs in turn. Both models are judged
by the same code of ours, so that a difference in scores is one of training. Seconds are those of
reading, encoding and training, without the start of the interpreter. Theirs needs `accelerate`,
which nothing else here does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.held_out import JudgedBatches
from lit_roberta.finetuning.module import FinetuningModule
from lit_roberta.finetuning.train_cli import run as fine_tune

TASKS = ("classification", "tagging", "question-answering")
"""Those that the peer has, too."""


def main(argv: Sequence[str] = ()) -> None:
    """Compare, and print a line for each run and a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks finetuning", description=__doc__)
    parser.add_argument("--model", required=True, help="a Hugging Face folder")
    parser.add_argument("--task", default=TASKS[0], choices=TASKS)
    parser.add_argument("--train", required=True, help="as --data.train takes it")
    parser.add_argument("--test", help="else a tenth of the training part")
    parser.add_argument("--examples", type=int, help="learn from so many only")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args(list(argv))
    if asked.run is not None:
        sys.stdout.write(json.dumps(_one_run(asked)) + "\n")
        return
    results: dict[str, list[dict[str, float]]] = {"ours": [], "theirs": []}
    for seed in range(asked.first_seed, asked.first_seed + asked.seeds):
        order = ("ours", "theirs") if seed % 2 == 0 else ("theirs", "ours")
        for who in order:
            found = _in_a_process(list(argv), who, seed)
            results[who].append(found)
            print(f"seed {seed}, {who}: {_line(found)}", flush=True)
    _print_table(results)


def _in_a_process(argv: list[str], who: str, seed: int) -> dict[str, float]:
    words = [sys.executable, "-W", "ignore", "-m", "benchmarks", "finetuning", *argv]
    done = subprocess.run(
        [*words, "--run", who, "--seed", str(seed)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _one_run(asked: argparse.Namespace) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="finetuning-") as folder:
        place = Path(folder)
        began = time.monotonic()
        model = _ours(asked, place) if asked.run == "ours" else _theirs(asked, place)
        seconds = time.monotonic() - began
        return {"seconds": seconds, **_judge(asked, model)}


def _data_flags(asked: argparse.Namespace) -> list[str]:
    flags = [f"--data.task={asked.task}", f"--data.train={asked.train}"]
    flags += [f"--data.test={asked.test}"] if asked.test else ["--data.test_share=0.1"]
    if asked.examples is not None:
        flags.append(f"--data.num_train_examples={asked.examples}")
    return [*flags, "--data.validation_share=0", f"--data.max_length={asked.length}"]


def _data(asked: argparse.Namespace) -> FinetuningDataModule:
    return FinetuningDataModule(
        asked.task,
        train=asked.train,
        test=asked.test,
        test_share=0.0 if asked.test else 0.1,
        validation_share=0.0,
        num_train_examples=asked.examples,
        max_length=asked.length,
    )


def _ours(asked: argparse.Namespace, folder: Path) -> str:
    fine_tune(
        [
            "fit",
            *_data_flags(asked),
            f"--data.batch_size={asked.batch}",
            f"--model.pretrained={asked.model}",
            f"--model.optimizer.lr={asked.lr}",
            "--model.optimizer.betas=[0.9, 0.999]",
            f"--trainer.max_epochs={asked.epochs}",
            "--trainer.accelerator=cpu",
            "--trainer.enable_progress_bar=false",
            f"--trainer.default_root_dir={folder}",
            f"--seed_everything={asked.seed}",
        ]
    )
    return str(folder / "checkpoints" / "last.ckpt")


def _theirs(asked: argparse.Namespace, folder: Path) -> str:
    from benchmarks.finetuning_peer import train

    data = _data(asked)
    train(
        asked.model,
        asked.task,
        list(data.parts.train),
        labels=list(data.task.labels),
        folder=folder,
        lr=asked.lr,
        epochs=asked.epochs,
        batch_size=asked.batch,
        max_length=asked.length,
        seed=asked.seed,
    )
    return str(folder)


@torch.inference_mode()
def _judge(asked: argparse.Namespace, model: str) -> dict[str, float]:
    pretrained, data = load_pretrained(model), _data(asked)
    data.use_model(pretrained)
    module = FinetuningModule()
    module.restore(pretrained, data.task)
    module.model.eval()
    items, examples = data.items("test")[""], data.examples("test")[""]
    batches = JudgedBatches(
        items, pad_id=data.tokenizer.vocabulary.pad_id, segments=data.layout.segments
    )
    found: list[tuple[int, Any]] = []
    for number in range(len(batches)):
        batch = batches[number]
        of_batch = [items[each] for each in batch.items]
        predictions = data.task.predictions(of_batch, module.model(*batch.batch[:3]))
        numbers = dict.fromkeys(item.example for item in of_batch)
        found += zip(numbers, predictions, strict=True)
    ordered = [prediction for _, prediction in sorted(found, key=lambda each: each[0])]
    return data.task.scores(examples, ordered)


def _line(found: dict[str, float]) -> str:
    scores = ", ".join(f"{name} {value:.4f}" for name, value in found.items() if name != "seconds")
    return f"{found['seconds']:.1f} s, {scores}"


def _print_table(results: dict[str, list[dict[str, float]]]) -> None:
    for name in results["ours"][0]:
        mean = {who: statistics.mean(run[name] for run in runs) for who, runs in results.items()}
        spread = {
            who: statistics.stdev(run[name] for run in runs) if len(runs) > 1 else 0.0
            for who, runs in results.items()
        }
        if name == "seconds":
            median = {w: statistics.median(r[name] for r in runs) for w, runs in results.items()}
            ratio = median["ours"] / median["theirs"]
            print(f"seconds: {median['ours']:.1f} against {median['theirs']:.1f}, {ratio:.2f}")
            continue
        print(
            f"{name}: ours {100 * mean['ours']:.2f} (sd {100 * spread['ours']:.2f}), theirs "
            f"{100 * mean['theirs']:.2f} (sd {100 * spread['theirs']:.2f}), difference "
            f"{100 * (mean['ours'] - mean['theirs']):+.2f} points"
        )
