"""The command line of fine-tuning: `fit`, `validate`, `test` and `predict` for one task.

In: arguments, arranged. Out: a run in its folder, or one line that says what is wrong.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.cli import LightningArgumentParser

from lit_roberta.errors import must
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.announcement import (
    EpochLines,
    announce_finetuning,
    announce_judged,
    announce_notes,
    announce_result,
    announce_task,
)
from lit_roberta.finetuning.checkpoint import Finetuned, read_finetuned
from lit_roberta.finetuning.conditions import finetuning_conditions
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.length import finetuning_length, judging_interval
from lit_roberta.finetuning.module import FinetuningModule
from lit_roberta.finetuning.patience import Patience
from lit_roberta.finetuning.run_checks import (
    check_labels,
    refuse_partial_judging,
    require_examples,
)
from lit_roberta.finetuning.tags import finetuning_tags
from lit_roberta.finetuning.taking_over import take_over_finetuned
from lit_roberta.finetuning.writing import TaskPredictions
from lit_roberta.training.checkpoint_files import best_or_last
from lit_roberta.training.checkpoint_settings import resolve_checkpoint
from lit_roberta.training.checkpointing import UpdateCheckpoint
from lit_roberta.training.conditions import refuse_another_run
from lit_roberta.training.csv_table import continue_tables
from lit_roberta.training.parser import add_run_settings
from lit_roberta.training.ranks import EndTogether
from lit_roberta.training.run_cli import RunCLI
from lit_roberta.training.trainer_flags import refuse_trainer_flags, require_writable
from lit_roberta.training.trainer_settings import fit_settings, users_callbacks

logger = logging.getLogger(__name__)


class FinetuningCLI(RunCLI):
    """Everything that a run of fine-tuning is made of, built from arguments, and run.

    Args:
        argv: The arguments, arranged (`lit_roberta.training.arguments.arrange`).
    """

    module_class = FinetuningModule
    data_class = FinetuningDataModule

    def __init__(self, argv: Sequence[str]) -> None:
        self.checkpoint: Finetuned | None = None
        self.pretrained: Pretrained | None = None
        self._told: list[str] = []
        super().__init__(argv)

    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        """Add our own settings, and the links between settings."""
        add_run_settings(parser)
        parser.add_argument(
            "--patience",
            type=int | None,
            default=None,
            help="Stop after so many validations in a row without a better one.",
        )

    # ---- what was asked for

    def _parse_ckpt_path(self) -> None:
        """Take the model, its labels and its tokenizer from the checkpoint, and nothing else."""
        settings, subcommand = self.settings, self.config.subcommand
        refuse_trainer_flags(settings.trainer.as_dict(), compiles=settings.compile)
        refuse_partial_judging(settings.trainer.as_dict())
        if settings.patience is not None and settings.patience < 1:
            raise must("patience", "be 1 or more", settings.patience, "Leave it out for none.")
        name = settings.ckpt_path
        if name is None and subcommand != "fit":
            name = best_or_last(self.folder)
        path = resolve_checkpoint(
            name,
            folder=self.folder,
            subcommand=subcommand,
            leaves_no_trace=self.leaves_no_trace,
        )
        settings.ckpt_path = None if path is None else str(path)
        if path is not None:
            self.checkpoint = read_finetuned(path)
            take_over_finetuned(
                self.checkpoint,
                settings=settings,
                given=self.given.as_dict(),
                trains=subcommand == "fit",
                words=self._argv,
            )
            return
        source = settings.model.pretrained
        if source is None:
            remedy = "Give --model.pretrained: a checkpoint, a folder, or a name on the hub."
            raise must("model.pretrained", "name the model to fine-tune", None, remedy)
        self.pretrained = load_pretrained(source)

    # ---- building

    def instantiate_trainer(self, **kwargs: Any) -> pl.Trainer:
        """Build the model that is fine-tuned, and the trainer on updates."""
        module, data, checkpoint = self.model, self.datamodule, self.checkpoint
        data.learns = self.subcommand == "fit"
        if checkpoint is not None:
            data.use_model(checkpoint.pretrained)
            data.use_task(checkpoint.task)
            module.restore(checkpoint.pretrained, data.task)
        else:
            assert self.pretrained is not None
            data.use_model(self.pretrained)
            check_labels(data)  # before a trainer makes its folder
            self._told = module.begin(self.pretrained, data.task)
        return super().instantiate_trainer(**kwargs)

    def trainer_settings(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Give what takes the place of the trainer's settings as a person gave them."""
        if self.subcommand != "fit":
            return {"logger": False, "callbacks": [*users_callbacks(asked), *self._writers()]}
        data, tags = self.datamodule, finetuning_tags(self.datamodule.task)
        self._checkpointing.judge_by(tags)
        total = finetuning_length(data, asked)
        interval = judging_interval(
            asked["val_check_interval"],
            updates_per_epoch=data.sizes.updates_per_epoch,
            total=total,
        )
        settings = fit_settings(
            {**asked, "val_check_interval": interval},
            total=total,
            hyperparameters=self.hyperparameters(),
            tags=tags,
            callbacks=[EpochLines(), *self._early_stopping(tags.monitor)],
        )
        # Without a part to judge, a trainer is told so: it warns of an empty list of loaders.
        return settings if data.examples("validation") else {**settings, "limit_val_batches": 0}

    @property
    def _checkpointing(self) -> UpdateCheckpoint:
        callback = self._get(self.config_init, "checkpoint")
        assert isinstance(callback, UpdateCheckpoint)
        return callback

    def _early_stopping(self, monitor: str) -> list[Callback]:
        patience = self.settings.patience
        if patience is None:
            return []
        if not self.datamodule.examples("validation"):
            raise must("patience", "have a validation part to look at", patience, "Name one.")
        higher_is_better = self.datamodule.task.higher_is_better
        return [Patience(monitor=monitor, higher_is_better=higher_is_better, patience=patience)]

    def _writers(self) -> list[Callback]:
        if self.subcommand != "predict":
            return [EndTogether()]
        require_writable(self.folder)
        return [EndTogether(), TaskPredictions(folder=self.folder)]

    def after_instantiate_classes(self) -> None:
        """Refuse to go on with another run; say what is about to happen."""
        data, checkpoint = self.datamodule, self.checkpoint
        part = require_examples(data, str(self.subcommand))
        if self.subcommand == "fit" and checkpoint is not None:
            refuse_another_run(checkpoint.conditions, finetuning_conditions(self.trainer, data))
        if self.settings.compile:
            self.model.model.compile()
        if not self.trainer.is_global_zero:
            return
        if checkpoint is not None:
            continue_tables(self.trainer.loggers, update=checkpoint.update)
        for line in self._told:
            logger.info("%s", line)
        announce_task(data)
        announce_notes(data, fits=self.subcommand == "fit", part=part)
        if self.subcommand == "fit":
            announce_finetuning(self.trainer, data)

    # ---- running

    def after_fit(self) -> None:
        """Say where the run ended."""
        if self.trainer.is_global_zero:
            best = self._checkpointing.best_score
            found = best if math.isfinite(best) else None
            announce_result(self.trainer, self.datamodule, found)

    def after_validate(self) -> None:
        """Say what the validation part gave."""
        if self.trainer.is_global_zero:
            announce_judged(self.trainer.callback_metrics, self.datamodule, "validation")

    def after_test(self) -> None:
        """Say what the test part gave."""
        if self.trainer.is_global_zero:
            announce_judged(self.trainer.callback_metrics, self.datamodule, "test")
