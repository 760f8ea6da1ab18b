"""The settings that a checkpoint's weights stand on, read without running anything in it.

In: what a person calls a checkpoint. Out: the file, and its settings. Which of them a run takes
over is in `taking_over`.
"""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from pytorch_lightning.utilities import rank_zero_only
from torch import Tensor

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError, must
from lit_roberta.exchange.checkpoint import FINETUNING, IMPORTED
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.earlier_checkpoints import earlier_checkpoint

logger = logging.getLogger(__name__)

_MAPPINGS = ("corpus", "weights", "train", "validation", "test", "options")
"""Settings whose value may be a mapping: its keys are the user's names."""

_NAMED = ("last", "previous", "best")


class _NotJudgeableError(UserError):
    """A model is whole, and lacks what judging needs."""


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
    origin: Mapping[str, Any] | None = None
    """What the run started from. None: from initial weights."""
    extend_positions: int | None = None
    """The length of the position table that was asked for when the run started."""
    imported: str | None = None
    """Where the model came from, where it was imported and no run of ours has trained it."""

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
        rank_zero_only(logger.info)("There is no %s yet: starting afresh.", path)
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
    except _NotJudgeableError:
        raise
    except UserError as error:
        earlier = earlier_checkpoint(path, update_of=lambda other: _read(other).update)
        raise UserError(f"{error}{earlier}") from error


def _read(path: Path) -> CheckpointSettings:
    try:
        damaged = zipfile.ZipFile(path).testzip()  # torch does not look at its own checksums
        checkpoint = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        found = (
            _of_import(path, checkpoint) if IMPORTED in checkpoint else _of_run(path, checkpoint)
        )
    except _NotJudgeableError:
        raise
    except Exception as error:
        # torch raises half a dozen kinds for a file that is cut short, is no archive or holds
        # code; what is inside may be of any kind.
        remedy = "It may be cut short, or come from another program."
        raise must("ckpt_path", "be a checkpoint of this package", str(path), remedy) from error
    if damaged:
        remedy = f"{damaged} in it has another checksum."
        raise must("ckpt_path", "be as it was written", str(path), remedy)
    return found


def _of_run(path: Path, checkpoint: Mapping[str, Any]) -> CheckpointSettings:
    if FINETUNING in checkpoint:
        remedy = f"It was fine-tuned: add --data.task {checkpoint[FINETUNING]['task']}."
        raise _NotJudgeableError(must("ckpt_path", "be of pretraining", str(path), remedy))
    settings, text = checkpoint["hyper_parameters"], dict(checkpoint["PretrainingDataModule"])
    return CheckpointSettings(
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
        origin=checkpoint.get("origin"),
        extend_positions=settings.get("extend_positions"),
    )


def _of_import(path: Path, checkpoint: Mapping[str, Any]) -> CheckpointSettings:
    """Read what an import wrote: a model without a run, which can be judged on a text."""
    settings = checkpoint["hyper_parameters"]
    if checkpoint["tokenizer"] is None:
        remedy = "Import the model with its tokenizer's files beside it."
        raise _NotJudgeableError(must("ckpt_path", "hold a tokenizer", str(path), remedy))
    if "model.masked_lm_head.bias" not in checkpoint["state_dict"]:
        remedy = "Without one it predicts no tokens: train one, from --model.pretrained."
        raise _NotJudgeableError(must("ckpt_path", "hold a masked-LM head", str(path), remedy))
    return CheckpointSettings(
        path=path,
        update=0,
        encoder=asdict(EncoderConfig(**settings["encoder"])),
        next_sentence=bool(settings["next_sentence"]),
        tokenizer=Tokenizer.from_json(checkpoint["tokenizer"]),
        tokenizer_config={},
        text={},
        total_updates=0,
        hours=None,
        stage_starts=[0],
        training={},
        conditions={},
        imported=str(checkpoint[IMPORTED]["source"]),
    )


def trained_by(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Give how a module is trained, by the names on the command line.

    Args:
        settings: Those that a module was made with, which may change when a run goes on.
    """
    names = ("optimizer", "schedule", "frequency_weighted_loss")
    flat = flatten({"model": {name: settings[name] for name in names}})
    return {name: plain(value) for name, value in flat}


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


def plain(value: Any) -> Any:
    """Give a setting as a checkpoint or a configuration file holds it."""
    return list(value) if isinstance(value, tuple) else value
