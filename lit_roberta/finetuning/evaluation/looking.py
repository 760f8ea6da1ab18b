"""Models and tasks, read and checked before the first run is made.

In: names. Out: what they are, with a digest of their content: a finished run is only used again
where it is the same run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch

from lit_roberta.errors import UserError, must
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.cli import FinetuningCLI
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.run_checks import check_labels
from lit_roberta.training.arguments import arrange
from lit_roberta.training.checkpoint_settings import flatten
from lit_roberta.training.cli import errors_in_one_line
from lit_roberta.training.console import without_small_talk

_NOT_OF_THE_TASK = (
    "data.folder",
    "data.train",
    "data.validation",
    "data.test",
    "data.seed",
    "data.batch_size",
    "data.num_workers",
    "model.seed",
    "model.pretrained",
    "model.optimizer.lr",
    "trainer.default_root_dir",
    "trainer.logger",
    "trainer.enable_progress_bar",
)
"""Said elsewhere, by content, or of no influence on what is learned."""


@dataclass(frozen=True, kw_only=True)
class EvaluatedModel:
    """A model that tasks start from."""

    name: str
    """Of its folder, and in tables."""
    source: str
    digest: str
    """Of its weights, sizes and tokenizer."""
    pretrained: Pretrained
    """Without its weights."""


@dataclass(frozen=True, kw_only=True)
class EvaluatedTask:
    """A task that models learn."""

    name: str
    arguments: tuple[str, ...]
    """Of `fit`: all that does not differ between runs."""
    lr: float
    """As configured."""
    batch_size: int
    metric: str
    """The score that a model is judged by."""
    higher_is_better: bool
    has_validation: bool
    settings: Mapping[str, Any]
    """All settings of training that do not differ between runs, by their full names."""
    digest: str
    """Of the examples."""


def look_at_models(names: Sequence[str]) -> list[EvaluatedModel]:
    """Read models.

    Args:
        names: What each is read from, or `NAME=` and that.

    Raises:
        UserError: If one can't be read, or two would have one name.
    """
    models: list[EvaluatedModel] = []
    for given in names:
        called, source = _part(given)
        pretrained = load_pretrained(source)
        model = EvaluatedModel(
            name=called,
            source=source,
            digest=_digest_of_model(pretrained),
            pretrained=replace(pretrained, weights={}),
        )
        if called in {each.name for each in models}:
            remedy = f"Call one otherwise: NAME={source}."
            raise must("the models", "have names of their own", called, remedy)
        models.append(model)
    return models


def _part(given: str) -> tuple[str, str]:
    """Part NAME=SOURCE; find a name where none was given."""
    called, equals, source = given.partition("=")
    if equals and called and "/" not in called and not Path(given).exists():
        if called.startswith("."):
            raise must("the name of a model", "begin otherwise", called, "Take a word.")
        return called, source
    path = Path(given)
    if path.suffix != ".ckpt":
        return path.name.partition("@")[0] or "model", given
    in_run = path.resolve().parent.name == "checkpoints"
    return (path.resolve().parent.parent.name if in_run else path.stem) or "model", given


def look_at_task(
    name: str, arguments: Sequence[str], models: Sequence[EvaluatedModel]
) -> EvaluatedTask:
    """Read a task's examples, and see that each model can take them.

    Args:
        name: What to call it.
        arguments: Of `fit`, without what differs between runs.
        models: At least one.

    Raises:
        UserError: If a run would not start.
    """
    words = ["fit", *arguments, f"--model.pretrained={models[0].source}"]
    with errors_in_one_line():
        looked = _Looked(arrange(words), models[0].pretrained)
    data = looked.datamodule
    assert isinstance(data, FinetuningDataModule)
    for model in models:
        try:
            data.use_model(model.pretrained)
        except UserError as error:
            raise UserError(f"{name} with {model.name}: {error}") from error
    data.items("validation")
    check_labels(data)
    return EvaluatedTask(
        name=name,
        arguments=tuple(arguments),
        lr=looked.settings.model.optimizer.lr,
        batch_size=data.batch_size,
        metric=data.task.monitor,
        higher_is_better=data.task.higher_is_better,
        has_validation=any(data.examples("validation").values()),
        settings=looked.settings_of_task(),
        digest=_digest_of_examples(data),
    )


class _Looked(FinetuningCLI):
    """A run as it would be built, without a trainer, and not started."""

    def __init__(self, argv: Sequence[str], pretrained: Pretrained) -> None:
        self._model = pretrained
        super().__init__(argv)

    @property
    def leaves_no_trace(self) -> bool:
        """Say that nothing is written."""
        return True

    def _parse_ckpt_path(self) -> None:
        self.pretrained = self._model

    def before_instantiate_classes(self) -> None:
        """Keep no configuration."""
        self.save_config_callback = None

    def instantiate_trainer(self, **kwargs: Any) -> pl.Trainer:
        """Give one that touches no device."""
        self.datamodule.use_model(self._model)
        with without_small_talk():
            return pl.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False)

    def after_instantiate_classes(self) -> None:
        """Announce nothing."""

    def _run_subcommand(self, subcommand: str) -> None:
        """Stop here."""

    def settings_of_task(self) -> dict[str, Any]:
        """Give the settings that decide what is learned."""
        names = ("data", "model", "trainer", "patience", "compile")
        settings = dict(flatten({name: self.config_dump.get(name) for name in names}))
        return {
            name: value
            for name, value in settings.items()
            if not name.startswith(_NOT_OF_THE_TASK)
        }


def digest_of(values: Any) -> str:
    """Hash plain values; the order of keys does not count."""
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _digest_of_model(pretrained: Pretrained) -> str:
    digest = hashlib.blake2b(digest_size=16)
    tokenizer = pretrained.tokenizer
    facts = [
        pretrained.family,
        asdict(pretrained.encoder),
        None if tokenizer is None else tokenizer.to_json(),
    ]
    digest.update(digest_of(facts).encode())
    for name, weight in sorted(pretrained.weights.items()):
        digest.update(name.encode())
        flat = weight.detach().cpu().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _digest_of_examples(data: FinetuningDataModule) -> str:
    """Hash what is learned and judged, wherever it lies."""
    digest = hashlib.blake2b(digest_size=16)
    sets = {"train": data.parts.train}
    for part in ("validation", "test"):
        sets |= {f"{part} {name}": each for name, each in getattr(data.parts, part).items()}
    for name, examples in sets.items():
        digest.update(name.encode())
        for example in _without_places(examples):
            digest.update(repr(example).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _without_places(examples: Sequence[Any]) -> Iterator[Any]:
    """Give examples without the file that they lie in, by which groups are called, too."""
    groups: dict[str | None, str | None] = {None: None}
    for example in examples:
        if isinstance(example, TextExample):
            group = groups.setdefault(example.group, str(len(groups)))
            yield example._replace(place="", group=group)
        else:
            yield example._replace(place="")
