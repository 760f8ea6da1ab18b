"""What separates two recipes, as switches that a person has a name for.

In: the settings of two recipes. Out: switches, each of one or more settings that belong together,
and the settings that differ without being part of a recipe. It reads no file and no text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lit_roberta.comparison.judging.designs import Judge

LEARNING_RATE = "model.optimizer.lr"

_OF_THE_TEXT = (
    "data.corpus",
    "data.validation_corpus",
    "data.test_corpus",
    "data.general_corpus",
    "data.split_by",
    "data.weights",
    "data.deduplicate",
    "data.reading.",
)
_OF_THE_MACHINE = ("data.num_workers", "data.micro_batch_size")

_NOT_FOR_LOSS = (
    "data.format",
    "data.masking.rate",
    "data.masking.mask_share",
    "data.masking.random_share",
    "data.masking.whole_word",
    "data.tokenizer.",
    "model.frequency_weighted_loss",
)
"""Settings that change what the loss measures, or in which each recipe wins at its own."""


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A switch as people know it."""

    name: str
    slug: str
    """The same in one short word, for folders and command lines."""
    keys: tuple[str, ...]
    """Settings; one that ends in a dot stands for all below it."""
    joining: tuple[str, ...] = ()
    """Settings that go with it where one of the others differs, too."""


_KINDS = (
    # Weights that are there bring their encoder and their tokenizer.
    _Kind(
        name="initial weights",
        slug="weights",
        keys=("model.pretrained",),
        joining=("model.extend_positions", "model.encoder.", "data.tokenizer."),
    ),
    _Kind(name="masking copies", slug="masking-copies", keys=("data.masking.copies",)),
    _Kind(
        name="next-sentence prediction",
        slug="nsp",
        keys=("model.next_sentence",),
        joining=("data.nsp_first_sentences",),
    ),
    _Kind(name="format", slug="format", keys=("data.format",)),
    _Kind(
        name="batch size with its learning rate",
        slug="batch",
        keys=("data.batch_size", "data.batch_tokens", "data.batch_ramp."),
        joining=(LEARNING_RATE,),
    ),
    _Kind(name="tokenizer", slug="tokenizer", keys=("data.tokenizer.",)),
    _Kind(name="learning rate", slug="lr", keys=(LEARNING_RATE,)),
    _Kind(name="schedule", slug="schedule", keys=("model.schedule.",)),
    _Kind(name="masking rate", slug="masking-rate", keys=("data.masking.rate",)),
    _Kind(
        name="masking shares",
        slug="masking-shares",
        keys=("data.masking.mask_share", "data.masking.random_share"),
    ),
    _Kind(name="whole-word masking", slug="whole-words", keys=("data.masking.whole_word",)),
    _Kind(
        name="sequence length",
        slug="length",
        keys=("data.max_length", "data.length_stages", "model.encoder.max_position_embeddings"),
    ),
    _Kind(
        name="short sequences", slug="short-sequences", keys=("data.short_sequence_probability",)
    ),
    _Kind(
        name="size of the encoder",
        slug="size",
        keys=tuple(
            f"model.encoder.{key}"
            for key in (
                "hidden_size",
                "num_hidden_layers",
                "num_attention_heads",
                "intermediate_size",
            )
        ),
    ),
    _Kind(
        name="dropout",
        slug="dropout",
        keys=("model.encoder.hidden_dropout_prob", "model.encoder.attention_probs_dropout_prob"),
    ),
    _Kind(
        name="weighting of the loss",
        slug="loss-weighting",
        keys=("model.frequency_weighted_loss",),
    ),
    _Kind(name="share of the text", slug="text-share", keys=("data.training_share",)),
    _Kind(name="gradient clipping", slug="clipping", keys=("model.optimizer.clip_norm",)),
    _Kind(name="weight decay", slug="weight-decay", keys=("model.optimizer.weight_decay",)),
    _Kind(
        name="Adam's constants",
        slug="adam",
        keys=("model.optimizer.betas", "model.optimizer.eps"),
    ),
)
"""In the order in which a ladder takes them; settings that no kind knows come behind."""


@dataclass(frozen=True, kw_only=True)
class Switch:
    """One difference of two recipes."""

    name: str
    slug: str
    """The name in one short word."""
    changes: dict[str, tuple[Any, Any]]
    """By dotted name of the setting: its value in the first recipe, and in the second."""

    @property
    def judge(self) -> Judge:
        """What can tell whether it helps."""
        return "loss" if all(map(is_for_loss, self.changes)) else "probes"

    def settings(self) -> tuple[str, ...]:
        """Give its settings after it is switched, as they are given on a command line."""
        return tuple(as_setting(key, after) for key, (_, after) in self.changes.items())


def as_setting(key: str, value: Any) -> str:
    """Write a setting as a command line has it.

    Example:
        >>> as_setting("data.masking.copies", None), as_setting("data.format", "full-sentences")
        ('data.masking.copies=null', 'data.format=full-sentences')
    """
    return f"{key}={value if isinstance(value, str) else json.dumps(value)}"


def is_recipe_key(key: str) -> bool:
    """Tell whether a setting is part of a recipe: neither the text's nor the machine's.

    Example:
        >>> is_recipe_key("data.format"), is_recipe_key("data.corpus"), is_recipe_key("compile")
        (True, False, False)
    """
    return key.startswith(("data.", "model.")) and not _is_of(
        key, (*_OF_THE_TEXT, *_OF_THE_MACHINE)
    )


def is_for_loss(key: str) -> bool:
    """Tell whether a loss is still the same measure where a setting differs.

    Example:
        >>> is_for_loss("data.batch_size"), is_for_loss("data.masking.rate")
        (True, False)
    """
    return not _is_of(key, _NOT_FOR_LOSS)


def is_of_the_text(key: str) -> bool:
    """Tell whether a setting says which text there is, and how it is read."""
    return _is_of(key, _OF_THE_TEXT)


def differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Give the settings in which two recipes differ, with the value of each."""
    keys = dict.fromkeys([*first, *second])
    both = {key: (first.get(key), second.get(key)) for key in keys}
    return {key: (before, after) for key, (before, after) in both.items() if before != after}


def find_switches(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Switch]:
    """Give the switches that lead from one recipe to another, in the order of a ladder.

    Args:
        first: All settings by dotted name.
        second: The same of the other recipe.

    Returns:
        Each differing setting of the recipes in exactly one switch; none where they are equal.
    """
    left = {key: pair for key, pair in differing(first, second).items() if is_recipe_key(key)}
    switches = []
    for kind in _KINDS:
        if any(_is_of(key, kind.keys) for key in left):
            mine = [key for key in left if _is_of(key, (*kind.keys, *kind.joining))]
            changes = {key: left.pop(key) for key in mine}
            switches.append(Switch(name=kind.name, slug=kind.slug, changes=changes))
    return [*switches, *_unknown(left)]


def _unknown(changes: Mapping[str, tuple[Any, Any]]) -> list[Switch]:
    """Make a switch of every setting that no kind knows, by the last part of its name."""
    short = [key.rpartition(".")[2] for key in changes]
    taken = {kind.slug for kind in _KINDS}
    names = [
        key if short.count(last) > 1 or last in taken else last
        for key, last in zip(changes, short, strict=True)
    ]
    return [
        Switch(
            name=name.replace("_", " "),
            slug=name.replace("_", "-").replace(".", "-"),
            changes={key: pair},
        )
        for name, (key, pair) in zip(names, changes.items(), strict=True)
    ]


def _is_of(key: str, patterns: Sequence[str]) -> bool:
    return any(key == each or (each.endswith(".") and key.startswith(each)) for each in patterns)
