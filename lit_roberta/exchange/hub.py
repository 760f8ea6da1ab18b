"""Models on the Hugging Face hub: downloaded once, and taken from its cache from then on.

In: `OWNER/NAME`, or `OWNER/NAME@REVISION`. Out: a folder. Only settings, weights and tokenizers
are asked for, and no code.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import shorten

from lit_roberta.errors import must

_NAME = re.compile(r"(?P<name>\w[\w.-]*(/\w[\w.-]*)?)(@(?P<revision>[\w./-]+))?")
_FILE = re.compile(r"\.(ckpt|pt|bin|safetensors|json)$")

_SMALL = (
    "added_tokens.json",
    "config.json",
    "sentencepiece.bpe.model",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
)
_WEIGHTS = (
    ("model.safetensors", "model-*.safetensors", "model.safetensors.index.json"),
    ("pytorch_model.bin", "pytorch_model-*.bin", "pytorch_model.bin.index.json"),
)
"""What is better comes first; the second is not downloaded where the first is there."""


def is_hub_name(source: str) -> bool:
    """Tell whether something that is no path here may be a model on the hub.

    Example:
        >>> [is_hub_name(each) for each in ("roberta-base", "a/b@main", "../model", "last.ckpt")]
        [True, True, False, False]
    """
    return _NAME.fullmatch(source) is not None and _FILE.search(source) is None


def download_model(source: str) -> Path:
    """Bring a model here, or find it in the cache.

    Args:
        source: Its name, as `is_hub_name` says.

    Returns:
        The folder in the hub's cache, which is not to be written to.

    Raises:
        UserError: If there is no such folder, no such model, or no way to it.
    """
    found = _NAME.fullmatch(source)
    assert found is not None
    # Imported late: most models are folders.
    import huggingface_hub

    folder = Path()
    for weights in _WEIGHTS:
        try:
            folder = Path(
                huggingface_hub.snapshot_download(
                    found["name"], revision=found["revision"], allow_patterns=[*_SMALL, *weights]
                )
            )
        except Exception as error:  # of the library and of the network below it
            reason = shorten(str(error), 200, placeholder=" ...")
            rule = "be a folder or a file, or a model on the hub within reach"
            raise must("the model", rule, source, f"The hub's library says: {reason}") from error
        if any(any(folder.glob(pattern)) for pattern in weights):
            break
    return folder
