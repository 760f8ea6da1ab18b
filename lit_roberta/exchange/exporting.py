"""A model out: a folder that `transformers` loads with its own classes and no code of ours.

In: a model. Out: the folder, whole and checked, or nothing. It is written beside its place, as
`.NAME.part`, by one process at a time (`.NAME.lock`), and renamed when it has shown that it
computes what the model does.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from safetensors import SafetensorError
from safetensors.torch import save_file

from lit_roberta.data.preparation.place import beside, sync_files
from lit_roberta.errors import UserError, must
from lit_roberta.exchange.architectures import Home, find_home, weights_at_home
from lit_roberta.exchange.checking import Check, check_export
from lit_roberta.exchange.model_card import CONFIG, model_card
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.onnx_export import ONNX, require_onnx, write_onnx
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.sentence_embeddings import encoder_of, write_modules
from lit_roberta.exchange.settings_for_others import settings_for_others
from lit_roberta.exchange.tokenizer_files import write_tokenizer
from lit_roberta.exchange.weight_files import SAFETENSORS

_PAD_RIGHT = "pad on the right, as its tokenizer does; transformers' RoBERTa counts real tokens"
_ON_THE_WAY = (".part", ".lock")
"""In a folder that is filled: what is not whole yet, and the claim on it."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written."""

    folder: Path
    architecture: str
    """The class of `transformers` that it is."""
    notices: list[str]
    """What was left out or guessed; a line each."""
    check: Check | None
    """What `transformers` made of it; None where it is not installed."""
    onnx_difference: float | None = None
    """The largest absolute one between the graph and the model; None where no graph was asked
    for."""

    @property
    def checked(self) -> str:
        """What was checked, a sentence."""
        return _say(self.check, self.onnx_difference)


def export(
    pretrained: Pretrained,
    folder: Path | str,
    *,
    family: Family | None = None,
    onnx: bool = False,
    sentence_embeddings: bool = False,
) -> Exported:
    """Write a model as a Hugging Face folder.

    Args:
        pretrained: The model.
        folder: A new or an empty one.
        family: Whose classes; None for the model's own.
        onnx: Whether to write an ONNX graph, too.
        sentence_embeddings: Whether to leave out the heads, and to write what
            sentence-transformers needs to give a text the mean of its tokens' vectors.

    Raises:
        UserError: If something else is there, nothing can be written there, the family has no
            place for what the model computes, the result computes something else, or what was
            asked for needs a package that is not installed.
    """
    if onnx:
        require_onnx()
    if sentence_embeddings:
        pretrained = encoder_of(pretrained)
    home = find_home(pretrained, family)
    notices = [*pretrained.notices, *home.notices]
    if pretrained.tokenizer is None:
        notices.append("No tokenizer came with the model, and none was written.")
    if onnx and home.family == "roberta":
        notices.append(f"{ONNX} counts positions from a row's first column: {_PAD_RIGHT}.")
    with _written_beside(folder) as (part, whole):
        _write(home, pretrained, part)
        if sentence_embeddings:
            write_modules(part, home)
        check = check_export(part, home, pretrained)
        difference = write_onnx(part, home, pretrained) if onnx else None
        said = _say(check, difference)
        card = model_card(
            home,
            pretrained,
            name=whole.name,
            checked=said,
            notices=notices,
            embeds=sentence_embeddings,
        )
        (part / "README.md").write_text(card, encoding="utf-8")
        run = pretrained.finetuning or pretrained.run
        if run is not None and run.config is not None:
            (part / CONFIG).write_text(run.config, encoding="utf-8")
    return Exported(
        folder=whole,
        architecture=home.architecture,
        notices=notices,
        check=check,
        onnx_difference=difference,
    )


def free_place(folder: Path | str) -> Path:
    """Find the place that a folder names, before any work is done for it.

    Raises:
        UserError: If something else is there, or it can't be looked at.
    """
    if folder == "":  # which would be the folder that one is in
        raise must("the output", "have a name", folder, "Name a new folder.")
    folder = Path(folder)
    try:
        folder = folder.expanduser().resolve()
        is_free = folder.is_dir() and all(path.name in _ON_THE_WAY for path in folder.iterdir())
        if os.path.lexists(folder) and not is_free:
            remedy = "It holds something else, which stays as it is: name another."
            raise must("the output", "be a new or an empty folder", str(folder), remedy)
    except OSError as error:
        raise _unwritable(folder, error) from error
    except (RuntimeError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise must("the output", "be a path", str(folder), f"It fails with: {error}.") from error
    return folder


def _write(home: Home, pretrained: Pretrained, folder: Path) -> None:
    weights = weights_at_home(home, pretrained)
    settings = settings_for_others(
        pretrained,
        architecture=home.architecture,
        family=home.family,
        encoder=home.encoder,
        # transformers makes all of them that: where they differ, it must lose nothing.
        dtype=reduce(torch.promote_types, {weight.dtype for weight in weights.values()}),
    )
    text = json.dumps(settings, indent=2, sort_keys=True, ensure_ascii=False)
    (folder / "config.json").write_text(text + "\n", encoding="utf-8")
    save_file(weights, folder / SAFETENSORS, metadata={"format": "pt"})
    # The library lets nobody else read its files.
    (folder / SAFETENSORS).chmod((folder / "config.json").stat().st_mode)
    if pretrained.tokenizer is not None:
        write_tokenizer(
            pretrained.tokenizer,
            folder,
            family=home.family,
            max_length=home.max_length,
            second_segment=home.second_segment,
            keep_joining=home.keep_joining,
        )


def _say(check: Check | None, onnx_difference: float | None) -> str:
    said = "It was not checked: transformers is not installed (pip install transformers)."
    if check is not None:
        said = (
            f"Loaded with transformers {check.version}: every weight was found, and the outputs "
            f"are the checkpoint's to {check.difference:.1e}, {check.compared}."
        )
    if onnx_difference is None:
        return said
    runs = "run by onnxruntime on several shapes, gives the checkpoint's outputs"
    return f"{said} `{ONNX}`, {runs} to {onnx_difference:.1e}."


@contextmanager
def _written_beside(folder: Path | str) -> Iterator[tuple[Path, Path]]:
    """Give a place to write in, which takes the folder's name if all goes well; and that name."""
    folder = free_place(folder)
    fills = folder.is_dir()
    part, lock = (folder / name if fills else beside(folder, name[1:]) for name in _ON_THE_WAY)
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        # The lock does not tell a folder that takes no files from one that is taken; and a file of
        # another name would be something else in the folder to an export that looks meanwhile.
        lock.open("ab").close()
        with _claimed(folder, lock):
            free_place(folder)  # another export may have taken it meanwhile
            try:
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                yield part, folder
                sync_files(part)
                free_place(folder)
                _move_into(folder, part) if fills else part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    except (OSError, SafetensorError) as error:
        raise _unwritable(folder, error) from error


def _move_into(folder: Path, part: Path) -> None:
    """Fill an empty folder, or leave it empty.

    What makes it a model comes last.
    """
    names = sorted((path.name for path in part.iterdir()), key=lambda name: name == "config.json")
    try:
        for name in names:
            (part / name).rename(folder / name)
    except BaseException:
        for name in names:
            if not (part / name).exists():
                (folder / name).rename(part / name)
        raise


@contextmanager
def _claimed(folder: Path, path: Path) -> Iterator[None]:
    """Keep other exports out: two would write one file. A process that is killed keeps nobody."""
    lock = FileLock(path, blocking=False)
    try:
        lock.acquire()
        yield
    except Timeout as error:
        remedy = "Wait for that one to end, or name another folder. Nothing was written."
        raise must("the output", "be no other export's", str(folder), remedy) from error
    finally:
        if lock.is_locked:
            with suppress(OSError):  # while it is held: who just opened it sees that it is gone
                path.unlink()
            lock.release()


def _unwritable(folder: Path, error: OSError | SafetensorError) -> UserError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    remedy = f"It fails with: {reason}. Nothing was written."
    return must("the output", "be writable", str(folder), remedy)
