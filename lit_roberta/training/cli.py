"""The command line: `fit`, `validate`, `test` and `predict` for one recipe.

In: arguments and configuration files. Out: a run in its folder, or one line that says what is
wrong.
Nothing here trains; it turns what a person asked for into the trainer's, the module's and the data
module's terms, and refuses what they can't honour.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from jsonargparse import Namespace
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.cli import LightningCLI
from pytorch_lightning.loggers import Logger, TensorBoardLogger

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.packing import PAIR_FORMATS
from lit_roberta.data.tokenizer import Tokenizer
from lit_roberta.errors import UserError, must
from lit_roberta.training.arguments import arrange
from lit_roberta.training.checkpoint_settings import (
    CheckpointSettings,
    check_agreement,
    flatten,
    read_checkpoint_settings,
    resolve_checkpoint,
)
from lit_roberta.training.checkpointing import PretrainingCheckpoint
from lit_roberta.training.console import notices_on_stderr, without_small_talk
from lit_roberta.training.length import run_length
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.parser import OneLineParser, read_attribute_docstrings
from lit_roberta.training.predictions import FillMaskPredictions
from lit_roberta.training.progress import UpdateProgress
from lit_roberta.training.samples import SamplePredictions
from lit_roberta.training.stopping import StopOnSignal
from lit_roberta.training.tensorboard import TrainingCurves
from lit_roberta.training.trainer_flags import (
    refuse_trainer_flags,
    require_writable,
    running_time,
    validation_interval,
)

logger = logging.getLogger(__name__)


class PretrainingCLI(LightningCLI):
    """Everything that a run is made of, built from arguments, and run.

    After running: `model`, `datamodule`, `trainer`, `config` and `exit_status`.

    Args:
        argv: The arguments, arranged (`lit_roberta.training.arguments.arrange`).
    """

    def __init__(self, argv: Sequence[str]) -> None:
        read_attribute_docstrings()
        self.checkpoint: CheckpointSettings | None = None
        self.stopping: StopOnSignal | None = None
        super().__init__(
            PretrainingModule,
            PretrainingDataModule,
            parser_class=OneLineParser,
            parser_kwargs={"allow_abbrev": False},
            save_config_kwargs={"overwrite": True},  # a resumed run saves its own again
            trainer_defaults={
                "log_every_n_steps": 10,
                "num_sanity_val_steps": 0,
                "enable_model_summary": False,  # one line of ours says what it is
            },
            auto_configure_optimizers=False,
            args=list(argv),
        )

    @property
    def exit_status(self) -> int:
        """What the process should exit with: 130 or 143 after a signal, else 0."""
        return 0 if self.stopping is None else self.stopping.exit_status

    # ---- the parser

    @staticmethod
    def subcommands() -> dict[str, set[str]]:
        """Name the subcommands, and Lightning's arguments that are not a user's."""
        ours = {"weights_only", "verbose", "return_predictions"}
        return {name: skip | ours for name, skip in LightningCLI.subcommands().items()}

    def add_default_arguments_to_parser(self, parser: OneLineParser) -> None:  # type: ignore[override]
        """Add the seed, which nothing of a run escapes."""
        parser.add_argument(
            "--seed_everything",
            type=int,
            default=0,
            help="Seed of the run: weights, order, masks and dropout follow from it.",
        )

    def add_arguments_to_parser(self, parser: OneLineParser) -> None:  # type: ignore[override]
        """Add what is neither the trainer's, the module's nor the data module's, and the links."""
        parser.add_argument(
            "--compile", type=bool, default=False, help="Compile the model; worth it on CUDA."
        )
        parser.add_lightning_class_args(PretrainingCheckpoint, "checkpoint")
        parser.link_arguments("seed_everything", "data.seed")
        parser.link_arguments("seed_everything", "model.seed")
        parser.link_arguments(
            "data", "model.encoder.vocab_size", compute_fn=self._vocab_size, apply_on="instantiate"
        )

    def _prepare_subcommand_parser(
        self,
        klass: type,
        subcommand: str,
        **kwargs: Any,
    ) -> OneLineParser:
        parser = super()._prepare_subcommand_parser(klass, subcommand, **kwargs)
        for action in parser._actions:
            if action.dest == "ckpt_path":
                action.help = "A checkpoint: a file, or last or best of the run's folder."
        return parser  # type: ignore[return-value]

    def parse_arguments(self, parser: OneLineParser, args: Any) -> None:  # type: ignore[override]
        """Parse twice: once for all settings, once for those that were given."""
        self.config = parser.parse_args(args)
        subcommand = self.config.subcommand
        # Links want their source, also where defaults are left out.
        seeded = [subcommand, "--seed_everything", "0", *args[args.index(subcommand) + 1 :]]
        self.given = parser.parse_args(seeded, defaults=False)[subcommand]

    # ---- what was asked for

    @property
    def settings(self) -> Namespace:
        """The settings of the subcommand."""
        return self.config[self.config.subcommand]

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.settings.trainer.default_root_dir)

    def _parse_ckpt_path(self) -> None:
        """Take encoder, objective and tokenizer from the checkpoint, and nothing else.

        Lightning's own method takes all hyperparameters from there, over the command line's.
        """
        refuse_trainer_flags(self.settings.trainer.as_dict())
        subcommand = self.config.subcommand
        folder = self.folder
        path = resolve_checkpoint(self.settings.ckpt_path, folder=folder, subcommand=subcommand)
        self.settings.ckpt_path = None if path is None else str(path)
        if path is not None:
            self.checkpoint = read_checkpoint_settings(path)
            self._take_over(self.checkpoint.as_flat())
        self._check_fields_together()

    def _take_over(self, stored: dict[str, Any]) -> None:
        check_agreement(stored, dict(flatten(self.given.as_dict())))
        for name, value in stored.items():
            if name != "model.encoder.vocab_size":  # follows from the tokenizer
                self.settings[name] = value

    def _check_fields_together(self) -> None:
        """Check what neither the data nor the model can see alone."""
        data, model = self.settings.data, self.settings.model
        if model.next_sentence and data.format not in PAIR_FORMATS:
            remedy = "Next-sentence prediction needs two texts: or set model.next_sentence false."
            raise must("data.format", f"be one of {sorted(PAIR_FORMATS)}", data.format, remedy)
        longest = model.encoder.max_position_embeddings
        if data.max_length > longest:
            remedy = "Shorten the examples, or give model.encoder.max_position_embeddings."
            raise must("data.max_length", f"be at most {longest}", data.max_length, remedy)

    # ---- building

    def _vocab_size(self, data: PretrainingDataModule) -> int:
        """Give the size of the vocabulary: of the checkpoint's tokenizer, or of this text's."""
        if self.checkpoint is not None:
            data.use_tokenizer(Tokenizer.from_json(self.checkpoint.tokenizer))
        return data.vocab_size

    def before_instantiate_classes(self) -> None:
        """Keep the configuration of training: only `fit` saves it."""
        if self.subcommand != "fit":
            self.save_config_callback = None

    def instantiate_trainer(self, **kwargs: Any) -> pl.Trainer:
        """Build the trainer on updates: its length, its intervals, its callbacks."""
        if self.subcommand == "fit":
            kwargs |= self._fit_settings()
        else:
            kwargs |= {"logger": False, "callbacks": self._judging_callbacks()}
        try:
            return super().instantiate_trainer(use_distributed_sampler=False, **kwargs)
        except MisconfigurationException as error:
            raise UserError(" ".join(str(error).split())) from error

    def _fit_settings(self) -> dict[str, Any]:
        asked = self.settings.trainer
        total = run_length(
            self.datamodule, max_updates=asked.max_steps, max_epochs=asked.max_epochs
        )
        if not asked.fast_dev_run:
            require_writable(self.folder)
        return {
            "max_steps": total,
            "max_epochs": -1,
            "max_time": None,
            "check_val_every_n_epoch": None,
            "val_check_interval": validation_interval(asked.val_check_interval, total=total),
            "callbacks": [*self._users_callbacks(), *self._training_callbacks()],
            "logger": self._logger(),
        }

    def _users_callbacks(self) -> list[Callback]:
        given = self._get(self.config_init, "trainer").callbacks or []
        return list(given) if isinstance(given, list) else [given]

    def _judging_callbacks(self) -> list[Callback]:
        if self.subcommand != "predict":
            return self._users_callbacks()
        require_writable(self.folder)
        return [*self._users_callbacks(), FillMaskPredictions(folder=self.folder)]

    def _training_callbacks(self) -> list[Callback]:
        asked = self.settings.trainer
        self.stopping = StopOnSignal(max_time=running_time(asked.max_time))
        callbacks: list[Callback] = [
            TrainingCurves(hyperparameters=self._hyperparameters()),
            SamplePredictions(),
        ]
        if asked.enable_progress_bar is not False:
            callbacks.append(UpdateProgress())
        return [*callbacks, self.stopping]

    def _logger(self) -> Logger | bool | list[Logger]:
        logger = self.config_init.fit.trainer.logger
        if logger is None or logger is True:
            return TensorBoardLogger(self.folder, name="", version="", default_hp_metric=False)
        return logger

    def _hyperparameters(self) -> dict[str, Any]:
        """Give the settings that a table of runs is read by."""
        settings = {name: self.config_dump[name] for name in ("data", "model", "seed_everything")}
        return dict(flatten(settings))

    def after_instantiate_classes(self) -> None:
        """Say what was found and what is about to happen."""
        if self.settings.compile:
            self.model.model.compile()
        if self.trainer.is_global_zero:
            for note in self.datamodule.prepared.notes:
                logger.info("%s", note)
            if self.subcommand == "fit":
                self._announce()

    def _announce(self) -> None:
        data, encoder = self.datamodule, self.model.model.config
        total = self.trainer.max_steps
        logger.info(
            "Encoder: %d layers of width %d with %d heads, vocabulary %s, %s parameters.",
            encoder.num_hidden_layers,
            encoder.hidden_size,
            encoder.num_attention_heads,
            f"{encoder.vocab_size:,}",
            f"{sum(parameter.numel() for parameter in self.model.model.parameters()):,}",
        )
        logger.info(
            "Training: %s updates of %s sequences (some %s tokens), %.1f passes over %s examples.",
            f"{total:,}",
            f"{data.sequences_per_update:,}",
            f"{data.sequences_per_update * data.tokens_per_sequence:,.0f}",
            total * data.sequences_per_update / data.num_examples,
            f"{data.num_examples:,}",
        )
        if self.checkpoint is not None and self.checkpoint.total_updates != total:
            logger.info(
                "The checkpoint was to end at update %s; the rate now follows the new length.",
                f"{self.checkpoint.total_updates:,}",
            )
        logger.info("Folder: %s. Watch: tensorboard --logdir %s", self.folder, self.folder.parent)

    # ---- running

    def after_fit(self) -> None:
        """Say where the run ended."""
        metrics = self.trainer.callback_metrics
        if not self.trainer.is_global_zero or "val/masked_lm_loss" not in metrics:
            return
        logger.info(
            "Finished %s updates. Validation loss %.3f nats a token (frequencies alone: %.3f).",
            f"{self.trainer.global_step:,}",
            float(metrics["val/masked_lm_loss"]),
            float(metrics["val/unigram_loss"]),
        )

    def _prepare_subcommand_kwargs(self, subcommand: str) -> dict[str, Any]:
        # Said in full, because an environment variable can turn torch's own default off.
        kwargs = {**super()._prepare_subcommand_kwargs(subcommand), "weights_only": True}
        if subcommand == "predict":
            kwargs["return_predictions"] = False  # they are written, and need not fit into memory
        return kwargs


def run(argv: Sequence[str]) -> PretrainingCLI:
    """Run a command line in this process.

    Args:
        argv: The arguments, without the program's name: `["fit", "--config",
            "configs/bert.yaml", ...]`.

    Returns:
        What the run was made of, with its `exit_status`.

    Raises:
        UserError: If something that was asked for can't be done.
    """
    with without_small_talk():
        return PretrainingCLI(arrange(argv))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, with notices for a person and one line for an error.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C, 143 after SIGTERM.
    """
    with notices_on_stderr():
        try:
            return run(sys.argv[1:] if argv is None else argv).exit_status
        except UserError as error:
            sys.stderr.write(f"{error}\n")
            return 2
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted before the first update: there is nothing to save.\n")
            return 130
