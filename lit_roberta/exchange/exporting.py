"""A model out: a folder that `transformers` loads with its own classes and no code of ours.

In: a model. Out: the folder, whole and checked, or nothing. It is written beside its place, as
`.NAME.part`, and renamed when it has shown that it computes what the model does.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lit_roberta.data.preparation.place import beside, sync_files, take_place
from lit_roberta.errors import must
from lit_roberta.exchange.architectures import Home, find_home, weights_at_home
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.tokenizer_files import write_tokenizer


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written."""

    folder: Path
    architecture: str
    """The class of `transformers` that it is."""
    notices: list[str]
    """What was left out, and what was not checked; a line each."""


def export(
    pretrained: Pretrained, folder: Path | str, *, family: Family | None = None
) -> Exported:
    """Write a model as a Hugging Face folder.

    Args:
        pretrained: The model.
        folder: A new or an empty one.
        family: Whose classes; None for the model's own.

    Raises:
        UserError: If something else is there, nothing can be written there, the family has no
            place for what the model computes, or the result computes something else.
    """
    home = find_home(pretrained, family)
    with _written_beside(Path(folder)) as part:
        _write(home, pretrained, part)
    return Exported(
        folder=Path(folder), architecture=home.architecture, notices=list(home.notices)
    )


def _write(home: Home, pretrained: Pretrained, folder: Path) -> None:
    weights = weights_at_home(home, pretrained)
    _write_settings(home, pretrained, folder, dtype=str(next(iter(weights.values())).dtype))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    if pretrained.tokenizer is not None:
        write_tokenizer(
            pretrained.tokenizer,
            folder,
            family=home.family,
            max_length=home.encoder.max_position_embeddings,
            second_segment=home.second_segment,
        )


@contextmanager
def _written_beside(folder: Path) -> Iterator[Path]:
    """Give a place to write in, which takes the folder's name if all goes well.

    Raises:
        UserError: If something else is there, or nothing can be written there.
    """
    try:
        folder = folder.expanduser().resolve()
        if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
            remedy = "It holds something else, which stays as it is: name another."
            raise must("the output", "be a new or an empty folder", str(folder), remedy)
        part = beside(folder, "part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
    except OSError as error:
        remedy = f"The system says: {error.strerror}."
        raise must("the output", "be writable", str(folder), remedy) from error
    try:
        yield part
        sync_files(part)
        take_place(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


# ---- until settings and weight files have their own homes

import json  # noqa: E402

from safetensors.torch import save_file  # noqa: E402


def _write_settings(home: Home, pretrained: Pretrained, folder: Path, *, dtype: str) -> None:
    shared = {name: value for name, value in vars(home.encoder).items() if name != "tanh_pooler"}
    settings = {
        "architectures": [home.architecture],
        "model_type": home.family,
        **shared,
        "hidden_act": "gelu",
        "pad_token_id": pretrained.pad_id,
        "tie_word_embeddings": True,
        "dtype": dtype.removeprefix("torch."),
    }
    if home.family == "roberta":
        settings["max_position_embeddings"] += pretrained.pad_id + 1
    (folder / "config.json").write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n")
