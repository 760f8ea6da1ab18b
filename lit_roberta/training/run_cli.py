"""What all runs share of their command line: how they are built, saved, resumed and ended.

In: settings, parsed. Out: a run in its folder. What is learned, and from what, is the subclass's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.command_line import ended_by_sigterm
from lit_roberta.errors import UserError, error_behind
from lit_roberta.training.checkpoint_settings import flatten
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.parsed_cli import ParsedCLI
from lit_roberta.training.ranks import was_started_by_another
from lit_roberta.training.rollback import fit
from lit_roberta.training.stopping import StopOnSignal
from lit_roberta.training.trainer_settings import in_one_line, strategy_settings


class RunCLI(ParsedCLI):
    """A run, built from arguments, and run.

    After running: `model`, `datamodule`, `trainer`, `config` and `exit_status`.
    """

    @property
    def exit_status(self) -> int:
        """What the process should exit with: 130 or 143 after a signal, else 0."""
        if was_started_by_another(self.trainer):
            return 0
        callbacks: list[Callback] = self.trainer.callbacks  # type: ignore[attr-defined]
        stops = [each.exit_status for each in callbacks if isinstance(each, StopOnSignal)]
        return max(stops, default=0)

    @property
    def leaves_no_trace(self) -> bool:
        """Whether nothing is written, so that an earlier run may lie in the folder."""
        return bool(self.settings.trainer.fast_dev_run)

    @abstractmethod
    def trainer_settings(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Give what takes the place of the trainer's settings as a person gave them."""

    # ---- building

    def before_instantiate_classes(self) -> None:
        """Keep the configuration of training: only `fit` saves it."""
        if self.subcommand != "fit":
            self.save_config_callback = None

    def instantiate_classes(self) -> None:
        """Build the data module, the module and the trainer."""
        try:
            super().instantiate_classes()
        except ValueError as error:
            cause = error_behind(error, UserError)
            if cause is None:
                raise
            raise cause from None

    def instantiate_trainer(self, **kwargs: Any) -> pl.Trainer:
        """Build the trainer on updates: its length, its intervals, its callbacks."""
        asked = self._get(self.config_init, "trainer").as_dict()
        with without_small_talk():
            kwargs |= self.trainer_settings(asked) | strategy_settings(asked)
            with in_one_line():
                return super().instantiate_trainer(use_distributed_sampler=False, **kwargs)

    def hyperparameters(self) -> dict[str, Any]:
        """Give the settings that a table of runs is read by."""
        settings = {name: self.config_dump[name] for name in ("data", "model", "seed_everything")}
        return dict(flatten(settings))

    # ---- running

    def fit(self, model: Any, *, ckpt_path: str | None, **_: Any) -> None:
        """Train; Lightning's command line takes this in place of the trainer's own."""
        fit(self.trainer, model, self.datamodule, ckpt_path=ckpt_path)

    def _run_subcommand(self, subcommand: str) -> None:
        if subcommand == "fit":  # which saves before it stops
            super()._run_subcommand(subcommand)
            return
        with ended_by_sigterm():  # of which Lightning would take a note, and go on
            super()._run_subcommand(subcommand)

    def _prepare_subcommand_kwargs(self, subcommand: str) -> dict[str, Any]:
        # Said in full, because an environment variable can turn torch's own default off.
        kwargs = {**super()._prepare_subcommand_kwargs(subcommand), "weights_only": True}
        if subcommand == "predict":
            kwargs["return_predictions"] = False  # they are written, and need not fit into memory
        if subcommand in ("validate", "test"):
            kwargs["verbose"] = False  # Lightning's table has a column for each loader
        return kwargs
