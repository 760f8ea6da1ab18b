"""What a prepared folder is made from, and whether it still is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.manifest import FORMAT, Manifest
from lit_roberta.data.text.files import FileState
from lit_roberta.data.text.hub import HUB, local_files
from lit_roberta.data.text.python_docs import read_python_docs
from lit_roberta.data.text.sources import find_source
from lit_roberta.data.tokens.tokenizer import Tokenizer


def inputs_of(
    config: TextConfig, tokenizer: Tokenizer | None, *, num_words: int = 0
) -> dict[str, Any]:
    """Name every setting that decides the tokens, as plain data.

    Args:
        config: Which text, read how.
        tokenizer: One that is already there, in the place of the settings of one.
        num_words: Words that it gets.
    """
    settings = asdict(config)
    del settings["weights"]
    if tokenizer is not None:
        settings["tokenizer"] = {"hash": hash_text(tokenizer.to_json()), "extend": num_words}
    held_out = (config.validation_corpus, config.test_corpus)
    if "python-docs" in (*config.sources.values(), *held_out):
        settings["python-docs"] = read_python_docs()[1]
    # A file is known by its place from wherever it is asked for.
    settings["corpus"] = {name: _placed(source) for name, source in config.sources.items()}
    for part in ("validation_corpus", "test_corpus"):
        settings[part] = settings[part] and _placed(settings[part])
    libraries = {name: version(name) for name in ("sentencex", "tokenizers")}
    return settings | {"format": FORMAT} | libraries


def key_of(inputs: Mapping[str, Any]) -> str:
    """Hash settings, to be a name in a cache."""
    return hash_text(json.dumps(inputs, sort_keys=True))


def hash_text(text: str) -> str:
    """Hash text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def files_of(config: TextConfig) -> list[Path]:
    """List the files that are read, in order: those of the text, and a ready tokenizer's.

    Raises:
        UserError: If a source names nothing.
    """
    files = list(_text_files(config))
    path = config.tokenizer.path
    if path is not None:
        place = Path(path)
        files += sorted(place.iterdir()) if place.is_dir() else [place]
    return [file for file in files if file.is_file()]


def still_holds(manifest: Manifest, config: TextConfig) -> bool:
    """Tell whether the files that were read are still all there is, and are as they were."""
    states = [FileState(*state) for state in manifest.files]
    return [state.path for state in states] == [
        str(path.resolve()) for path in files_of(config)
    ] and all(state.still_holds() for state in states)


def _text_files(config: TextConfig) -> Iterator[Path]:
    named = {"data.corpus": list(config.sources.values())} | {
        f"data.{part}": [source]
        for part in ("validation_corpus", "test_corpus")
        if (source := getattr(config, part)) is not None
    }
    for setting, sources in named.items():
        for source in sources:
            if source.startswith(HUB):
                yield from local_files(source)
            else:
                found = find_source(source, setting=setting)[0]
                yield from (file.path for file in found if file.path is not None)


def _placed(source: str) -> str:
    """Give a path in full; a name stays as it is."""
    path = Path(source).expanduser()
    return str(path.resolve()) if path.exists() else source
