"""What to start from on a text, each setting with its source, and the commands that do it.

In: the manifest of a prepared folder. Out: a section of a report, whose commands run as they are.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lit_roberta.advice.studies import Suggestion
from lit_roberta.advice.suggestions import Suggestions, suggest
from lit_roberta.corpora.sections import Section
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.manifest import Manifest

_TOKENIZER = "--data.tokenizer."


def suggest_for(manifest: Manifest) -> Suggestions:
    """Suggest settings for the amount of text that a folder holds."""
    facts = manifest.facts
    return suggest(num_words=facts["words"], num_bytes=facts["bytes"], num_tokens=facts["tokens"])


def describe_suggestions(made: Suggestions, config: TextConfig, folder: Path) -> Section:
    """Tell what to start from.

    Args:
        made: For the amount of text that the folder holds.
        config: What the folder was made from.
        folder: The prepared folder.
    """
    return Section(
        title=f"What to start from, for some {made.num_words:,} words",
        columns=("setting", "value", "source"),
        rows=list(_rows(made)),
        lines=[
            *([made.note] if made.note else []),
            "A start, that nobody has tried on this text:",
        ],
        commands=commands(made, config, folder),
    )


def commands(made: Suggestions, config: TextConfig, folder: Path) -> list[str]:
    """Give the commands that train so; the first makes the tokenizer, where that differs."""
    options = [word for word in made.options() if not word.startswith(_TOKENIZER)]
    wanted = [word for word in made.options() if word.startswith(_TOKENIZER)]
    lines = []
    tokenizer = config.tokenizer
    same = (tokenizer.kind, tokenizer.vocab_size) == (
        made.tokenizer_kind.value,
        made.vocab_size.value,
    )
    if tokenizer.path is None and not same:
        folder = folder.with_name(f"{folder.name}-{made.tokenizer_kind.value}")
        words = [word.replace("--data.", "--", 1) for word in wanted]
        lines.append(shlex.join([*_prepare(config), f"--output={folder}", *words]))
    train = [
        "lit-roberta",
        "train",
        "fit",
        "--config=roberta",
        *options,
        f"--data.corpus={folder}",
    ]
    return [*lines, shlex.join(train)]


def _prepare(config: TextConfig) -> Iterator[str]:
    """Write the command that reads a text as it was read, without its tokenizer and its place."""
    yield from ("lit-roberta", "prepare", "--corpus")
    if isinstance(config.corpus, str):
        yield config.corpus
    else:
        yield from (f"{name}={source}" for name, source in config.corpus.items())
    if config.weights is not None:
        yield from ("--weights", *(f"{name}={share}" for name, share in config.weights.items()))
    usual = asdict(TextConfig())
    settings = asdict(config)
    for name, value in settings.items():
        if name not in ("corpus", "weights", "reading", "tokenizer") and value != usual[name]:
            yield f"--{name}={_written(value)}"
    for name, value in settings["reading"].items():
        if value != usual["reading"][name]:
            yield f"--reading.{name}={_written(value)}"


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows(made: Suggestions) -> Iterator[tuple[str, str, str]]:
    vocabulary = made.vocab_size.map(
        lambda size: "every word seen twice" if size is None else f"{size:,} entries"
    )
    named: dict[str, Suggestion[Any]] = {
        "tokenizer": made.tokenizer_kind,
        "vocabulary": vocabulary,
        "model size": made.model_size,
        "max_length": made.max_length,
        "batch size": made.batch_size.map("{:,} sequences".format),
        "learning rate": made.learning_rate.map("{:g}".format),
        "warm-up": made.warmup_share.map("{:.0%} of the updates".format),
        "updates": made.updates.map("{:,}".format),
        "epochs": made.epochs.map("{:,.0f} passes at the most".format),
    }
    for name, suggestion in named.items():
        yield name, str(suggestion.value), suggestion.source
