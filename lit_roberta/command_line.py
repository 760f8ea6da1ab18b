"""What all commands share: errors of one line, notices, help from docstrings."""

from __future__ import annotations

import logging
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import chain
from types import FrameType
from typing import NoReturn

from jsonargparse import ArgumentParser, set_parsing_settings

from lit_roberta.errors import UserError, error_behind, must

_UNKNOWN = re.compile(
    r"unrecognized arguments: --(?P<typed>[\w.-]+)|does not accept option '(?P<read>[\w.-]+)'"
)
"""How jsonargparse names a setting that does not exist: of the command line, and of a file."""


_WRONG_KIND = re.compile(
    r'Parser key "(?P<key>[^"]+)": (?:'
    r"Expected a (?P<kind>.+?)\. Got value:(?: (?P<value>.*))?|"
    r"Does not validate against any of the Union subtypes; Subtypes: \[(?P<kinds>.+)\]; "
    r"Errors: .*; Given value:(?: (?P<given>.*))?)"
)
"""How it says that a value is of another kind; a value that is empty is not written."""
_KINDS = {
    "<class 'int'>": ("a whole number", "Write it in digits, without a point."),
    "<class 'float'>": ("a number", "Write it in digits."),
    "<class 'bool'>": ("true or false", "Write one of them."),
    "<class 'NoneType'>": ("null", "Or leave it out."),
    "<class 'list'>": ("a list", "Write [a, b]."),
    "list[int]": ("a list of whole numbers", "Write [1, 2]."),
    "list[float]": ("a list of numbers", "Write [0.5, 2]."),
    "list[str]": ("a list", "Write [a, b]."),
    "list[str | int | float | bool]": ("a list", "Write [a, b]."),
}
_KIND = re.compile(r"<class '\w+'>|list\[[^\[\]]*\]|typing\.Literal\[(.*?)\]")
_SEE_HELP = "See --help for what they do."

_MISSING = re.compile(r"the following arguments are required: (?P<names>[\w, .-]+)")
"""How it says that something was not given."""


class OneLineErrors(ArgumentParser):
    """Raise UserError with one line where jsonargparse would print its usage and exit."""

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        """Turn an error of the command line or of a configuration file into one line."""
        line = one_line(message)
        wrong = _WRONG_KIND.fullmatch(line)
        if wrong and (rule := _rule_of(wrong["kind"] or wrong["kinds"])):
            value = (wrong["value"] if wrong["kind"] else wrong["given"]) or ""
            raise must(self._spelled(wrong["key"]), f"be {rule[0]}", value, rule[1]) from ex
        if missing := _MISSING.fullmatch(line):
            raise UserError(self._asking_for(missing["names"].split(", "))) from ex
        raise error_behind(ex, UserError) or UserError(line + self._suggestion(line)) from ex

    def _asking_for(self, names: Sequence[str]) -> str:
        """Say what was not given, as the help has it."""
        helps = {each.dest: each for each in self._actions if each.dest in names}
        shown = {
            name: (each.option_strings or [str(each.metavar or name).upper()])[0]
            for name, each in helps.items()
        }
        explained = [f"{shown[name]}: {each.help}" for name, each in helps.items() if each.help]
        return " ".join([f"{' and '.join(shown.values())} must be given.", *explained])

    def _spelled(self, key: str) -> str:
        """Write a setting as a person does: an option where there are no files of settings."""
        options = [] if "--config" in self._option_string_actions else self._actions
        found = [option for each in options if each.dest == key for option in each.option_strings]
        return found[0] if found else key

    def _suggestion(self, line: str) -> str:
        """Name the option that a person may have meant by one that does not exist."""
        unknown = _UNKNOWN.search(line)
        if unknown is None:
            return ""
        subcommands = getattr(self._subcommands_action, "choices", None) or {}
        known = chain(
            self._option_string_actions,
            *(parser._option_string_actions for parser in subcommands.values()),
        )
        dashes = "--" if unknown["typed"] else ""
        name = unknown["typed"] or unknown["read"]
        options = [option.removeprefix("--") for option in known if option.startswith("--")]
        close = get_close_matches(name, options, n=1, cutoff=0.8)
        return (
            f". Did you mean {dashes}{close[0]}?" if close else ". See --help for what there is."
        )


def one_line(message: str) -> str:
    r"""Press a message of several lines into one.

    Example:
        >>> one_line("Problem:\n  - first\n  - second\n")
        'Problem: first; second'
    """
    lines = [re.sub(r"^[\s\-]+", "", line).strip() for line in message.splitlines()]
    text = "; ".join(line for line in lines if line)
    return text.replace(":; ", ": ")


def _rule_of(kinds: str) -> tuple[str, str] | None:
    """Say what a value must be, and what to do; None for kinds that are not known here.

    Example:
        >>> _rule_of("typing.Literal['cls', 'mean'], <class 'NoneType'>")
        ('cls, mean or null', 'See --help for what they do.')
    """
    names: list[str] = []
    remedies: list[str] = []
    for kind in _KIND.finditer(kinds):
        is_choice = kind[1] is not None
        if not is_choice and kind[0] not in _KINDS:
            return None
        name, remedy = (kind[1].replace("'", ""), _SEE_HELP) if is_choice else _KINDS[kind[0]]
        names += name.split(", ")
        remedies.append(remedy)
    if not names or _KIND.sub("", kinds).strip(", "):
        return None
    return " or ".join([", ".join(names[:-1]), names[-1]][len(names) == 1 :]), remedies[0]


def read_attribute_docstrings(wanted: bool) -> None:
    """Let the text under each field of a settings class become its help, or not.

    It takes a second, which a start without `--help` need not wait for.
    """
    set_parsing_settings(docstring_parse_attribute_docstrings=wanted)


def exit_status_of(act: Callable[[], int | None], *, interrupted: str) -> int:
    """Run a command, with notices for a person and one line for an error.

    Args:
        act: What the command does; gives its exit status, None for 0.
        interrupted: What Ctrl-C leaves behind, as a sentence.

    Returns:
        The exit status: that of the command; 2 after an error of the user's; 130 after Ctrl-C.
    """
    with notices_on_stderr():
        try:
            return act() or 0
        except UserError as error:
            _tell(str(error))
            return 2
        except BaseException as error:
            # Lightning's own clean-up can fail after an interruption, and hides it behind that.
            if error_behind(error, KeyboardInterrupt) is None:
                raise
            _tell(interrupted)
            return 130


def _tell(line: str) -> None:
    """Write a line to stderr, if there is one that takes it: the exit status says the rest."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Let a request to end (SIGTERM) be an exception for a while: nothing half written stays.

    The process then exits with 143. Only the main thread may listen: in another, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


@contextmanager
def notices_on_stderr() -> Iterator[None]:
    """Send the package's notices to stderr for a while."""
    ours = logging.getLogger("lit_roberta")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    level = ours.level
    ours.addHandler(handler)
    ours.setLevel(logging.INFO)
    try:
        yield
    finally:
        ours.removeHandler(handler)
        ours.setLevel(level)


def part_settings(
    argv: Sequence[str], beginnings: tuple[str, ...]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Part the options of a command from settings that it hands on to its runs.

    Args:
        argv: The words.
        beginnings: How the names of the settings begin.

    Returns:
        The first as they are, the second by name and value.

    Raises:
        UserError: If a setting has no value.

    Example:
        >>> part_settings(["--jobs", "2", "--data.seed", "3"], ("data.",))
        (['--jobs', '2'], [('data.seed', '3')])
    """
    own: list[str] = []
    shared: list[tuple[str, str]] = []
    words = iter(argv)
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name.startswith(beginnings):
            own.append(word)
            continue
        if not equals:
            value = next(words, "--")
            if value.startswith("--"):
                raise must(word, "be followed by a value", value, f"Write {word} VALUE.")
        shared.append((name, value))
    return own, shared
