"""Packed examples, kept in the cache where there are too many of them for memory.

In: the training part of a prepared text, and how it is packed. Out: its examples. Those of a large
text lie in files: one process packs them, and all others of the machine map the same files, as
does the next run. Those of a small one stay in memory, and nothing is written.
"""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock

from lit_roberta.data.examples.config import PackingConfig
from lit_roberta.data.examples.packing import pack
from lit_roberta.data.examples.spans import Examples, column_kinds
from lit_roberta.data.preparation.inputs import key_of
from lit_roberta.data.preparation.place import beside, sync_files, take_place
from lit_roberta.data.preparation.preparing import cache_folder
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.whole_files import write_whole

logger = logging.getLogger(__name__)

FORMAT = 1
"""Of what is kept; raised where the same text and settings would be packed into something else."""

_IN_MEMORY = 128 << 20
"""Bytes of examples up to which they stay in memory."""

_SIZES = "sizes.json"
"""The bytes of each file; written last."""


def packed_examples(
    corpus: TokenizedCorpus, config: PackingConfig, *, seed: int, identity: str | None
) -> Examples:
    """Pack the training part of a text, or open what was packed from the same.

    Args:
        corpus: The training part.
        config: The format and its settings.
        seed: Draws lengths, where the settings have some drawn.
        identity: What the tokens of the corpus are known by. None: nothing is kept.

    Raises:
        UserError: If there is no example, or if a pair could find no random B.
    """
    size = _size_of(corpus, config)
    if identity is None or corpus.folder is None or size <= _IN_MEMORY:
        return pack(corpus, config, seed=seed)
    folder = cache_folder() / "packed" / _key_of(config, seed=seed, identity=identity)
    found = _open(folder, config)
    if found is not None:
        return found
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(beside(folder, "lock")):
            return _open(folder, config) or _keep(folder, corpus, config, seed=seed)
    except OSError as error:
        logger.warning(
            "The packed examples are not kept, and take up to %s MB of memory in each process: %s",
            f"{size / 1e6:,.0f}",
            error,
        )
        return pack(corpus, config, seed=seed)


def _size_of(corpus: TokenizedCorpus, config: PackingConfig) -> int:
    """Tell how many bytes the examples have at most."""
    pieces = corpus.num_sentences + corpus.num_tokens // config.sentence_room
    return 8 * (pieces * (len(column_kinds(config)) - 1) + corpus.num_documents)


def _key_of(config: PackingConfig, *, seed: int, identity: str) -> str:
    """Name everything that decides the examples; the seed does so only where it draws lengths."""
    is_drawn = config.format == "segment-pair" or config.short_sequence_probability > 0
    inputs: Mapping[str, Any] = {"format": FORMAT, "text": identity, "packing": asdict(config)}
    return key_of({**inputs, "seed": seed if is_drawn else None})


def _open(folder: Path, config: PackingConfig) -> Examples | None:
    """Open what is kept; None where there is nothing, or something of it was cut."""
    if not folder.is_dir():
        return None
    try:
        sizes = json.loads((folder / _SIZES).read_bytes())
        if sizes == _sizes_in(folder):
            return Examples.open(folder, config)
        reason = "a file has another size than was written"
    except (OSError, ValueError) as error:
        reason = str(error)
    logger.warning("%s is packed anew: %s", folder, reason)
    return None


def _keep(folder: Path, corpus: TokenizedCorpus, config: PackingConfig, *, seed: int) -> Examples:
    """Pack beside the place, and take it when all is on disk."""
    part = beside(folder, "part")
    shutil.rmtree(part, ignore_errors=True)
    logger.info("Packing %s sentences into %s.", f"{corpus.num_sentences:,}", folder)
    try:
        part.mkdir()
        pack(corpus, config, seed=seed, folder=part)
        sizes = _sizes_in(part)
        sync_files(part)
        write_whole(part / _SIZES, json.dumps(sizes).encode())
        take_place(part, folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return Examples.open(folder, config)


def _sizes_in(folder: Path) -> dict[str, int]:
    files = (path for path in folder.iterdir() if path.name != _SIZES)
    return {path.name: path.stat().st_size for path in files}
