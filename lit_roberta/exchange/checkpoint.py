"""The model inside a checkpoint of this package, and a checkpoint of an imported one.

In: a file that training or an import wrote. Out: its model, without optimizer and run. Nothing in
the file is executed.
"""

from __future__ import annotations

import zipfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.names import Family, is_of_head, their_names
from lit_roberta.exchange.pickles import load_plain
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.run_facts import read_finetuning_facts, read_run_facts
from lit_roberta.exchange.shapes import their_shape
from lit_roberta.exchange.tasks import HEAD, Task
from lit_roberta.exchange.weights import require_whole_heads
from lit_roberta.model.config import EncoderConfig
from lit_roberta.whole_files import failures_in_one_line, remove_leftovers, whole_file

_PREFIX = "model."
_PAIRS = ("sentence-pair", "segment-pair")

FINETUNING = "finetuning"
"""The entry that says what a model was fine-tuned for, and how far."""
IMPORTED = "imported"
"""The entry of a checkpoint that an import wrote, and no training: where its model came from."""

_SPARE = "next_sentence_head.pooler."
"""Weights that a model may have without the head that reads them. A task's head is none of
pretraining's either."""


def read_checkpoint(path: Path) -> Pretrained:
    """Read the model of a checkpoint.

    Raises:
        UserError: If the file is not a checkpoint of this package, or was damaged.
    """
    try:
        damaged = zipfile.ZipFile(path).testzip()  # torch does not look at its own checksums
        checkpoint = load_plain(path)
        found = _pretrained(checkpoint, path)
    except Exception as error:
        # torch raises half a dozen kinds for a file that is cut short, is no archive or holds
        # code; what is inside may be of any kind.
        remedy = "It may be cut short, or come from another program."
        raise must("the model", "be a checkpoint of this package", str(path), remedy) from error
    if damaged:
        remedy = f"{damaged} in it has another checksum."
        raise must("the model", "be as it was written", str(path), remedy)
    _require_whole(found)
    return found


def _require_whole(found: Pretrained) -> None:
    """Refuse weights that are not those of the settings: what is missing would be drawn."""
    encoder, place = found.encoder, f"the model in {found.source}"
    names = their_names("bert", num_layers=encoder.num_hidden_layers)  # which has all heads
    remedy = "It was changed after it was written: take another checkpoint."
    for name, parts in names.items():
        weight = found.weights.get(name)
        rows, *width = their_shape(parts[0], encoder, padding_rows=0)
        wanted = (len(parts) * rows, *width)
        if weight is None and not is_of_head(name):
            raise must(place, f"hold {name}", "none", remedy)
        if weight is not None and weight.shape != wanted:
            raise must(place, f"hold {name} in the shape {wanted}", tuple(weight.shape), remedy)
    for name in found.weights:
        if name not in names and not name.startswith(HEAD):
            raise must(place, "hold what its settings name", name, remedy)
    require_whole_heads(found.weights, names)


def write_checkpoint(pretrained: Pretrained, path: Path) -> None:
    """Write a model as a checkpoint that training starts from, and that can be judged.

    Args:
        pretrained: The model.
        path: A new file; it is there in whole or not at all.

    Raises:
        UserError: If there is such a file already, or the folder can't take it.
    """
    check_place(path)
    with failures_in_one_line(path, name="the folder", rule="take a checkpoint"):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_leftovers(path)
        with whole_file(path) as file:
            torch.save(_contents(pretrained), file)
            check_place(path)  # another import may have taken the name meanwhile


def check_place(path: Path) -> None:
    """Refuse to write over a file.

    Raises:
        UserError: If there is one, or there can be none.
    """
    with failures_in_one_line(path, name="the folder", rule="take a checkpoint"):
        if path.exists():
            raise must("the checkpoint", "be a new file", str(path), "Name another.")


def _contents(pretrained: Pretrained) -> dict[str, Any]:
    """Give what a checkpoint of training would hold of the model, and what the way back needs."""
    next_sentence = pretrained.has_next_sentence_head
    spare = {
        name: weight
        for name, weight in pretrained.weights.items()
        if name.startswith(HEAD) or (name.startswith(_SPARE) and not next_sentence)
    }
    tokenizer = pretrained.tokenizer
    return {
        "pytorch-lightning_version": version("pytorch-lightning"),
        "epoch": 0,
        "global_step": 0,
        "state_dict": {
            _PREFIX + name: weight
            for name, weight in pretrained.weights.items()
            if name not in spare
        },
        "hyper_parameters": {
            "encoder": asdict(pretrained.encoder),
            "next_sentence": next_sentence,
        },
        "tokenizer": None if tokenizer is None else tokenizer.to_json(),
        IMPORTED: {"source": pretrained.source, "notices": list(pretrained.notices)},
        "family": pretrained.family,
        "pad_id": pretrained.pad_id,
        "longest_text": pretrained.longest_text,
        "config": dict(pretrained.config),
        "spare_weights": spare,
        "unused_weights": dict(pretrained.unused),
        "task": None if pretrained.task is None else asdict(pretrained.task),
    }


def _pretrained(checkpoint: dict[str, Any], path: Path) -> Pretrained:
    stored, task = checkpoint["tokenizer"], checkpoint.get("task")
    tokenizer = None if stored is None else Tokenizer.from_json(stored)
    pad_id = 0 if tokenizer is None else tokenizer.vocabulary.pad_id
    return Pretrained(
        source=str(path),
        family=_family(checkpoint),
        encoder=EncoderConfig(**_encoder(checkpoint)),
        weights=_weights(checkpoint["state_dict"]) | checkpoint.get("spare_weights", {}),
        tokenizer=tokenizer,
        pad_id=checkpoint.get("pad_id", pad_id),
        unused=checkpoint.get("unused_weights", {}),
        task=None if task is None else Task(**task),
        run=read_run_facts(checkpoint, path),
        finetuning=read_finetuning_facts(checkpoint, path),
        cut_at=checkpoint.get("longest_text"),
        config=checkpoint.get("config", {}),
        notices=checkpoint.get(IMPORTED, {}).get("notices", ()),
    )


def _encoder(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """Give the encoder's settings: of a fine-tuned model they are none of the module's own."""
    own: dict[str, Any] | None = checkpoint.get("encoder")
    return checkpoint["hyper_parameters"]["encoder"] if own is None else own


def _weights(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {
        name.removeprefix(_PREFIX).removeprefix("_orig_mod."): weight
        for name, weight in state.items()
        if name.startswith(_PREFIX)
    }


def _family(checkpoint: dict[str, Any]) -> Family:
    """Tell which family a model is of: RoBERTa's if it never saw a second segment."""
    if "family" in checkpoint:
        return "bert" if checkpoint["family"] == "bert" else "roberta"
    is_pair = checkpoint["conditions"]["data.format"] in _PAIRS
    return "bert" if is_pair or checkpoint["hyper_parameters"]["next_sentence"] else "roberta"
