"""Arguments to settings: Lightning's command line with our parser, and both of what it parsed.

In: arguments, arranged. Out: all settings, and those that a person gave. What they build is the
subclass's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from jsonargparse import Namespace
from pytorch_lightning.cli import LightningArgumentParser, LightningCLI

from lit_roberta.command_line import read_attribute_docstrings
from lit_roberta.training.parser import (
    OneLineParser,
    add_seed,
    check_seed,
    describe_checkpoint,
)


class ParsedCLI(LightningCLI):
    """The half of the command line that reads arguments; a subclass says what they build.

    Args:
        argv: The arguments, arranged (`lit_roberta.training.arguments.arrange`).
    """

    module_class: type[pl.LightningModule]
    data_class: type[pl.LightningDataModule]

    def __init__(self, argv: Sequence[str]) -> None:
        read_attribute_docstrings(wanted="--help" in argv or "-h" in argv)
        self._argv = list(argv)
        super().__init__(
            self.module_class,
            self.data_class,
            parser_class=OneLineParser,
            parser_kwargs={"allow_abbrev": False},
            save_config_kwargs={"overwrite": True},  # a resumed run saves its own again
            trainer_defaults={
                "log_every_n_steps": 10,
                "num_sanity_val_steps": 0,
                "enable_model_summary": False,  # one line of ours says what it is
            },
            auto_configure_optimizers=False,
            args=self._argv,
        )

    def subcommands(self) -> dict[str, set[str]]:  # type: ignore[override]
        """Name the subcommands, and Lightning's arguments that are not a user's.

        Each has a parser of its own with some hundred arguments. Where the command line names one,
        only that one's is built: a start is a second faster.
        """
        ours = {"weights_only", "verbose", "return_predictions"}
        known = {name: skip | ours for name, skip in LightningCLI.subcommands().items()}
        return {name: known[name] for name in self._argv[:1] if name in known} or known

    def add_default_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        """Add the seed."""
        add_seed(parser)

    @abstractmethod
    def add_arguments_to_parser(self, parser: LightningArgumentParser) -> None:
        """Add our own settings, and the links between settings."""

    def _prepare_subcommand_parser(
        self, klass: type, subcommand: str, **kwargs: Any
    ) -> LightningArgumentParser:
        parser = super()._prepare_subcommand_parser(klass, subcommand, **kwargs)
        describe_checkpoint(parser)
        return parser

    def parse_arguments(self, parser: LightningArgumentParser, args: Any) -> None:
        """Parse twice: once for all settings, once for those that were given."""
        self.config = parser.parse_args(args)
        subcommand = self.config.subcommand
        # Links want their source, also where defaults are left out.
        seeded = [subcommand, "--seed_everything", "0", *args[args.index(subcommand) + 1 :]]
        self.given = parser.parse_args(seeded, defaults=False)[subcommand]
        check_seed(self.settings.seed_everything)

    # ---- what was asked for

    @property
    def settings(self) -> Namespace:
        """The settings of the subcommand."""
        return self.config[self.config.subcommand]

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.settings.trainer.default_root_dir)
