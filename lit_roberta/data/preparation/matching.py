"""Whether a prepared folder is what is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.inputs import hash_text
from lit_roberta.data.preparation.manifest import Manifest
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.tokens.extending import is_extension
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must


def check_settings(
    config: TextConfig,
    manifest: Manifest,
    folder: Path,
    *,
    tokenizer_settings: Collection[str] | None = None,
) -> None:
    """Refuse a setting that a prepared folder was made without.

    A setting at its default asks for nothing.

    Args:
        config: What is asked for.
        manifest: What was made.
        folder: Where it lies.
        tokenizer_settings: Which settings of a tokenizer count, where one is there and is compared
            itself. None: all.

    Raises:
        UserError: Names the setting and both values.
    """
    defaults = dict(_flat(asdict(TextConfig())))
    made = dict(_flat(manifest.inputs))
    for name, value in _flat(asdict(config)):
        if (
            name.startswith(("corpus", "weights"))
            or not _counts(name, tokenizer_settings)
            or value == defaults.get(name)
            or value == made.get(name)
        ):
            continue
        rule = f"be what {folder} was prepared with, {made.get(name)!r}"
        raise must(f"data.{name}", rule, value, "Leave it out, or prepare the text anew.")


def check_tokenizer(
    tokenizer: Tokenizer | None, text: PreparedText, folder: Path, *, extends: bool = False
) -> None:
    """Refuse text that was encoded by another tokenizer than a checkpoint's.

    Args:
        tokenizer: The checkpoint's; None where there is none.
        text: The prepared text.
        folder: Where it lies.
        extends: Whether the text's may have words more.

    Raises:
        UserError: If the ids would mean something else to the model.
    """
    if tokenizer is None or (extends and is_extension(text.tokenizer, tokenizer)):
        return
    if hash_text(tokenizer.to_json()) != hash_text(text.tokenizer.to_json()):
        sizes = f"of {text.tokenizer.vocab_size:,} entries, where it has {tokenizer.vocab_size:,}"
        raise must(
            "data.corpus",
            "be encoded by the checkpoint's tokenizer",
            f"{folder}, by another {sizes}",
            "Name the raw text, which is then encoded anew, or the folder that it was trained on.",
        )


def _counts(name: str, tokenizer_settings: Collection[str] | None) -> bool:
    group, _, rest = name.partition(".")
    return group != "tokenizer" or tokenizer_settings is None or rest in tokenizer_settings


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
