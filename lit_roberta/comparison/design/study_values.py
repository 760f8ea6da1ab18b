"""The values of a study file, looked at before any of them is used.

In: a YAML file. Out: its values, of which each is of the kind that its place asks for. What is
wrong is said before anything is trained; a report that can't be written would say it afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml

from lit_roberta.comparison.design.budget import Unit
from lit_roberta.comparison.judging.designs import Judge, PaperTable
from lit_roberta.errors import UserError, must
from lit_roberta.training.config_files import check_config_file

_JUDGES: tuple[Judge, ...] = get_args(Judge)
_PAPER = {"source", "columns", "rows", "note"}
_BUDGET = {"unit", "amount"}

OPTIONS: dict[str, type] = {
    "recipes": list,
    "ladder": list,
    "order": list,
    "grid": dict,
    "halving": int,
    "seeds": int,
    "order_seeds": int,
    "tune_lr": int,
    "probes": bool,
    "finetune": list,
    "budget": dict,
    "budgets": str,
    "config": list,
}
"""What a file may say of what `compare.py` has an option for, and as what."""

_COMPARED = ("arms", "recipes", "ladder")
"""Each says what is compared; a grid stands on the first two, or alone."""


def known_keys() -> list[str]:
    """Name what a file may hold."""
    own = ["title", "question", "judge", "base", "arms", "settings", "paper", "asks"]
    return [*own, *OPTIONS]


def read_values(path: Path) -> dict[str, Any]:
    """Read a study's file.

    Raises:
        UserError: If it can't be read, or something in it is of another kind than its place asks.
    """
    check_config_file(path)
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError) as error:  # a tag that nobody knows, or does not fit
        problem = " ".join(str(getattr(error, "problem", None) or error).split())
        raise UserError(f"{path} must be valid YAML, got: {problem}. Write it plainly.") from error
    _require_plain(values, path)
    _check_keys(values, path)
    _check_compared(values, path)
    for key in set(OPTIONS) & set(values):
        _check_option(key, values[key], path)
    return dict(values)


def wrong(path: Path, rule: str, value: object) -> UserError:
    """Build the error for a study that breaks a rule."""
    return must(str(path), rule, value, "See the shipped ones for the form.")


def paper_table(values: Any, path: Path) -> PaperTable | None:
    """Read what a paper found; None where the file has nothing of it.

    Raises:
        UserError: If it is no table with a source.
    """
    if values is None:
        return None
    if not isinstance(values, dict) or not _PAPER - {"note"} <= set(values) <= _PAPER:
        raise wrong(path, "have of a paper source, columns, rows and perhaps a note", values)
    columns, rows, note = values["columns"], values["rows"], values.get("note", "")
    for key, text in (("source", values["source"]), ("note", note)):
        if not isinstance(text, str):
            raise wrong(path, f"give the paper's {key} in words", text)
    if not _is_table(columns, rows):
        raise wrong(path, "give in each row of the paper a value for each column", rows)
    return PaperTable(
        source=values["source"],
        columns=["", *map(str, columns)],
        rows=[[str(name), *row] for name, row in rows.items()],
        note=note,
    )


def _is_table(columns: Any, rows: Any) -> bool:
    cells = (str, int, float, type(None))
    return (
        isinstance(columns, list)
        and all(isinstance(name, (str, int, float)) for name in columns)
        and isinstance(rows, dict)
        and all(isinstance(row, list) and len(row) == len(columns) for row in rows.values())
        and all(isinstance(cell, cells) for row in rows.values() for cell in row)
    )


def _require_plain(value: Any, path: Path) -> None:
    """Refuse what neither a command line nor a report can hold, such as a date."""
    if isinstance(value, dict):
        parts: Sequence[Any] = [*value, *value.values()]
    else:
        parts = value if isinstance(value, list) else []
    for part in parts:
        _require_plain(part, path)
    plain = isinstance(value, (str, int, float, dict, list, type(None)))
    if not plain or (isinstance(value, float) and not math.isfinite(value)):
        raise wrong(path, "hold words, finite numbers, true, false and null", str(value))


def _check_keys(values: Mapping[str, Any], path: Path) -> None:
    for key in values:
        if key not in known_keys():
            raise wrong(path, f"hold only {', '.join(known_keys())}", key)
    for key in ("title", "question"):
        if not isinstance(values.get(key), str):
            raise wrong(path, f"have a {key}", values.get(key))
    if values.get("judge") not in _JUDGES:
        raise wrong(path, f"name its judge: {', '.join(_JUDGES)}", values.get("judge"))
    _check_mappings(values, path)


def _check_mappings(values: Mapping[str, Any], path: Path) -> None:
    for key in ("settings", "asks"):
        if not isinstance(values.get(key) or {}, dict):
            raise wrong(path, f"hold {key} as `name: value`", values[key])
    asks = values.get("asks") or {}
    if not all(isinstance(word, str) for asked in asks.items() for word in asked):
        raise wrong(path, "say in words what it asks for", asks)


def _check_compared(values: Mapping[str, Any], path: Path) -> None:
    """Refuse a file that says nothing of what is compared, or says it twice."""
    given = [key for key in _COMPARED if values.get(key) is not None]
    if not any(values.get(key) for key in (*_COMPARED, "grid")) and values.get("arms") is None:
        raise wrong(path, "name what is compared: arms, recipes, ladder or grid", sorted(values))
    if len(given) > 1:
        raise wrong(path, "say once what is compared", " and ".join(given))
    if "base" in values and "arms" not in values:
        raise wrong(path, "have arms where it has a base for them", values["base"])


def _check_option(key: str, value: Any, path: Path) -> None:
    kind = OPTIONS[key]
    fits = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
    if not fits:
        raise wrong(path, f"give {key} as {kind.__name__}", value)
    if kind is list and not all(isinstance(each, str) for each in value):
        raise wrong(path, f"give {key} as a list of words", value)
    if key == "grid":
        for setting, values in value.items():
            if not isinstance(setting, str) or not isinstance(values, list):
                raise wrong(path, "give the grid as `setting: [value, value]`", value)
    if key == "budget":
        _check_budget(value, path)


def _check_budget(budget: Mapping[str, Any], path: Path) -> None:
    unit, amount = budget.get("unit", "tokens"), budget.get("amount")
    is_number = isinstance(amount, (int, float)) and not isinstance(amount, bool)
    if not set(budget) <= _BUDGET or unit not in get_args(Unit):
        units = ", ".join(get_args(Unit))
        raise wrong(path, f"give budget as `unit` ({units}) and `amount`", budget)
    if amount is not None and not is_number:
        raise wrong(path, "give the amount of the budget as a number", amount)
