"""What the commands about text ask for: sources, how to read them, tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from lit_roberta.command_line import OneLineErrors
from lit_roberta.data.corpus.split import SplitUnit
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.place import check_place
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.data.work import num_processors
from lit_roberta.errors import UserError, must

_SOURCES = (
    "toy, python-docs, a file (.txt, .jsonl, .csv, .tsv, .parquet, each also .gz or .zst), a "
    "folder, a glob, or hub:OWNER/NAME. Several by names: books=PATH news=PATH."
)


def text_parser(description: str) -> ArgumentParser:
    """Build a parser with what all commands about text share.

    Args:
        description: What the command does.
    """
    parser = OneLineErrors(description=description, allow_abbrev=False)
    parser.add_argument("--config", action="config", help="A YAML file of these settings.")
    parser.add_argument("--corpus", type=str, nargs="+", required=True, help=_SOURCES)
    parser.add_argument("--output", type=str, required=True, help="The folder to make.")
    parser.add_argument("--validation_corpus", type=str | None, help="Text of your own.")
    parser.add_argument("--test_corpus", type=str | None, help="Text of your own.")
    parser.add_argument("--split_by", type=SplitUnit, default="document")
    parser.add_argument(
        "--deduplicate",
        type=bool,
        default=False,
        help="Leave out every document that is equal to an earlier one.",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=num_processors(),
        help="Processes beside this one; 0 for none.",
    )
    parser.add_class_arguments(ReadingConfig, "reading")
    return parser


def spelled_here(words: Sequence[str], prefix: str = "--data.") -> list[str]:
    """Take settings as training spells them, which is how errors and notes name them.

    Args:
        words: The arguments.
        prefix: What settings begin with there, and not here.

    Example:
        >>> spelled_here(["--data.reading.text_column", "body"])
        ['--reading.text_column', 'body']
    """
    return [
        f"--{word.removeprefix(prefix)}" if word.startswith(prefix) else word for word in words
    ]


def output_folder(output: str) -> Path:
    """Find the place that `--output` names, before any work is done for it.

    Raises:
        UserError: If something else is there, or nothing can be written there.
    """
    try:
        folder = Path(output).expanduser().resolve()
        check_place(folder)
    except OSError as error:
        raise must(
            "output", "be writable", output, f"The system says: {error.strerror}."
        ) from error
    except (RuntimeError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise must("output", "be a path", output, f"It fails with: {error}.") from error
    return folder


def read_sources(words: Sequence[str]) -> str | dict[str, str]:
    """Turn what `--corpus` says into a source, or several by name.

    Raises:
        UserError: If several are given without a name each, or two by one name.

    Example:
        >>> read_sources(["a.txt"]), read_sources(["books=a.txt", "news=b.jsonl"])
        ('a.txt', {'books': 'a.txt', 'news': 'b.jsonl'})
    """
    if len(words) == 1 and (Path(words[0]).exists() or "=" not in words[0]):
        return words[0]
    return dict(_named("corpus", words, "books=PATH"))


def read_weights(words: Sequence[str] | None) -> dict[str, float] | None:
    """Turn what `--weights` says into the share of each source.

    Raises:
        UserError: If one is no number, or two have one name.
    """
    if words is None:
        return None
    weights = {}
    for name, value in _named("weights", words, "books=0.7"):
        try:
            weights[name] = float(value)
        except ValueError as error:
            rule = "be shares by the names of sources"
            raise must("weights", rule, f"{name}={value}", "Write books=0.7 news=0.3.") from error
    return weights


def text_config(
    asked: Namespace, tokenizer: TokenizerConfig, *, weights: dict[str, float] | None = None
) -> TextConfig:
    """Turn a command line into the settings of a text.

    Args:
        asked: What a `text_parser` read.
        tokenizer: The settings of the tokenizer.
        weights: The share of each source in training, by its name.

    Raises:
        UserError: If the sources have no names, or a number can't be.
    """
    if asked.workers < 0:
        raise must("workers", "be 0 or more", asked.workers, "Give 0 for none beside this one.")
    return TextConfig(
        corpus=read_sources(asked.corpus),
        validation_corpus=asked.validation_corpus,
        test_corpus=asked.test_corpus,
        split_by=asked.split_by,
        weights=weights,
        deduplicate=asked.deduplicate,
        reading=ReadingConfig(**asked.reading.as_dict()),
        tokenizer=tokenizer,
    )


def _named(setting: str, words: Sequence[str], example: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            remedy = f"Write {example}, one for each source."
            raise must(setting, "give each of several sources a name", word, remedy)
        if name in dict(pairs):
            raise must(setting, "name each source once", f"{name} twice", "Rename one of them.")
        pairs.append((name, value))
    return pairs
