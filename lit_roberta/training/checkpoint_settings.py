"""What a run takes from a checkpoint and what from its configuration.

The weights decide the encoder, the objective and the tokenizer: another value could only fail,
or train a model on ids that mean something else. The text is the checkpoint's unless another is
named, because what it was trained on and what it is judged by go together. All else is the
configuration's; what of it a run that goes on may change is in `conditions`.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from jsonargparse import Namespace
from torch import Tensor

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError, must
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.earlier_checkpoints import earlier_checkpoint

logger = logging.getLogger(__name__)

_MAPPINGS = ("corpus", "weights")
"""Settings whose value may be a mapping: its keys are the user's names."""

_NAMED = ("last", "previous", "best")


@dataclass(frozen=True, kw_only=True)
class CheckpointSettings:
    """The settings that weights stand on."""

    path: Path
    update: int
    """Updates that it has seen."""
    encoder: Mapping[str, Any]
    next_sentence: bool
    tokenizer: Tokenizer
    tokenizer_config: Mapping[str, Any]
    """How it was trained."""
    text: Mapping[str, Any]
    """Which text it was trained on, read and split how, nested as the data module's settings."""
    total_updates: int
    """The length that the run had when it was saved."""
    hours: Mapping[str, Any] | None
    """What a length in hours came to when the run started. None: none was asked for."""
    stage_starts: Sequence[int]
    """The first update of each stage of length."""
    training: Mapping[str, Any]
    """How it was trained: optimizer, schedule and the weights of losses, flat."""
    conditions: Mapping[str, object]
    """What else the run's numbers depend on."""

    def as_flat(self) -> dict[str, Any]:
        """Give the settings by their names on the command line."""
        return {
            **{f"model.encoder.{name}": value for name, value in self.encoder.items()},
            "model.next_sentence": self.next_sentence,
            **{f"data.tokenizer.{name}": value for name, value in self.tokenizer_config.items()},
        }


def resolve_checkpoint(
    name: str | None, *, folder: Path, subcommand: str, leaves_no_trace: bool = False
) -> Path | None:
    """Turn `--ckpt_path` into a file.

    Args:
        name: A file, `last`, `previous`, `best`, or None.
        folder: The run's folder; the named ones lie in its `checkpoints/`.
        subcommand: fit, validate, test or predict.
        leaves_no_trace: The run writes nothing, and so may start where an earlier one lies.

    Returns:
        The file; None to start afresh, which only `fit` can.

    Raises:
        UserError: If a fresh start would write over a run, if anything but `fit` has no
            checkpoint, or if the file does not exist.
    """
    if name is None:
        if subcommand != "fit":
            remedy = "Train one with fit, then give --ckpt_path last, or the path of one."
            raise must("ckpt_path", f"name a checkpoint to {subcommand}", None, remedy)
        if not leaves_no_trace:
            _refuse_earlier_run(folder)
        return None
    path = folder / "checkpoints" / f"{name}.ckpt" if name in _NAMED else Path(name)
    if path.is_file():
        return path
    if name == "last" and subcommand == "fit":
        logger.info("There is no %s yet: starting afresh.", path)
        return None
    remedy = "Name the folder of the run with --trainer.default_root_dir, or the file itself."
    raise must("ckpt_path", "be last, previous, best or a file", str(path), remedy)


def _refuse_earlier_run(folder: Path) -> None:
    if (folder / "checkpoints" / "last.ckpt").is_file():
        remedy = (
            "Go on with it by --ckpt_path last, or name another with --trainer.default_root_dir."
        )
        raise must("trainer.default_root_dir", "hold no earlier run", str(folder), remedy)


def read_checkpoint_settings(path: Path) -> CheckpointSettings:
    """Read the settings that a checkpoint's weights stand on. Nothing in the file is executed.

    Raises:
        UserError: If the file is not a checkpoint of this package, or was damaged; it names an
            earlier one that is whole, if there is one.
    """
    try:
        return _read(path)
    except UserError as error:
        earlier = earlier_checkpoint(path, update_of=lambda other: _read(other).update)
        raise UserError(f"{error}{earlier}") from error


def _read(path: Path) -> CheckpointSettings:
    try:
        damaged = zipfile.ZipFile(path).testzip()  # torch does not look at its own checksums
        checkpoint = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        settings, text = checkpoint["hyper_parameters"], dict(checkpoint["PretrainingDataModule"])
        found = CheckpointSettings(
            path=path,
            update=int(checkpoint["global_step"]),
            encoder=asdict(EncoderConfig(**settings["encoder"])),
            next_sentence=bool(settings["next_sentence"]),
            tokenizer=Tokenizer.from_json(checkpoint["tokenizer"]),
            tokenizer_config=dict(text.pop("tokenizer")),
            text=text,
            total_updates=int(checkpoint["total_updates"]),
            hours=checkpoint.get("hours"),
            stage_starts=[int(start) for start in checkpoint["stage_starts"]],
            training=trained_by(settings),
            conditions=dict(checkpoint["conditions"]),
        )
    except Exception as error:
        # torch raises half a dozen kinds for a file that is cut short, is no archive or holds
        # code; what is inside may be of any kind.
        remedy = "It may be cut short, or come from another program."
        raise must("ckpt_path", "be a checkpoint of this package", str(path), remedy) from error
    if damaged:
        remedy = f"{damaged} in it has another checksum."
        raise must("ckpt_path", "be as it was written", str(path), remedy)
    return found


def trained_by(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Give how a module is trained, by the names on the command line.

    Args:
        settings: Those that a module was made with, which may change when a run goes on.
    """
    names = ("optimizer", "schedule", "frequency_weighted_loss")
    flat = flatten({"model": {name: settings[name] for name in names}})
    return {name: _plain(value) for name, value in flat}


def check_weights(stored: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    """Refuse weights that are not a model's own, before any of them is taken.

    Args:
        stored: Of the checkpoint.
        wanted: Of the model.

    Raises:
        UserError: Names the first weight that is missing, left over or of another shape.
    """
    for name in sorted(stored.keys() | wanted.keys()):
        shapes = [tuple(w[name].shape) if name in w else "none" for w in (wanted, stored)]
        if shapes[0] != shapes[1]:
            rule = f"hold {name} in the shape {shapes[0]}"
            raise must("ckpt_path", rule, shapes[1], "Take another checkpoint.")


def check_agreement(stored: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse a setting that was given and that is not the checkpoint's.

    Args:
        stored: The checkpoint's settings, by their names on the command line.
        given: What the command line and the configuration files name, and nothing else.

    Raises:
        UserError: Names the setting and both values.
    """
    for name, value in given.items():
        if name in stored and _plain(value) != _plain(stored[name]):
            rule = f"be the checkpoint's {stored[name]!r}"
            raise must(name, rule, value, "Leave it out: the weights stand on it.")


def take_over(
    checkpoint: CheckpointSettings, *, settings: Namespace, given: Mapping[str, Any]
) -> None:
    """Let a checkpoint's settings win over the defaults; its text too, unless another is named.

    Args:
        checkpoint: What the weights stand on.
        settings: Of a subcommand, as parsed; changed in place.
        given: Those that were given, nested.

    Raises:
        UserError: If one was given and is not the checkpoint's.
    """
    stored, named = checkpoint.as_flat(), dict(flatten(given))
    check_agreement(stored, named)
    for name, value in stored.items():
        if name != "model.encoder.vocab_size":  # follows from the tokenizer
            settings[name] = value
    for name, value in flatten({"data": checkpoint.text}):
        if name not in named and "data.corpus" not in named:
            settings[name] = value
    if "data.corpus" not in named:
        logger.info("Text: the checkpoint's, %s.", settings["data.corpus"])


def flatten(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested settings with their dotted names.

    Example:
        >>> dict(flatten({"a": {"b": 1}, "c": 2}))
        {'a.b': 1, 'c': 2}
    """
    for name, value in settings.items():
        if isinstance(value, Mapping) and name not in _MAPPINGS:
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
