"""A fairseq RoBERTa, in the file that fairseq wrote, with the dictionary beside it.

In: a `.pt` of any version of fairseq's. Out: its model under our names. Nothing in the file is
executed: besides tensors and plain values it may hold one class, `argparse.Namespace`, which
older files keep their settings in.
"""

from __future__ import annotations

import argparse
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lit_roberta.errors import UserError, must
from lit_roberta.exchange.fairseq_dictionary import read_tokenizer
from lit_roberta.exchange.fairseq_names import (
    count_layers,
    is_of_old_encoder,
    plain_names,
    to_hugging_face,
)
from lit_roberta.exchange.fairseq_settings import PAD_ID, refuse_others, to_encoder
from lit_roberta.exchange.pickles import load_plain
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.weights import is_plain, require_numbers, to_ours

_WANTED = re.compile(r"GLOBAL ([\w.]*\w)")
"""What a file wants to load, in the message of the library that refuses it."""

_SEGMENTS = "embeddings.token_type_embeddings.weight"


def read_fairseq(path: Path) -> Pretrained:
    """Read the model of a fairseq checkpoint.

    A file of the format before torch 1.6 is read with its optimizer, which takes up to three times
    the memory of its weights for a moment; later ones are mapped.

    Args:
        path: The `.pt`. Beside it lies `dict.txt`, and what else its tokenizer needs.

    Raises:
        UserError: If it can't be read without executing it, is damaged, holds another model than
            RoBERTa, or lacks its dictionary.
    """
    checkpoint = _load(path)
    settings, weights = _settings(checkpoint, path), _weights(checkpoint, path)
    del checkpoint
    is_old = is_of_old_encoder(weights)
    notices = refuse_others(settings, is_old=is_old)
    dropped = plain_names(weights)
    notices += [f"{name} is left out: it is no part of the language model" for name in dropped]
    theirs = to_hugging_face(weights, num_layers=count_layers(weights))
    encoder = to_encoder(settings, weights)
    tokenizer = read_tokenizer(path.parent, settings=settings, size=encoder.vocab_size)
    del weights
    theirs[_SEGMENTS] = torch.zeros(1, encoder.hidden_size)
    converted = to_ours(
        theirs, family="roberta", num_layers=encoder.num_hidden_layers, pad_id=PAD_ID
    )
    require_numbers(converted.weights)
    return Pretrained(
        source=str(path),
        family="roberta",
        encoder=encoder,
        weights=_widened(converted.weights),
        tokenizer=tokenizer,
        pad_id=PAD_ID,
        unused=_widened(converted.unused),
        notices=notices,
    )


def _load(path: Path) -> dict[str, Any]:
    """Read a file without executing anything in it."""
    try:
        is_archive = zipfile.is_zipfile(path)
        if is_archive and (damaged := zipfile.ZipFile(path).testzip()):
            remedy = f"{damaged} in it has another checksum."
            raise must("the model", "be as it was written", str(path), remedy)
        with torch.serialization.safe_globals([argparse.Namespace]):
            loaded = load_plain(path, mmap=is_archive)
    except UserError:
        raise
    except Exception as error:
        # torch raises half a dozen kinds for a file that is cut short or is none of its own.
        wanted = _WANTED.search(str(error))
        remedy = (
            f"It wants to load {wanted.group(1)}, which is code. Where it was trained, save it "
            "with its settings as a plain dict (OmegaConf.to_container)."
            if wanted
            else "It may be cut short, or come from another program."
        )
        raise must("the model", "be a fairseq checkpoint", str(path), remedy) from error
    if not isinstance(loaded, dict):
        remedy = f"It holds a {type(loaded).__name__}."
        raise must("the model", "be a fairseq checkpoint", str(path), remedy)
    return loaded


def _settings(checkpoint: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Find the settings of the model, which each version keeps elsewhere."""
    config = checkpoint.get("cfg")
    found = config.get("model") if isinstance(config, dict) else None
    found = checkpoint.get("args") if found is None else found
    if isinstance(found, argparse.Namespace):
        found = vars(found)
    if not isinstance(found, dict):
        remedy = "It has no settings in args or cfg.model, which the number of heads comes from."
        raise must("the model", "be a fairseq checkpoint", str(path), remedy)
    plain = (str, int, float, list, type(None))
    return {
        str(name): value if isinstance(value, plain) else repr(value)
        for name, value in found.items()
    }


def _weights(checkpoint: Mapping[str, Any], path: Path) -> dict[str, Tensor]:
    found = checkpoint.get("model")
    if not isinstance(found, dict):
        remedy = "It has no weights in model."
        raise must("the model", "be a fairseq checkpoint", str(path), remedy)
    for name, weight in found.items():
        if not isinstance(name, str) or not is_plain(weight):
            raise must("the weights", "be plain tensors", str(name)[:80], "Save it whole.")
    return dict(found)


def _widened(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give numbers 32 bits at the least: fairseq keeps what was trained in 16 as it was."""
    return {
        name: weight if weight.dtype.itemsize >= torch.float32.itemsize else weight.float()
        for name, weight in weights.items()
    }
