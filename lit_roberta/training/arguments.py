"""The command line before it is parsed: the order of files, shipped files, the default folder.

In: the words that a person typed. Out: words that jsonargparse reads in the sense that the
person meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import lit_roberta
from lit_roberta.errors import must
from lit_roberta.training.checkpoint_files import CHECKPOINT_FOLDER
from lit_roberta.training.config_files import check_config_file

SUBCOMMANDS = ("fit", "validate", "test", "predict")
_CONFIG_FLAGS = ("--config", "-c")
_SHORT = ("--tokenizer.", "--reading.")
"""As `lit-roberta prepare` spells what belongs to the data here."""


def arrange(argv: Sequence[str], *, unnamed: str = "pretraining") -> list[str]:
    """Put configuration files before all other arguments, and give the run its default folder.

    jsonargparse reads from left to right, so `--data.batch_size 8 --config x.yaml` would take
    x's batch size. A person who names a setting on the command line means it, wherever it
    stands.

    Args:
        argv: The arguments, without the program's name.
        unnamed: What the folder of a run without a configuration file is called.

    Returns:
        The subcommand, the default folder (but for fit, that of a run whose checkpoint is named
        as a file), the configuration files in their order, the rest, in which `--tokenizer.x` is
        short for `--data.tokenizer.x`, and `--reading.x` for `--data.reading.x`.

    Raises:
        UserError: If the subcommand does not come first, or if a configuration file does not
            exist, here or among the shipped ones, or can't be one.

    Example:
        >>> arrange(["fit", "--data.batch_size", "8"])
        ['fit', '--trainer.default_root_dir', 'runs/pretraining', '--data.batch_size', '8']
        >>> arrange(["fit", "--reading.language", "de"])[3:]
        ['--data.reading.language', 'de']
    """
    if not argv or argv[0] in ("-h", "--help"):
        return list(argv)
    subcommand, *words = argv
    if subcommand not in SUBCOMMANDS:
        rule = f"be {', '.join(SUBCOMMANDS[:-1])} or {SUBCOMMANDS[-1]}"
        raise must("the first word", rule, subcommand, "Files and settings come behind it.")
    configs, rest = _take_configs(words)
    found = [find_config(name) for name in configs]
    for path in found:
        check_config_file(path)
    folder = _run_of_checkpoint(rest) if subcommand != "fit" else None
    name = found[0].stem if found else unnamed
    flags = [f"--config={path}" for path in found]  # in one word: a name may begin with a dash
    root = ["--trainer.default_root_dir", str(folder or f"runs/{name}")]
    said = [f"--data.{word[2:]}" if word.startswith(_SHORT) else word for word in rest]
    return [subcommand, *root, *flags, *said]


def _take_configs(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part arguments into the names of configuration files and all others, each in their order."""
    configs: list[str] = []
    rest: list[str] = []
    pending = iter(words)
    for word in pending:
        flag, equals, value = word.partition("=")
        if flag not in _CONFIG_FLAGS:
            rest.append(word)
        elif equals:
            configs.append(value)
        else:
            value = next(pending, "")
            if not value:
                raise must("--config", "be followed by a file", word, "Give the path of one.")
            configs.append(value)
    return configs, rest


def configs_of(argv: Sequence[str]) -> list[str]:
    """Name the configuration files of a command line, as they were given.

    Raises:
        UserError: If the flag stands at its end.
    """
    return _take_configs(argv)[0]


def _run_of_checkpoint(words: Sequence[str]) -> Path | None:
    """Find the run's folder of a checkpoint that is named as a file; None for any other."""
    for place, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag == "--ckpt_path":
            path = Path(value if equals else "".join(words[place + 1 : place + 2]))
            return path.parent.parent if path.parent.name == CHECKPOINT_FOLDER else None
    return None


def find_config(name: str, *, asked_by: str = "--config") -> Path:
    """Find a configuration file: a path, or else one of those that ship with the package.

    Args:
        name: A path as it is; or, where nothing lies there, a shipped file as `configs/bert.yaml`,
            `bert.yaml` or `bert`, `size/small.yaml` or `size/small`.
        asked_by: The words that named it, for the message.

    Raises:
        UserError: If there is no such file.
    """
    path = Path(name)
    if lies_there(path):
        return path
    folder = shipped_configs()
    for candidate in (folder.parent / name, folder / name, folder / f"{name}.yaml"):
        # A name must not leave the folder: `../x` is a path, and nothing lies there.
        if lies_there(candidate) and folder.resolve() in candidate.resolve().parents:
            return candidate
    shipped = sorted(
        str(file.relative_to(folder).with_suffix("")) for file in folder.rglob("*.yaml")
    )
    close = get_close_matches(name.removesuffix(".yaml"), shipped, n=1)
    remedy = f"Did you mean {close[0]}?" if close else f"Shipped are: {', '.join(shipped)}."
    raise must(asked_by, "name a file", name, remedy)


def lies_there(path: Path) -> bool:
    """Tell whether a path is a file's; one that no system takes, such as a longer one, is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def shipped_configs() -> Path:
    """Give the folder of the shipped files: in the package, or beside it in a checkout."""
    package = Path(lit_roberta.__file__).parent
    installed = package / "configs"
    return installed if installed.is_dir() else package.parent / "configs"
