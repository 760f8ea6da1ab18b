"""How long a run that goes on takes to its first update, by how far it had come.

A checkpoint of a few updates is rewritten to stand at as many as are asked for, with the losses of
as many epochs, and the command line goes on from it. The position in the text is computed from the
number of updates, so nothing is read again, skipped over or counted up to it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.lightning_overhead import SETTINGS
from lit_roberta.training.arguments import arrange
from lit_roberta.training.checkpoint_files import AtomicCheckpointIO, last_checkpoint
from lit_roberta.training.checkpointing import stand_between_updates
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.pretraining_cli import PretrainingCLI

GOAL = 1.2
"""The most that the slowest may take, in times of the fastest."""
BEGUN = 10
"""Updates of the run whose checkpoint is rewritten."""


class _TimedCLI(PretrainingCLI):
    """A run that notes when its first update ended."""

    first_update = 0.0

    def before_fit(self) -> None:
        """Take the module's own hook, which is called anyway."""
        self.model.on_train_batch_end = self._note

    def _note(self, *_: object) -> None:
        self.first_update = self.first_update or time.process_time()


def run(folder: Path, *words: str) -> _TimedCLI:
    """Train from the command line, in this process."""
    root = f"--trainer.default_root_dir={folder}"
    with without_small_talk():
        return _TimedCLI(arrange(["fit", *SETTINGS, root, *words]))


def stand_at(begun: Path, folder: Path, update: int, *, num_examples: int) -> None:
    """Write a checkpoint as a run would have after so many updates."""
    files = AtomicCheckpointIO()
    checkpoint = files.load_checkpoint(begun)
    per_update = checkpoint["conditions"]["data.batch_size"]
    loops = checkpoint["loops"]["fit_loop"]
    stand_between_updates(loops, num_updates=update)
    steps = loops["epoch_loop.manual_optimization.optim_step_progress"]
    for counts in (steps["total"], steps["current"]):
        counts.update(ready=update, completed=update)
    checkpoint["global_step"] = update
    _lengthen(checkpoint["history"], epochs=1 + (update - 1) * per_update // num_examples)
    files.save_checkpoint(checkpoint, folder / "checkpoints" / "last.ckpt")


def _lengthen(history: dict[str, Any], *, epochs: int) -> None:
    """Give a history as many epochs as the run would have had."""
    for name in ("sums", "counts"):
        history[name] = history[name][:1] * epochs


def seconds(folder: Path, update: int) -> float:
    """Go on from a checkpoint, and time it to the end of the first update."""
    began = time.process_time()
    cli = run(folder, "--ckpt_path=last", f"--trainer.max_steps={update + 1}")
    assert cli.trainer.global_step == update + 1
    return cli.first_update - began


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("resume", description=__doc__, allow_abbrev=False)
    parser.add_argument("--updates", type=int, nargs="+", default=[10, 1_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5, help="starts from each checkpoint")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    times: dict[int, list[float]] = {update: [] for update in options.updates}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = run(folder / "begun", f"--trainer.max_steps={BEGUN}").datamodule
        begun = last_checkpoint(folder / "begun")
        assert begun is not None
        for number in range(options.rounds + 1):
            for update, series in times.items():
                place = folder / f"{update}-{number}"
                stand_at(begun, place, update, num_examples=data.num_examples)
                series.append(seconds(place, update))
    print("Processor time from the command to the end of the first update, imports left out, in s")
    print(f"{'finished updates':>16} {'seconds':>8}")
    medians = {update: statistics.median(series[1:]) for update, series in times.items()}
    for update, median in medians.items():
        print(f"{update:16,} {median:8.3f}", flush=True)
    ratio = max(medians.values()) / min(medians.values())
    print(f"slowest over fastest {ratio:.2f} (goal: at most {GOAL})")


if __name__ == "__main__":
    main(sys.argv[1:])
