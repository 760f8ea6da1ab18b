"""Study files: a question, the arms that answer it, who judges, and what the papers found.

In: a YAML file. Out: variants of recipes, options of `compare.py` as the file gives them, and what
the report says of the study. The command line wins over the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lit_roberta.comparison.design.study_values import (
    OPTIONS,
    paper_table,
    read_values,
    wrong,
)
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.judging.designs import Design, Judge, PaperTable
from lit_roberta.errors import UserError, must
from lit_roberta.training.arguments import find_config, lies_there, shipped_configs
from lit_roberta.training.checkpoint_settings import flatten

_LIKE = "like"
"""In place of a setting: the sizes and the tokenizer of a model that is there, its weights not."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """One question and how it is asked."""

    name: str
    title: str
    question: str
    judge: Judge
    variants: list[Variant] = field(default_factory=list)
    """The arms; none where the options say which recipes, ladder or grid there are."""
    options: dict[str, Any] = field(default_factory=dict)
    """Of `compare.py`, by their names in Python."""
    settings: list[str] = field(default_factory=list)
    """For all arms, as `data.max_length=128`."""
    paper: PaperTable | None = None

    def of(self, design: Design) -> Design:
        """Say of a design what the file says of it."""
        return replace(design, question=self.question, judge=self.judge, paper=self.paper)


def study_names() -> list[str]:
    """Name the studies that ship with the package."""
    return sorted(path.stem for path in (shipped_configs() / "studies").glob("*.yaml"))


def read_study(name: str, *, given: Mapping[str, str] | None = None) -> Study:
    """Read a study.

    Args:
        name: A path, or a shipped study by its name.
        given: What the file asks for, by its name, as the model to go on from.

    Raises:
        UserError: If there is no such file, or something in it makes no sense.
    """
    path = _find(name)
    values = _filled(read_values(path), path, given or {})
    return Study(
        name=path.stem,
        title=values["title"],
        question=values["question"],
        judge=values["judge"],
        variants=_variants(values, path),
        options={key: values[key] for key in OPTIONS if key in values},
        settings=as_words(values.get("settings") or {}),
        paper=paper_table(values.get("paper"), path),
    )


def as_words(settings: Mapping[str, Any]) -> list[str]:
    """Write settings as a command line has them.

    Example:
        >>> as_words({"data": {"masking": {"copies": None}}, "model.optimizer.lr": 0.001})
        ['data.masking.copies=null', 'model.optimizer.lr=0.001']
    """
    return [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}"
        for key, value in flatten(settings)
    ]


def _find(name: str) -> Path:
    try:
        return find_config(name if lies_there(Path(name)) else f"studies/{name}")
    except UserError:
        remedy = f"There are {', '.join(study_names())}; or give the path of a file of your own."
        raise must("--study", "name a study", name, remedy) from None


# ---- what the file leaves to its reader


def _filled(values: dict[str, Any], path: Path, given: Mapping[str, str]) -> dict[str, Any]:
    """Put what was asked for in the place of its name in braces."""
    asks: Mapping[str, str] = values.get("asks") or {}
    for name in given:
        if name not in asks:
            remedy = f"{path.name} asks for {', '.join(asks) or 'nothing'}."
            raise must("--set", "name what the study asks for", name, remedy)
    for name, what in asks.items():
        if name not in given:
            raise must("--set", f"give {name}, {what}", None, f"Write --set {name}=VALUE.")
    filled: dict[str, Any] = _replaced(values, {f"{{{name}}}": given[name] for name in asks})
    return filled


def _replaced(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


# ---- arms


def _variants(values: Mapping[str, Any], path: Path) -> list[Variant]:
    arms = values.get("arms")
    if arms is None:
        return []
    if not isinstance(arms, dict) or not arms:
        raise wrong(path, "hold arms as `name: {setting: value}`", arms)
    base = values.get("base")
    if not isinstance(base, str):
        raise wrong(path, "name the recipe that its arms stand on: base", base)
    return [_variant(str(name), settings, base, path) for name, settings in arms.items()]


def _variant(name: str, settings: Any, base: str, path: Path) -> Variant:
    if not isinstance(settings or {}, dict):
        raise wrong(path, f"hold the settings of {name} as `setting: value`", settings)
    own = dict(settings or {})
    like, source = own.pop(_LIKE, None), own.pop("base", base)
    for key, value in ((_LIKE, "" if like is None else like), ("base", source)):
        if not isinstance(value, str):
            raise wrong(path, f"give {key} of {name} in words", value)
    words = as_words(own) if like is None else [*settings_like(like), *as_words(own)]
    return Variant(source=source, settings=tuple(words), name=name)


def settings_like(source: str) -> list[str]:
    """Give the settings of an encoder of a model's sizes, and of its tokenizer.

    Args:
        source: A Hugging Face folder or name with a tokenizer.

    Raises:
        UserError: If it can't be read, or has no tokenizer.
    """
    from lit_roberta.training.starting import Start  # reads weights: only where it is asked for

    encoder = Start.read(source).pretrained.encoder
    sizes = {each.name: getattr(encoder, each.name) for each in fields(encoder)}
    left_out = ("vocab_size", "tanh_pooler")  # these follow from tokenizer and recipe
    words = as_words({f"model.encoder.{k}": v for k, v in sizes.items() if k not in left_out})
    return [*words, f"data.tokenizer.path={source}"]
