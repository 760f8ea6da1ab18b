"""What the card of a fine-tuned model says of its run: rows of a table.

In: the facts. Out: names and values. What was not measured is said to be so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lit_roberta.exchange.run_facts import FinetuningFacts

_USUAL = {"freeze": "nothing", "class_weights": "none", "label_smoothing": 0.0}
"""Settings that are only told of where they are others."""


def finetuning_rows(run: FinetuningFacts) -> Iterator[tuple[str, str]]:
    """Give the rows."""
    yield "task", code(run.task)
    for name, value in run.options.items():
        yield name.replace("_", " "), f"`{code(_spelled(value))}`"
    yield "started from", f"`{code(run.started_from)}`"
    counts = ", ".join(f"{count:,} of {part}" for part, count in run.num_examples.items())
    digest = run.conditions["the training examples"]
    yield "examples", f"{_files(run.data)}: {counts}; digest of training `{digest}`"
    yield "input", f"up to {run.max_length} tokens; longer text is cut"
    yield "updates", f"{run.updates:,} of {run.total_updates:,}"
    yield "batch", f"{run.conditions['data.batch_size']:,} examples an update"
    yield "tokens", f"{run.num_tokens:,}, without padding"
    optimizer, schedule = run.settings["optimizer"], run.settings["schedule"]
    yield "learning rate", f"{optimizer['lr']:g} at its highest, {schedule['kind']}"
    for name, usual in _USUAL.items():
        if run.settings[name] != usual:
            yield name.replace("_", " "), code(str(run.settings[name]))
    yield "seed", str(run.conditions["seed_everything"])
    processes = run.conditions["processes"]
    machine = f"{processes} process{'es' * (processes != 1)}, {run.conditions['device']}"
    yield "machine", f"{machine}, precision {run.conditions['precision']}"
    update = run.validated.get("update")
    when = f", at update {update:,.0f}" if update and update != run.updates else ""
    yield "validation" + when, _scores(run)
    yield "test", "not recorded"


def code(text: str) -> str:
    """Keep a path from ending its own quotation or its cell of a table."""
    return text.replace("`", "'").replace("|", "/").replace("\n", " ")


def _spelled(value: Any) -> str:
    """Write an option: of a mapping, each entry."""
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{name}={each}" for name, each in value.items())


def _files(data: Mapping[str, Any]) -> str:
    """Name where the examples came from; a file for each label is several."""
    named: list[str] = []
    for part in ("train", "validation", "test"):
        source = data[part]
        named += source.values() if isinstance(source, dict) else [source] if source else []
    return ", ".join(f"`{code(str(each))}`" for each in named or [str(data["folder"])])


def _scores(run: FinetuningFacts) -> str:
    found = [(tag, value) for tag, value in run.validated.items() if tag.startswith("val")]
    spelled = [f"{tag.removeprefix('val/')} {value:.4f}" for tag, value in found]
    return ", ".join(spelled) or "not measured"
