"""A tokenizer is trained once for one text and setting, also by processes that start at once.

In: the training sentences and the tokenizer's settings. Out: the tokenizer, from the cache where
it has been trained before. The key is the content of both, never a file's name or time.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

import lit_roberta
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig

logger = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Give the folder of what can be made again: LIT_ROBERTA_CACHE, else the user's cache."""
    chosen = os.environ.get("LIT_ROBERTA_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lit_roberta"


def cached_tokenizer(
    documents: Sequence[Sequence[str]], config: TokenizerConfig, *, folder: Path | None = None
) -> Tokenizer:
    """Train a tokenizer, or load the one that was trained for the same text and settings.

    Args:
        documents: The training part of the corpus, and nothing else.
        config: The tokenizer's settings. With a `path` nothing is trained and nothing cached.
        folder: Where cached tokenizers lie; None for `cache_folder()`.

    Returns:
        The tokenizer. Training is deterministic, so a cached one is the one that would be trained.
    """
    if config.path is not None:
        return Tokenizer.from_path(config.path)
    folder = (folder or cache_folder()) / "tokenizers"
    path = folder / f"{_key(documents, config)}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            tokenizer = _load(path)
            if tokenizer is None:
                tokenizer = _train(documents, config)
                _write(path, tokenizer)
            return tokenizer
    except OSError as error:
        logger.warning("The tokenizer is not cached: %s", error)
        return _train(documents, config)


def _train(documents: Sequence[Sequence[str]], config: TokenizerConfig) -> Tokenizer:
    return Tokenizer.train((sentence for document in documents for sentence in document), config)


def _load(path: Path) -> Tokenizer | None:
    """Load a cached tokenizer; None where there is none, or its file is damaged."""
    if not path.exists():
        return None
    try:
        return Tokenizer.from_json(path.read_text(encoding="utf-8"))
    except OSError:
        raise
    except Exception as error:  # whatever the damage leads to; what is cached can be made again
        reason = " ".join(str(error).split())
        logger.warning("The cached tokenizer %s is damaged and is trained anew: %s", path, reason)
        return None


def _write(path: Path, tokenizer: Tokenizer) -> None:
    """Write beside, then rename: after a crash the file is whole, or not there."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(tokenizer.to_json())
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _key(documents: Iterable[Sequence[str]], config: TokenizerConfig) -> str:
    settings = asdict(config) | {
        "package": lit_roberta.__version__,
        "tokenizers": version("tokenizers"),
    }
    digest = hashlib.blake2b(json.dumps(settings, sort_keys=True).encode(), digest_size=16)
    for document in documents:
        for sentence in document:
            digest.update(sentence.encode("utf-8", "surrogatepass") + b"\n")
        digest.update(b"\n")
    return digest.hexdigest()
