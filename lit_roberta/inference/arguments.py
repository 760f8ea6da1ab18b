"""What the commands that use a model share: the model, where it runs, and texts that are long."""

from __future__ import annotations

from collections.abc import Sequence

from jsonargparse import ArgumentParser, Namespace

from lit_roberta.command_line import OneLineErrors
from lit_roberta.errors import must
from lit_roberta.inference.inputs import holds_rows
from lit_roberta.inference.text_model import TextModel, load_model
from lit_roberta.inference.texts import OnTooLong

_COLUMNS = {"text_column": "text", "good_column": "good", "bad_column": "bad"}
"""What they are called where nothing is said."""


def model_parser(name: str, description: str) -> ArgumentParser:
    """Build a parser with what all these commands share.

    Args:
        name: Of the command.
        description: What it does.
    """
    parser = OneLineErrors(prog=f"lit-roberta {name}", description=description, allow_abbrev=False)
    parser.add_argument(
        "model", metavar="MODEL", type=str, help="A checkpoint, or an exported folder."
    )
    parser.add_argument(
        "--on-too-long",
        type=OnTooLong,
        default="truncate",
        help="What is done with a text of more tokens than the model takes.",
    )
    parser.add_argument(
        "--device", type=str, default="auto", help="cpu, cuda, cuda:1; auto: CUDA if there is any."
    )
    parser.add_argument(
        "--bfloat16", action="store_true", help="Multiply in bfloat16: faster on GPUs, less exact."
    )
    return parser


def add_input(parser: ArgumentParser) -> None:
    """Ask for a file of texts."""
    parser.add_argument(
        "--input",
        type=str,
        required=True,
        help="Lines of text; rows of .jsonl, .csv, .tsv or .parquet; also packed as .gz or .zst; "
        "- for lines of standard input.",
    )
    parser.add_argument(
        "--text-column", type=str, default="text", help="Of rows: the column of their text."
    )


def check_columns(asked: Namespace, read: Sequence[str]) -> None:
    """Refuse the name of a column that nothing would read.

    Args:
        asked: What was read.
        read: Which of the names would be read, if the input holds rows.

    Raises:
        UserError: If another one is given, or there are no rows.
    """
    for name, default in _COLUMNS.items():
        given, option = asked.get(name, default), f"--{name.replace('_', '-')}"
        if given != default and name not in read:
            rule = f"be left out with{'out' * (name != 'text_column')} --pairs"
            raise must(option, rule, given, "It would not be read.")
        if given != default and not holds_rows(asked.input):
            remedy = "Lines have no columns: name a file of rows."
            raise must(option, "be left out without rows", given, remedy)


def add_output(parser: ArgumentParser, kinds: str) -> None:
    """Ask for a file to write, of some kinds."""
    parser.add_argument(
        "--output",
        type=str | None,
        help=f"A file, {kinds}; without it, lines of JSON go to standard output.",
    )
    parser.add_argument("--overwrite", action="store_true", help="Replace a file that is there.")


def model_of(asked: Namespace, *, predicts: bool = False) -> TextModel:
    """Load the model that a command line names.

    Args:
        asked: What a `model_parser` read.
        predicts: Whether it has to predict tokens.

    Raises:
        UserError: If there is none that can do it.
    """
    return load_model(asked.model, device=asked.device, bfloat16=asked.bfloat16, predicts=predicts)
