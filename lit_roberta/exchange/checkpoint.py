"""The model inside a checkpoint of this package.

In: a file that training or an import wrote. Out: its model, without optimizer and run. Nothing in
the file is executed.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.model.config import EncoderConfig

_PREFIX = "model."
_PAIRS = ("sentence-pair", "segment-pair")


def read_checkpoint(path: Path) -> Pretrained:
    """Read the model of a checkpoint.

    Raises:
        UserError: If the file is not a checkpoint of this package, or was damaged.
    """
    try:
        damaged = zipfile.ZipFile(path).testzip()  # torch does not look at its own checksums
        checkpoint = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        tokenizer = Tokenizer.from_json(checkpoint["tokenizer"])
        found = Pretrained(
            source=str(path),
            family=_family(checkpoint),
            encoder=EncoderConfig(**checkpoint["hyper_parameters"]["encoder"]),
            weights=_weights(checkpoint["state_dict"]),
            tokenizer=tokenizer,
            pad_id=tokenizer.vocabulary.pad_id,
            unused=checkpoint.get("unused_weights", {}),
        )
    except Exception as error:
        # torch raises half a dozen kinds for a file that is cut short, is no archive or holds
        # code; what is inside may be of any kind.
        remedy = "It may be cut short, or come from another program."
        raise must("the model", "be a checkpoint of this package", str(path), remedy) from error
    if damaged:
        remedy = f"{damaged} in it has another checksum."
        raise must("the model", "be as it was written", str(path), remedy)
    return found


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
