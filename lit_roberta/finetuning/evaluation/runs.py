"""One run of an evaluation: from its arguments to its result file, in whichever process.

A result is written when all of it is there. A run that was interrupted goes on from its last
checkpoint; one whose result is there is never made again.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeGuard

import torch

from lit_roberta import __version__
from lit_roberta.errors import must
from lit_roberta.finetuning.cli import FinetuningCLI
from lit_roberta.finetuning.evaluation.judged import judge
from lit_roberta.finetuning.evaluation.looking import digest_of
from lit_roberta.finetuning.train_cli import run as run_training
from lit_roberta.log_files import output_to
from lit_roberta.training.checkpoint_files import BEST, CHECKPOINT_FOLDER, LAST, PREVIOUS
from lit_roberta.whole_files import write_whole
from lit_roberta.workers import ERROR, Interrupted, Tell

RESULT = "result.json"
EXAMPLES = "examples.json"
_MARK = "run.json"
_FITTED = "fitted.json"
_LOG = "log.txt"


@dataclass(frozen=True, kw_only=True)
class EvaluationRun:
    """A model that learns a task, with one seed and setting."""

    model: str
    task: str
    lr: float
    batch_size: int
    seed: int
    folder: Path
    source: str
    """What it starts from."""
    arguments: tuple[str, ...]
    """Of `fit`: those that it shares with other runs of the task."""
    settings: Mapping[str, Any] = field(repr=False)
    """Everything that its numbers depend on."""
    keep: bool = False
    """Whether its best checkpoint stays."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the settings."""
        return digest_of(self.settings)

    @property
    def label(self) -> str:
        """What to call it in a message."""
        setting = f"lr {self.lr:g}, batch {self.batch_size}"
        return f"{self.model}, {self.task}, {setting}, seed {self.seed}"

    @property
    def best(self) -> Path:
        """The best checkpoint, while it is there."""
        return self.folder / CHECKPOINT_FOLDER / BEST

    def result(self) -> dict[str, Any] | None:
        """Read the result; None where there is none of this run."""
        stored = _read(self.folder / RESULT)
        is_ours = stored.get("fingerprint") == self.fingerprint
        return stored if is_ours and isinstance(stored.get("scores"), dict) else None

    def settings_there(self) -> dict[str, Any]:
        """Read what the run that lies in its place was made of; nothing where none does."""
        settings = _read(self.folder / _MARK).get("settings")
        return settings if isinstance(settings, dict) else {}

    def is_of_others(self) -> bool:
        """Tell whether a run of other settings lies in its place."""
        mark = _read(self.folder / _MARK)
        return "fingerprint" in mark and mark["fingerprint"] != self.fingerprint

    def check_place(self) -> None:
        """Refuse a place in which another run lies.

        Raises:
            UserError: Names what is different.
        """
        if not self.folder.exists() or not any(self.folder.iterdir()):
            return
        mark = _read(self.folder / _MARK)
        remedy = "Give another --output."
        if "fingerprint" not in mark:
            rule = "be empty or an evaluation's own"
            raise must("the run's folder", rule, str(self.folder), remedy)
        if mark["fingerprint"] == self.fingerprint:
            return
        there, here = self.settings_there(), json.loads(json.dumps(self.settings, default=str))
        names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
        name = names[0] if names else "settings"
        rule = f"be of {name} {here.get(name)!r}"
        remedy = f"Give another --output, or what {self.folder} was made with."
        raise must("the runs in --output", rule, there.get(name), remedy)

    def execute(self, tell: Tell) -> None:
        """Train and judge, and write the result.

        Raises:
            UserError: If the run can't be made as asked, or has diverged.
            Interrupted: If it was stopped by a signal.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / ERROR).unlink(missing_ok=True)
        self._use_its_threads()
        began = time.monotonic()
        with output_to(self.folder / _LOG):
            cli = self._trained()
            if cli.exit_status:
                raise Interrupted
            self._write_result(cli, seconds=time.monotonic() - began)
        self._clear()

    # ---- its parts

    def _use_its_threads(self) -> None:
        """Go on with as many threads as before: sums depend on it."""
        mark = _read(self.folder / _MARK)
        threads = int(mark.get("threads", torch.get_num_threads()))
        torch.set_num_threads(threads)
        facts = {"fingerprint": self.fingerprint, "settings": self.settings, "threads": threads}
        _write(self.folder / _MARK, facts)

    def _trained(self) -> FinetuningCLI:
        """Train; where that is done already, only build what it takes to judge."""
        fitted = _read(self.folder / _FITTED)
        is_fitted = fitted.get("fingerprint") == self.fingerprint
        words = [
            *self.arguments,
            f"--model.pretrained={self.source}",
            f"--model.optimizer.lr={self.lr!r}",
            f"--data.batch_size={self.batch_size}",
            f"--seed_everything={self.seed}",
            f"--trainer.default_root_dir={self.folder}",
            "--trainer.enable_progress_bar=false",
            f"--ckpt_path={self._checkpoint() if is_fitted else 'last'}",
        ]
        cli = run_training([fitted.get("judged_by", "validate") if is_fitted else "fit", *words])
        assert isinstance(cli, FinetuningCLI), "the arguments name a task"
        if not is_fitted and not cli.exit_status:
            self._write_fitted(cli)
        return cli

    def _write_fitted(self, cli: FinetuningCLI) -> None:
        """Note how long it was trained, and by which subcommand what is trained can be judged."""
        data, updates = cli.datamodule, int(cli.trainer.global_step)
        facts = {
            "fingerprint": self.fingerprint,
            "updates": updates,
            "epochs": round(updates / data.sizes.updates_per_epoch, 4),
            "judged_by": "validate" if any(data.examples("validation").values()) else "test",
        }
        _write(self.folder / _FITTED, facts)

    def _checkpoint(self) -> Path:
        return self.best if self.best.is_file() else self.best.with_name(LAST)

    def _write_result(self, cli: FinetuningCLI, *, seconds: float) -> None:
        data = cli.datamodule
        judged = judge(cli.trainer, cli.model, data, self._checkpoint())
        if not judged:
            remedy = "Nothing else can judge a model: name a validation or a test part."
            raise must("the task", "have labelled examples besides its training part", 0, remedy)
        examples = {part: found.examples for part, found in judged.items()}
        _write(self.folder / EXAMPLES, examples)
        fitted = _read(self.folder / _FITTED)
        result = {
            "fingerprint": self.fingerprint,
            "model": self.model,
            "task": self.task,
            "lr": self.lr,
            "batch_size": self.batch_size,
            "seed": self.seed,
            "metric": data.task.monitor,
            "higher_is_better": data.task.higher_is_better,
            "scores": {part: found.scores for part, found in judged.items()},
            "baseline": {part: found.baseline for part, found in judged.items()},
            "updates": fitted.get("updates"),
            "epochs": fitted.get("epochs"),
            "seconds": round(seconds, 2),
            "made_with": {
                "lit_roberta": __version__,
                "torch": torch.__version__,
                "device": cli.trainer.strategy.root_device.type,
                "precision": str(cli.trainer.precision),
            },
        }
        _write(self.folder / RESULT, result)

    def _clear(self) -> None:
        """Remove checkpoints that nobody needs: a grid's would fill any disk."""
        for name in (LAST, PREVIOUS, *([] if self.keep else [BEST])):
            if name == LAST and self.keep and not self.best.is_file():
                continue
            (self.best.with_name(name)).unlink(missing_ok=True)


def _read(path: Path) -> dict[str, Any]:
    """Read a file of ours; nothing where there is none, or where it was damaged."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def read_examples(run: EvaluationRun, part: str) -> dict[str, Any] | None:
    """Read what the examples of a part contributed to a run's score."""
    found = _read(run.folder / EXAMPLES).get(part)
    return found if isinstance(found, dict) else None


def _write(path: Path, values: Mapping[str, Any]) -> None:
    text = json.dumps(values, indent=1, allow_nan=False, default=str)
    write_whole(path, (text + "\n").encode())


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a score is there and finite."""
    return isinstance(value, int | float) and math.isfinite(value)
