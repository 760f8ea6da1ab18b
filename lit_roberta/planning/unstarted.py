"""A run as `train.py fit` would build it, and not started.

In: the arguments of `fit`. Out: data module, module and trainer, checked as `fit` checks them.
Nothing is written, and an earlier run may lie in the folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from lit_roberta.training.arguments import arrange
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.hours import Hours, check_hours, kept_hours
from lit_roberta.training.length import run_length
from lit_roberta.training.pace import Pace, updates_in
from lit_roberta.training.pretraining_cli import PretrainingCLI
from lit_roberta.training.trainer_settings import fit_settings


class UnstartedRun(PretrainingCLI):
    """Everything that a run is made of.

    Args:
        argv: The arguments, arranged.
    """

    asked: Mapping[str, Any]
    """The trainer's settings as a person gave them, its plugins already built."""

    @property
    def leaves_no_trace(self) -> bool:
        """Say that nothing is written."""
        return True

    @property
    def device(self) -> torch.device:
        """The first device of the run."""
        return self.trainer.strategy.root_device

    @property
    def finished_updates(self) -> int:
        """Updates that the checkpoint has already, where the run goes on from one."""
        return 0 if self.checkpoint is None else self.checkpoint.update

    @property
    def save_every(self) -> int:
        """Updates between two saves."""
        interval: int = self.settings.checkpoint.every_n_updates
        return interval

    @property
    def num_parameters(self) -> int:
        """Numbers that are trained."""
        return sum(parameter.numel() for parameter in self.model.model.parameters())

    @property
    def checkpoint_bytes(self) -> int:
        """How large a checkpoint is: weights and two moments, in single precision."""
        return 12 * self.num_parameters

    def length(self, pace: Pace) -> int:
        """Tell how many updates the run has.

        Args:
            pace: Only read where the length was given in hours.

        Raises:
            UserError: If not even one update fits into the hours.
        """
        hours = self._kept_hours()
        if hours is None and self.settings.max_hours is not None:
            updates = updates_in(
                self.settings.max_hours,
                pace,
                sizes_of=self.datamodule.sizes,
                validate_every=self.asked["val_check_interval"],
                save_every=self.save_every,
            )
            hours = Hours(self.settings.max_hours, updates)
        total = run_length(
            self.datamodule,
            max_updates=self.asked["max_steps"],
            max_epochs=self.asked["max_epochs"],
            hours=hours,
        )
        shortened = int(self.asked["fast_dev_run"] or 0)
        return min(total, shortened) if shortened else total

    def before_instantiate_classes(self) -> None:
        """Keep no configuration: no run is made that it could be the configuration of."""
        self.save_config_callback = None

    def trainer_settings(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Give the settings of a trainer that only says what it would be."""
        self.asked = asked
        self._kept_hours()
        # The length is found later, and said then.
        stand_in = {**asked, "logger": False, "fast_dev_run": True}
        settings = fit_settings(stand_in, total=1, hyperparameters={})
        return {**settings, "logger": False, "callbacks": [], "fast_dev_run": False}

    def after_instantiate_classes(self) -> None:
        """Refuse what `fit` would refuse, and announce nothing."""
        self.check_and_compile()

    def _kept_hours(self) -> Hours | None:
        """Give the length in hours that a checkpoint brings."""
        if self.settings.max_hours is None:
            return None
        check_hours(self.settings.max_hours)
        if self.checkpoint is None:
            return None
        return kept_hours(self.checkpoint, max_hours=self.settings.max_hours)

    def _run_subcommand(self, subcommand: str) -> None:
        """Stop here."""


def build_unstarted(arguments: Sequence[str]) -> UnstartedRun:
    """Build what a run is made of.

    Args:
        arguments: Of `fit`, without the word itself.

    Raises:
        UserError: If `fit` would refuse them.
    """
    with without_small_talk():
        return UnstartedRun(arrange(["fit", *arguments]))
