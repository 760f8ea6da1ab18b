"""What Lightning and our own bookkeeping cost: updates of a real run against those of a bare loop.

Both train the same encoder on the same updates, in turns, and end with the same weights, which is
checked: the loop leaves nothing out that training needs. The run is that of the command line, with
its callbacks, progress, TensorBoard files and stop mechanism; only validations and saves, which
are work of their own, are left out. The encoder is tiny on purpose: the difference is time of the
host for each update, whatever the encoder's size.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.objectives import loss_sum
from lit_roberta.training.arguments import arrange
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.optimizer import build_optimizer
from lit_roberta.training.pretraining_cli import PretrainingCLI
from lit_roberta.training.schedules import learning_rate_factor

GOAL = 0.7
"""The most that an update may cost over the bare loop, in ms."""
WARM_UP = 20
"""Updates of each run that find the caches cold and are not counted."""
STRETCH = 10
"""Updates that are timed together, as many as lie between two log entries."""
SETTINGS = (
    f"--trainer.log_every_n_steps={STRETCH}",
    "--data.batch_size=8",
    "--model.encoder.hidden_size=16",
    "--model.encoder.num_hidden_layers=1",
    "--model.encoder.num_attention_heads=2",
    "--model.encoder.intermediate_size=32",
    # Without dropout a loop that seeds nothing comes to the same weights.
    "--model.encoder.hidden_dropout_prob=0",
    "--model.encoder.attention_probs_dropout_prob=0",
    "--trainer.accelerator=cpu",
    "--trainer.limit_val_batches=0",
)


class _TimedCLI(PretrainingCLI):
    """A run of the command line that notes when each update ended."""

    def before_fit(self) -> None:
        """Take the module's own hook, which comes behind all callbacks and is called anyway."""
        self.times: list[float] = []
        # A callback more would be called at every hook, and would be counted as Lightning's.
        self.model.on_train_batch_end = lambda *_: self.times.append(time.process_time())


def lightning_run(updates: int) -> tuple[list[float], dict[str, Tensor]]:
    """Train from the command line; give when each update ended, and the weights."""
    with tempfile.TemporaryDirectory() as folder, without_small_talk():
        length = (f"--trainer.max_steps={updates}", f"--trainer.default_root_dir={folder}")
        cli = _TimedCLI(arrange(["fit", *SETTINGS, *length]))
    return cli.times, cli.model.model.state_dict()


def bare_run(updates: int) -> tuple[list[float], dict[str, Tensor]]:
    """Train in the shortest loop that makes the same updates."""
    module, data = build()
    stream, model, config = data.stream(), module.model, module.optimizer_config
    optimizer = build_optimizer(model, config, fused=True)
    model.train()
    times = []
    for number in range(updates):
        factor = learning_rate_factor(number, total=updates, schedule=module.schedule)
        for group in optimizer.param_groups:
            group["lr"] = config.lr * factor
        update = stream[number]
        optimizer.zero_grad()
        for batch in update.micro_batches():
            loss = loss_sum(model(*batch[:4]).mlm_logits, batch.labels[:, 1:])
            torch.autograd.backward(loss / update.num_labels)
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip_norm)
        optimizer.step()
        times.append(time.process_time())
    return times, model.state_dict()


def build() -> tuple[PretrainingModule, PretrainingDataModule]:
    """Build what the command line builds, without running it."""
    with tempfile.TemporaryDirectory() as folder, without_small_talk():
        trial = ("--trainer.fast_dev_run=1", f"--trainer.default_root_dir={folder}")
        cli = PretrainingCLI(arrange(["fit", *SETTINGS, *trial]))
    module = PretrainingModule(
        cli.model.model.config,
        optimizer=cli.model.optimizer_config,
        schedule=cli.model.schedule,
        seed=cli.model.seed,
    )
    return module, cli.datamodule


def milliseconds(times: Sequence[float]) -> float:
    """Give the time of an update: the median over stretches that hold one log entry each."""
    ends = times[WARM_UP::STRETCH]
    return 1e3 * statistics.median(b - a for a, b in pairwise(ends)) / STRETCH


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("lightning", description=__doc__, allow_abbrev=False)
    parser.add_argument("--updates", type=int, default=400, help="of each run")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each kind")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    print("Processor time of an update in ms, one thread, dropout 0, a log entry in every 10th")
    print(f"{'Lightning':>9} {'bare':>7} {'cost':>7}")
    costs = []
    for _ in range(options.rounds):
        with_lightning, weights = lightning_run(options.updates)
        bare, bare_weights = bare_run(options.updates)
        for name, weight in weights.items():
            assert torch.equal(weight, bare_weights[name]), f"{name} was trained differently"
        ours, theirs = milliseconds(with_lightning), milliseconds(bare)
        costs.append(ours - theirs)
        print(f"{ours:9.3f} {theirs:7.3f} {costs[-1]:7.3f}", flush=True)
    print(f"median cost {statistics.median(costs):.2f} ms an update (goal: at most {GOAL})")


if __name__ == "__main__":
    main(sys.argv[1:])
