"""What a run is made of, built from arguments: data module, module and trainer.

In: arguments, arranged. Out: a run in its folder. Nothing here trains; it turns what a person
asked for into the terms of the three, and refuses what they can't honour.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.cli import LightningArgumentParser

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.training.announcement import (
    announce_end,
    announce_run,
    announce_scores,
    announce_text,
)
from lit_roberta.training.checkpoint_settings import (
    CheckpointSettings,
    read_checkpoint_settings,
    resolve_checkpoint,
)
from lit_roberta.training.conditions import refuse_another_run, run_conditions
from lit_roberta.training.csv_table import continue_tables
from lit_roberta.training.field_checks import check_fields_together
from lit_roberta.training.hours import Hours, hours_to_train
from lit_roberta.training.length import run_length
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.parser import add_pretraining_settings, add_run_settings
from lit_roberta.training.predictions import FillMaskPredictions
from lit_roberta.training.ranks import EndTogether
from lit_roberta.training.run_cli import RunCLI
from lit_roberta.training.samples import SamplePredictions
from lit_roberta.training.starting import Start
from lit_roberta.training.starting_scores import announce_before_and_after, with_scores_at_start
from lit_roberta.training.starting_settings import check_same_start, read_start
from lit_roberta.training.taking_over import take_model, take_over
from lit_roberta.training.trainer_flags import refuse_trainer_flags, require_writable
from lit_roberta.training.trainer_settings import (
    fit_settings,
    strategy_settings,
    users_callbacks,
)

logger = logging.getLogger(__name__)

HISTORY = "history.json"
"""The training loss of each epoch, in the run's folder."""


class PretrainingCLI(RunCLI):
    """Everything that a run of pretraining is made of, built from arguments, and run.

    Args:
        argv: The arguments, arranged (`lit_roberta.training.arguments.arrange`).
    """

    module_class = PretrainingModule
    data_class = PretrainingDataModule

    def __init__(self, argv: Sequence[str]) -> None:
        self.checkpoint: CheckpointSettings | None = None
        self.start: Start | None = None
        self._told: list[str] = []
        super().__init__(argv)

    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        """Add our own settings, and the links between settings."""
        add_run_settings(parser)
        add_pretraining_settings(parser, vocab_size=self._vocab_size)

    # ---- what was asked for

    def _parse_ckpt_path(self) -> None:
        """Take encoder, objective and tokenizer from the checkpoint, and nothing else.

        Lightning's own method takes all hyperparameters from there, over the command line's.
        """
        refuse_trainer_flags(self.settings.trainer.as_dict(), compiles=self.settings.compile)
        subcommand = self.config.subcommand
        folder = self.folder
        path = resolve_checkpoint(
            self.settings.ckpt_path,
            folder=folder,
            subcommand=subcommand,
            leaves_no_trace=self.leaves_no_trace,
        )
        self.settings.ckpt_path = None if path is None else str(path)
        if path is not None:
            self.checkpoint = read_checkpoint_settings(path)
            self._take_over(self.checkpoint)
        else:
            self.start = read_start(self.settings, given=self.given.as_dict())
        check_fields_together(self.settings.data, self.settings.model)

    def _take_over(self, checkpoint: CheckpointSettings) -> None:
        given = self.given.as_dict()
        check_same_start(checkpoint, self.settings)
        if checkpoint.imported is None:
            take_over(checkpoint, settings=self.settings, given=given)
        else:
            fits = self.config.subcommand == "fit"
            take_model(checkpoint, settings=self.settings, given=given, fits=fits)

    # ---- building

    def _vocab_size(self, data: PretrainingDataModule) -> int:
        """Give the rows of the token embedding: of weights that are there, or this text's.

        Imported ones may have more than their tokenizer has entries.
        """
        if self.checkpoint is not None:
            data.use_tokenizer(self.checkpoint.tokenizer)
            return int(self.checkpoint.encoder["vocab_size"])
        if self.start is None:
            return data.vocab_size
        data.use_tokenizer(self.start.tokenizer, extends=True)
        return max(data.vocab_size, self.start.pretrained.encoder.vocab_size)

    def instantiate_trainer(self, **kwargs: Any) -> pl.Trainer:
        """Build the trainer on updates: its length, its intervals, its callbacks."""
        if self.start is not None:
            self._told = self.start.begin(self.model, self.datamodule.tokenizer)
        return super().instantiate_trainer(**kwargs)

    def trainer_settings(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Give what takes the place of the trainer's settings as a person gave them."""
        if self.subcommand == "fit":
            settings = fit_settings(
                asked,
                total=self._length(asked),
                hyperparameters=self.hyperparameters(),
                callbacks=[SamplePredictions()],
            )
            return settings if self.start is None else with_scores_at_start(settings)
        return {"logger": False, "callbacks": [*users_callbacks(asked), *self._writers()]}

    def _length(self, asked: Mapping[str, Any]) -> int:
        return run_length(
            self.datamodule,
            max_updates=asked["max_steps"],
            max_epochs=asked["max_epochs"],
            hours=self._hours(asked),
        )

    def _hours(self, asked: Mapping[str, Any]) -> Hours | None:
        """Turn the hours into updates, if any were asked for."""
        settings = self.settings
        if settings.max_hours is None or self.leaves_no_trace:
            return None
        return hours_to_train(
            settings.max_hours,
            self.model,
            self.datamodule,
            asked={**asked, **strategy_settings(asked)},
            checkpoint=self.checkpoint,
            compiled=settings.compile,
            save_every=settings.checkpoint.every_n_updates,
        )

    def _writers(self) -> list[Callback]:
        if self.subcommand != "predict":
            return [EndTogether()]
        require_writable(self.folder)
        return [EndTogether(), FillMaskPredictions(folder=self.folder)]

    def after_instantiate_classes(self) -> None:
        """Refuse to go on with another run; say what was found and what is about to happen."""
        self.check_and_compile()
        if self.trainer.is_global_zero:
            if self.checkpoint is not None:
                continue_tables(self.trainer.loggers, update=self.checkpoint.update)
            announce_text(self.datamodule)
            for line in self._told:
                logger.info("%s", line)
            if self.subcommand == "fit":
                announce_run(self.trainer, self.model, self.datamodule, checkpoint=self.checkpoint)

    def check_and_compile(self) -> None:
        """Refuse to go on with another run; compile the model if asked."""
        if self.subcommand == "fit" and self.checkpoint is not None:
            now = run_conditions(self.trainer, self.datamodule)
            refuse_another_run(self.checkpoint.conditions, now)
            self.datamodule.keep_stages(self.checkpoint.stage_starts)
        if self.subcommand == "fit" and self.trainer.world_size > 1:
            # A share for each, or one line while there is one process to say it.
            total, world_size = self.trainer.max_steps, self.trainer.world_size
            self.datamodule.stream(total=total, world_size=world_size)
        if self.settings.compile:
            self.model.model.compile()

    # ---- running

    def after_fit(self) -> None:
        """Say where the run ended, and keep its losses by epoch."""
        if self.trainer.is_global_zero:
            announce_end(self.trainer)
            if not self.trainer.fast_dev_run:  # type: ignore[attr-defined]
                self.model.history.write(self.folder / HISTORY)
                announce_before_and_after(self.model, self.folder)

    def after_validate(self) -> None:
        """Say what the validation text gave."""
        if self.trainer.is_global_zero:
            announce_scores(self.trainer)

    def after_test(self) -> None:
        """Say what the test text gave."""
        if self.trainer.is_global_zero:
            announce_scores(self.trainer)
