"""The parser behind the command line: errors of one line, help from docstrings."""

from __future__ import annotations

import re
from typing import NoReturn

from jsonargparse import set_parsing_settings
from pytorch_lightning.cli import LightningArgumentParser

from lit_roberta.errors import UserError


class OneLineParser(LightningArgumentParser):
    """Raise UserError with one line where jsonargparse would print its usage and exit."""

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        """Turn an error of the command line or of a configuration file into one line."""
        cause: BaseException | None = ex
        while cause is not None:
            # A setting's own rule says it best; jsonargparse wraps it once or more.
            if isinstance(cause, UserError):
                raise cause
            cause = cause.__cause__ or cause.__context__
        raise UserError(one_line(message)) from ex


def one_line(message: str) -> str:
    r"""Press a message of several lines into one.

    Example:
        >>> one_line("Problem:\n  - first\n  - second\n")
        'Problem: first; second'
    """
    lines = [re.sub(r"^[\s\-]+", "", line).strip() for line in message.splitlines()]
    text = "; ".join(line for line in lines if line)
    return text.replace(":; ", ": ")


def read_attribute_docstrings() -> None:
    """Let the text under each field of a settings class become its help."""
    set_parsing_settings(docstring_parse_attribute_docstrings=True)
