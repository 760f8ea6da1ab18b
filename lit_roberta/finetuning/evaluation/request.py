"""What an evaluation was asked for, checked as far as that goes without reading anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lit_roberta.errors import must

GridName = Literal["roberta", "bert"]
DEFAULT_SEEDS = 5


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Settings of which the best are chosen for each task, on its validation part."""

    lrs: tuple[float, ...]
    batch_sizes: tuple[int, ...]
    epochs: int
    patience: int
    """Validations in a row without a better one, after which a run stops."""
    settings: tuple[str, ...] = ()
    """What else a paper says of all runs, as `--name=value`."""


GRIDS: Mapping[GridName, Grid] = {
    # Liu et al. 2019, table 10; the best of the 10 epochs counts
    "roberta": Grid(
        lrs=(1e-5, 2e-5, 3e-5),
        batch_sizes=(16, 32),
        epochs=10,
        patience=3,
        settings=("--model.optimizer.weight_decay=0.1", "--model.schedule.warmup_share=0.06"),
    ),
    # Devlin et al. 2019, appendix A.3
    "bert": Grid(
        lrs=(2e-5, 3e-5, 5e-5),
        batch_sizes=(16, 32),
        epochs=4,
        patience=3,
        settings=(
            "--model.optimizer.weight_decay=0.01",
            "--model.optimizer.betas=[0.9,0.999]",
            "--model.schedule.warmup_share=0.1",
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Models, tasks, and how each is fine-tuned."""

    models: tuple[str, ...]
    """Whatever a model can be read from; `NAME=...` to call it so."""
    output: Path
    tasks: tuple[str, ...] = ()
    """By name; `glue` and `all` stand for those whose folder is there."""
    data: Path | None = None
    """The folder with the folders of the benchmarks' tasks."""
    task_configs: tuple[str, ...] = ()
    """Configuration files of fine-tuning: tasks of one's own."""
    seeds: int = DEFAULT_SEEDS
    """Runs of each task and setting, with seeds 0, 1, ..."""
    grid: GridName | None = None
    lrs: tuple[float, ...] | None = None
    """In place of the grid's, or of the one of the task's configuration."""
    batch_sizes: tuple[int, ...] | None = None
    epochs: int | None = None
    patience: int | None = None
    """0: never stop before the last epoch."""
    mnli_first: bool = False
    """Whether RTE, MRPC and STS-B start from the best model of MNLI."""
    significance: bool | None = None
    """Whether models are held against each other. None: where that can be done."""
    keep: bool = False
    """Whether each run keeps its best checkpoint."""
    jobs: int | None = None
    """Runs at once."""
    overrides: tuple[str, ...] = ()
    """Settings of `train.py fit` for all runs, as `--name=value`."""
    command: str | None = None

    def __post_init__(self) -> None:
        self._check_numbers()
        if not self.models:
            raise must("the models", "be one or more", "none", "Name a checkpoint or a folder.")
        if not self.tasks and not self.task_configs:
            remedy = "Give --tasks glue with --data FOLDER, or --task-config FILE."
            raise must("--tasks", "name what is to be learned", "nothing", remedy)
        if self.significance and self.seeds < 2:
            remedy = "One run tells nothing of how runs vary: from 3 on there are verdicts."
            raise must("--seeds", "be 2 or more for --significance", self.seeds, remedy)
        if self.significance and len(self.models) < 2:
            remedy = "Name a second one to hold it against."
            raise must("--significance", "have two models or more", len(self.models), remedy)

    def _check_numbers(self) -> None:
        lists: Mapping[str, tuple[float, ...]] = {
            "--lrs": self.lrs or (1.0,),
            "--batch-sizes": self.batch_sizes or (1,),
        }
        for name, values in lists.items():
            for value in values:
                if not 0 < value < float("inf"):
                    raise must(name, "be above 0", value, "The papers' are in the help.")
            if len(set(values)) < len(values):
                raise must(name, "be named once each", list(values), "Leave out the second.")
        counts = {"--seeds": self.seeds, "--epochs": self.epochs, "--jobs": self.jobs}
        for name, count in counts.items():
            if count is not None and count < 1:
                raise must(name, "be 1 or more", count, "Give a positive whole number.")
        if self.patience is not None and self.patience < 0:
            raise must("--patience", "be 0 or more", self.patience, "0 is never.")
