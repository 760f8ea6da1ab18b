"""Whether values are of the kinds that a data class says, as far down as it says it.

In: values that were read from a file, as data classes. Out: the name of the first field that holds
something else. A type checker has seen the code, but not the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def misfit(value: Any, name: str = "") -> str | None:
    """Find a field that holds something else than its annotation says.

    Args:
        value: Of a data class.
        name: Of the value itself, where it is a field of another one.

    Returns:
        Its dotted name; None where everything fits.

    Example:
        >>> from lit_roberta.comparison.facts import PartFacts
        >>> misfit(PartFacts(documents=3, sentences="x", tokens=9, unk_share=0))
        'sentences'
    """
    hints = get_type_hints(type(value))
    found = (
        _misfit(getattr(value, each.name), hints[each.name], f"{name}.{each.name}".lstrip("."))
        for each in fields(value)
    )
    return next((one for one in found if one is not None), None)


def _misfit(value: Any, kind: Any, name: str) -> str | None:
    if get_origin(kind) in (Union, UnionType):
        each = [_misfit(value, one, name) for one in get_args(kind)]
        return None if None in each else each[0]
    if is_dataclass(kind):
        return misfit(value, name) if isinstance(value, kind) else name  # type: ignore[arg-type]
    if get_origin(kind) in (list, dict, tuple):
        if not isinstance(value, get_origin(kind)):
            return name
        found = (_misfit(part, one, name) for part, one in _parts(value, kind))
        return next((one for one in found if one is not None), None)
    return None if _is_one(value, kind) else name


def _parts(value: Any, kind: Any) -> Iterator[tuple[Any, Any]]:
    """Give what a list, a mapping or a tuple holds, each with its kind."""
    kinds = get_args(kind)
    if isinstance(value, dict):
        for key, part in value.items():
            yield key, kinds[0]
            yield part, kinds[1]
    elif isinstance(value, tuple):
        yield from zip(value, kinds, strict=True)
    else:
        yield from ((part, kinds[0]) for part in value)


def _is_one(value: Any, kind: Any) -> bool:
    """Tell whether a single value is of a kind; a whole number is a number, too."""
    if kind is Any:
        return True
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is NoneType or kind is None:
        return value is None
    if kind in (int, float):
        is_number = isinstance(value, (int, kind)) and not isinstance(value, bool)
        return is_number and math.isfinite(value)
    return isinstance(value, kind)
