"""The one error that a user can cause, in the one form that its message has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

E = TypeVar("E", bound=BaseException)


class UserError(ValueError):
    """Something that the user asked for can't be done, said in one line.

    The command line prints the message alone and exits with status 2. Every other exception is a
    fault of ours and keeps its traceback.
    """


def must(name: str, rule: str, value: object, remedy: str) -> UserError:
    """Build the error for a setting that breaks a rule.

    Args:
        name: The setting, as the user wrote it.
        rule: What must hold, as the end of the sentence "<name> must ...".
        value: What was given.
        remedy: What to do, a whole sentence.

    Returns:
        The error, to be raised by the caller (so that a reader sees the `raise`).

    Example:
        >>> str(must("rate", "lie between 0 and 1", 15, "For 15%, give 0.15."))
        'rate must lie between 0 and 1, got 15. For 15%, give 0.15.'
    """
    return UserError(f"{name} must {rule}, got {value!r}. {remedy}")


def error_behind(error: BaseException | None, kind: type[E]) -> E | None:
    """Find an error of a kind that libraries wrapped in theirs, once or more.

    Args:
        error: The outermost.
        kind: What to look for.

    Returns:
        The first of that kind, the outermost itself included; None where there is none.
    """
    return next((each for each in errors_behind(error) if isinstance(each, kind)), None)


def errors_behind(error: BaseException | None) -> Iterator[BaseException]:
    """Give an error, and those that it was raised from or after, each once.

    One that a library wrapped and that was then taken out of its wrapping and raised again stands
    behind itself.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
