"""A text by its name: opened where it was prepared, prepared where it was not.

Raw text is prepared into the cache, once for one text and setting, also by processes that start at
once.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from lit_roberta.data.preparation.config import TextConfig, check_weights
from lit_roberta.data.preparation.held_out_words import FACT
from lit_roberta.data.preparation.inputs import key_of, still_holds
from lit_roberta.data.preparation.making import Making, facts_at_length, make_folder
from lit_roberta.data.preparation.manifest import Manifest, is_prepared, read_manifest
from lit_roberta.data.preparation.matching import check_settings, check_tokenizer
from lit_roberta.data.preparation.place import beside, check_place, take_place
from lit_roberta.data.preparation.prepared import PreparedText, open_prepared
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError

logger = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Give the folder of what can be made again: LIT_ROBERTA_CACHE, else the user's cache."""
    chosen = os.environ.get("LIT_ROBERTA_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lit_roberta"


def prepare_text(
    config: TextConfig, *, tokenizer: Tokenizer | None = None, extends: bool = False
) -> PreparedText:
    """Open a text, which is prepared first where it was not.

    Args:
        config: Which text, read how. A prepared folder brings settings of its own.
        tokenizer: One that is already there (a checkpoint's); None trains one on the training
            part.
        extends: Whether that one may get words of the text: as many as the settings ask for, or
            those that a prepared folder brings.

    Returns:
        The parts as arrays, the tokenizer, and the notes.

    Raises:
        UserError: If the text can't be read, is too small to hold anything out, or has a part of
            which the tokenizer knows no token; or if a prepared folder is damaged, or is not what
            is asked for.
    """
    folder = prepared_folder(config)
    if folder is not None:
        manifest = read_manifest(folder)
        count = None if tokenizer is None else ("extend",) if extends else ()
        check_settings(config, manifest, folder, tokenizer_settings=count)
        text = open_prepared(folder, manifest)
        check_tokenizer(tokenizer, text, folder, extends=extends)
        return text
    making = Making(config=config, tokenizer=tokenizer, extends=extends)
    cache = cache_folder() / "prepared" / key_of(making.inputs)
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        return prepare_into(cache, making)
    except OSError as error:
        logger.warning("The prepared text is not kept: %s", error)
    temporary = TemporaryDirectory(prefix="lit_roberta-")
    text = prepare_into(Path(temporary.name) / "text", making)
    text.kept_alive.append(temporary)
    return text


def prepare_into(folder: Path, making: Making) -> PreparedText:
    """Prepare a text into a folder, or open what it holds where that was made from the same.

    Raises:
        UserError: If the text can't be prepared.
        OSError: If the folder can't be written.
    """
    check_weights(making.config.weights, making.config.sources)
    check_place(folder)
    with FileLock(beside(folder, "lock")):
        manifest = _made_from_the_same(folder, making)
        if manifest is None:
            part = beside(folder, "part")
            # One that is whole was interrupted before it had its name.
            if _made_from_the_same(part, making) is None:
                make_folder(making, part)
            take_place(part, folder)
            manifest = read_manifest(folder)
        text = open_prepared(folder, manifest)
        return _as_asked(folder, manifest, text, making)


def _as_asked(
    folder: Path, manifest: Manifest, text: PreparedText, making: Making
) -> PreparedText:
    """Let a folder say what was asked for beside its tokens: weights, and facts at a length."""
    asked = replace(manifest, weights=making.config.weights)
    if manifest.facts["training"]["max_length"] != making.max_length:
        asked = replace(asked, facts=manifest.facts | facts_at_length(text, making.max_length))
    if asked != manifest:
        asked.write(folder)
    return replace(text, weights=asked.weights)


def prepared_folder(config: TextConfig) -> Path | None:
    """Find the prepared folder that the corpus names; None where it names raw text."""
    if not isinstance(config.corpus, str) or "\0" in config.corpus:
        return None
    folder = Path(config.corpus)
    try:
        return folder if is_prepared(folder) else None
    except OSError:  # a name that is too long, a folder that may not be entered
        return None


def _made_from_the_same(folder: Path, making: Making) -> Manifest | None:
    if not is_prepared(folder):
        return None
    try:
        manifest = read_manifest(folder)
        open_prepared(folder, manifest)
    except UserError as error:
        logger.warning("%s is prepared anew: %s", folder, error)
        return None
    same = manifest.inputs == making.inputs
    if not same or not still_holds(manifest, making.config):
        return None
    # Folders of older versions lack facts that are read now.
    return manifest if {"training", FACT} <= set(manifest.facts) else None
