"""What `config.json` says of the task that a model was fine-tuned for, read and written.

In: settings. Out: a `Task`; and back. Settings that say the same already stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lit_roberta.errors import must
from lit_roberta.exchange.names import CLASS_PREFIXES
from lit_roberta.exchange.tasks import CLASSES, LABELLED, Task
from lit_roberta.model.task_heads import TaskKind

_MOST = 10**6
"""Labels without names that nobody has: each is written out before there is a row for it."""


def read_task(config: Mapping[str, Any], place: str) -> Task | None:
    """Read what a model was fine-tuned for.

    Args:
        config: What `config.json` holds.
        place: Where it lies, for errors.

    Returns:
        None for a pretrained model.

    Raises:
        UserError: If the labels make no sense.
    """
    kinds = [kind for name in config.get("architectures") or [] if (kind := _kind_of(str(name)))]
    if not kinds:
        return None
    kind = kinds[0]
    is_of_text = kind == "sequence-classification"
    return Task(
        kind=kind,
        labels=_labels(config, place) if kind in LABELLED else (),
        problem_type=config.get("problem_type") if is_of_text else None,
        dropout=_rate(config.get("classifier_dropout"), place),
    )


def task_settings(task: Task, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Give what `config.json` says of a task.

    Args:
        task: The task.
        kept: What is kept of the `config.json` that the model came with. What says the same in it
            is left as it is.
    """
    found: dict[str, Any] = {}
    if task.labels and not (kept and _labels_or_none(kept) == task.labels):
        found["id2label"] = {str(row): label for row, label in enumerate(task.labels)}
        found["label2id"] = {label: row for row, label in enumerate(task.labels)}
        counts = [name for name in ("num_labels", "_num_labels") if name in kept]
        found |= dict.fromkeys(counts, len(task.labels))
    if task.dropout != kept.get("classifier_dropout"):
        found["classifier_dropout"] = task.dropout
    is_of_text = task.kind == "sequence-classification"
    if is_of_text and task.problem_type != kept.get("problem_type"):
        found["problem_type"] = task.problem_type
    return found


def _kind_of(name: str) -> TaskKind | None:
    for kind, ending in CLASSES.items():
        if name.endswith(ending) and name.removesuffix(ending) in CLASS_PREFIXES.values():
            return kind
    return None


def _rate(value: Any, place: str) -> float | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        remedy = "Take the model's own config.json."
        raise must(f"classifier_dropout in {place}", "be a number", value, remedy)
    return value


def _labels(config: Mapping[str, Any], place: str) -> tuple[str, ...]:
    found = _labels_or_none(config)
    if not found:
        named = ("num_labels", "_num_labels", "id2label")
        name = next(name for name in named if config.get(name) is not None)
        rule = "name the rows 0, 1, ..." if name == "id2label" else "be a number of labels"
        remedy = 'Such as "id2label": {"0": "no", "1": "yes"}.'
        raise must(f"{name} in {place}", rule, config[name], remedy)
    return found


def _labels_or_none(config: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Read the labels; None where they make no sense.

    A number of labels goes before names of another number, as in transformers.
    """
    named, count = config.get("id2label"), config.get("num_labels", config.get("_num_labels"))
    try:
        if named is None or (count is not None and count != len(named)):
            rows = range(2 if count is None else count)
            return tuple(f"LABEL_{row}" for row in rows) if len(rows) < _MOST else None
        names = {int(row): str(label) for row, label in dict(named).items()}
    except (TypeError, ValueError, OverflowError):
        return None
    return tuple(map(names.__getitem__, range(len(names)))) if _is_whole(names) else None


def _is_whole(rows: Mapping[int, str]) -> bool:
    return sorted(rows) == list(range(len(rows)))
