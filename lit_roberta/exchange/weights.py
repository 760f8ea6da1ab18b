"""Weights under Hugging Face's names to weights under ours, and back, bit for bit.

In: tensors by name. Out: the same numbers, joined, cut and in our order of rows. It knows nothing
of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.exchange.names import (
    FLIPPED,
    POSITIONS,
    TIED,
    Family,
    is_of_head,
    with_trunk,
)
from lit_roberta.exchange.tasks import CLASSES, names_with_task
from lit_roberta.model.task_heads import TaskKind

_BUFFERS = re.compile(r"embeddings\.(position_ids|token_type_ids)$")
"""Constants that older versions stored."""

_PADDING_POSITIONS = "embeddings.position_embeddings.weight[:padding]"

_NARROWEST = 2
"""Bytes of a number that means something without a scale."""


class Converted(NamedTuple):
    """Weights under our names."""

    weights: dict[str, Tensor]
    unused: dict[str, Tensor]
    """What has no effect and is kept for the way back."""


def to_ours(
    theirs: MutableMapping[str, Tensor],
    *,
    family: Family,
    num_layers: int,
    pad_id: int,
    task: TaskKind | None = None,
) -> Converted:
    """Turn Hugging Face's weights into ours.

    Args:
        theirs: With or without the trunk's prefix. Emptied on the way, so that the two do not
            stand side by side in memory.
        family: Whose names they have.
        num_layers: Transformer layers that the configuration gives.
        pad_id: Of the tokenizer; RoBERTa's positions start behind it.
        task: What the model was fine-tuned for; its head must be there.

    Raises:
        UserError: If a weight is missing, if one has no place in our model, or if the decoder is
            not the token embedding.
    """
    stored = short_names(theirs, family)
    _drop_tied(theirs, stored, family)
    names = names_with_task(family, num_layers=num_layers, kind=task)
    _refuse_strangers(stored, names)
    found: dict[str, Tensor] = {}
    for name, parts in names.items():
        missing = [part for part in parts if part not in stored]
        if missing and not is_of_head(name):
            raise must("the weights", f"hold {missing[0]}", "none", "Take another checkpoint.")
        if not missing:
            pieces = {part: theirs.pop(stored[part]) for part in parts}
            found[name] = _join(name, pieces)
    require_whole_heads(found, names)
    unused = {}
    if family == "roberta":
        rows = found[POSITIONS]
        unused[_PADDING_POSITIONS] = rows[: pad_id + 1].clone()
        found[POSITIONS] = rows[pad_id + 1 :].clone()
    return Converted(found, unused)


def to_theirs(
    ours: Mapping[str, Tensor],
    unused: Mapping[str, Tensor],
    *,
    family: Family,
    num_layers: int,
    pad_id: int,
    task: TaskKind | None = None,
) -> dict[str, Tensor]:
    """Turn our weights into Hugging Face's, each under one name: tied ones are not repeated.

    Args:
        ours: Of a `BertModel`.
        unused: What `to_ours` kept.
        family: Whose names to give; RoBERTa has no next-sentence head, so `ours` must have none.
        num_layers: Transformer layers.
        pad_id: Of the tokenizer.
        task: What the model was fine-tuned for.

    Returns:
        By their names, with the trunk's prefix.
    """
    names = names_with_task(family, num_layers=num_layers, kind=task)
    found: dict[str, Tensor] = {}
    for name, weight in ours.items():
        parts = names[name]
        if name in FLIPPED:
            weight = weight.flip(0)
        if name == POSITIONS and family == "roberta":
            padding = unused.get(_PADDING_POSITIONS)
            if padding is None or len(padding) != pad_id + 1:
                padding = weight.new_zeros(pad_id + 1, weight.shape[1])
            weight = torch.cat([padding, weight])
        for part, piece in zip(parts, weight.chunk(len(parts)), strict=True):
            found[with_trunk(part, family)] = piece.contiguous()
    return found


def short_names(names: Iterable[str], family: Family) -> dict[str, str]:
    """Give the names of a file by those that the tables know.

    Args:
        names: With or without the trunk's prefix, also the older ones of layer norms.
        family: Whose names they are.

    Returns:
        The names of the file, without those of constants.

    Raises:
        UserError: If two are one and the same to the tables.
    """
    found: dict[str, str] = {}
    for name in names:
        short = name.removeprefix(f"{family}.")
        short = re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", short)
        short = re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", short)
        if short in found:
            remedy = "They may hold two models: take one of them."
            raise must("the weights", f"hold {short} once", f"{found[short]} and {name}", remedy)
        if not _BUFFERS.search(short):
            found[short] = name
    return found


def is_plain(weight: object) -> bool:
    """Tell whether something is a tensor that holds its numbers, each in its place."""
    return (
        isinstance(weight, Tensor)
        and weight.layout == torch.strided
        and not (weight.is_quantized or weight.is_meta)
    )


def require_numbers(weights: Mapping[str, Tensor]) -> None:
    """Refuse whole numbers, which need a scale to mean something, and what is not finite.

    Raises:
        UserError: Names the weight.
    """
    for name, weight in weights.items():
        _require_floats(name, weight)
        if not torch.stack(weight.aminmax()).isfinite().all():
            remedy = "The model computes nothing: take another checkpoint."
            raise must("the weights", f"be finite in {name}", "NaN or infinity", remedy)


def require_whole_heads(found: Mapping[str, Tensor], names: Mapping[str, Sequence[str]]) -> None:
    """Refuse a head that is there in part.

    Args:
        found: Weights by our names.
        names: All that there may be, with what Hugging Face calls them.

    Raises:
        UserError: Names what is missing.
    """
    for prefix in ("masked_lm_head.", "next_sentence_head.pooler.", "next_sentence_head.class"):
        head = [name for name in names if name.startswith(prefix)]
        missing = [name for name in head if name not in found]
        if missing and len(missing) < len(head):
            remedy = "The rest of that head is there: the file may be cut."
            raise must("the weights", f"hold {names[missing[0]][0]}", "none", remedy)


def _require_floats(name: str, weight: Tensor) -> None:
    if not weight.is_floating_point() or weight.dtype.itemsize < _NARROWEST:
        remedy = "Quantized weights are not implemented."
        raise must("the weights", f"be floats in {name}", str(weight.dtype), remedy)


def _refuse_strangers(stored: Iterable[str], names: Mapping[str, Sequence[str]]) -> None:
    strange = set(stored).difference(*names.values())
    if strange:
        remedy = "This model has no place for it, and would compute something else without it."
        if min(strange).startswith(("classifier.", "qa_outputs.")):
            known = ", ".join(f"Bert{ending}" for ending in CLASSES.values())
            remedy = f"Name its class in config.json, under architectures: {known} or RoBERTa's."
        raise must("the weights", "be those of BERT or RoBERTa", min(strange), remedy)


def _drop_tied(
    theirs: MutableMapping[str, Tensor], stored: MutableMapping[str, str], family: Family
) -> None:
    for name, original in TIED[family].items():
        second = stored.pop(name, None)
        if second is None:
            continue
        if original not in stored:
            stored[original] = second
        elif not torch.equal(theirs.pop(second), theirs[stored[original]]):
            remedy = "Only a decoder that is tied to the token embedding is implemented."
            raise must("the weights", f"hold one tensor as {name} and {original}", "two", remedy)


def _join(name: str, pieces: Mapping[str, Tensor]) -> Tensor:
    parts = list(pieces.values())
    if len(parts) > 1:
        for part, weight in pieces.items():  # joined with floats, whole numbers become some
            _require_floats(part, weight)
    weight = parts[0] if len(parts) == 1 else torch.cat(parts)
    return weight.flip(0) if name in FLIPPED else weight
