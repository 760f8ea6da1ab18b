"""Any model, from wherever it is: a checkpoint of ours, a folder, or a name on the hub."""

from __future__ import annotations

import os
from pathlib import Path

from lit_roberta.errors import must
from lit_roberta.exchange.checkpoint import read_checkpoint
from lit_roberta.exchange.fairseq import read_fairseq
from lit_roberta.exchange.hub import download_model, is_hub_name
from lit_roberta.exchange.huggingface import CONFIG, read_folder
from lit_roberta.exchange.pretrained import Pretrained

_PARTS = (".safetensors", ".bin", ".json")
"""Of a folder, which is what can be read."""
_PICKLED = ".pt"
OTHERS = (*_PARTS, _PICKLED)
"""What the names of other programs' files end in."""
_FAIRSEQ = "model.pt"
"""In the archives that fairseq's models are handed out in."""


def load_pretrained(source: str) -> Pretrained:
    """Load a model.

    Args:
        source: A `.ckpt` of this package, a folder as Hugging Face's `save_pretrained` writes, a
            `.pt` of fairseq's with its `dict.txt` beside it, or a name on the hub
            (`OWNER/NAME`, or `OWNER/NAME@REVISION`). What lies here goes before what is there.

    Raises:
        UserError: If there is none, if it is damaged, or if it is one that we would compute
            otherwise.
    """
    try:
        return _load(source)
    except OSError as error:
        remedy = f"The system says: {error.strerror}."
        raise must("the model", "be readable", source, remedy) from error


def _load(source: str) -> Pretrained:
    path = Path(source or os.devnull)  # an empty name would be the folder that one is in
    if (path / _FAIRSEQ).is_file() and not (path / CONFIG).is_file():
        return read_fairseq(path / _FAIRSEQ)
    if path.is_dir():
        return read_folder(path)
    if path.suffix in _PARTS and path.is_file():
        remedy = "Give the folder that it lies in."
        raise must("the model", "be a folder or a checkpoint", source, remedy)
    if path.is_file():
        return read_fairseq(path) if path.suffix == _PICKLED else read_checkpoint(path)
    if is_hub_name(source):
        return read_folder(download_model(source), source=source)
    remedy = "Give a .ckpt, a .pt of fairseq's, a folder with config.json, or OWNER/NAME."
    raise must("the model", "be a file or a folder", source, remedy)
