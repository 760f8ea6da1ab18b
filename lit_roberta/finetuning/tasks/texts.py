"""What tasks of a text, or of a pair of texts, share: rows, and what is judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from jaxtyping import Shaped

from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.tasks.base import FinetuningTask

PredictionT = TypeVar("PredictionT")


class TextTask(FinetuningTask[TextExample, PredictionT]):
    """One label or number for a text or a pair of texts."""

    kind = "sequence-classification"

    @classmethod
    def key_text(cls, example: TextExample) -> str:
        """Give both texts."""
        return f"{example.text}\t{example.pair or ''}"


def labelled(
    examples: Sequence[TextExample], predictions: Sequence[PredictionT]
) -> list[tuple[TextExample, PredictionT]]:
    """Give the examples that can be judged, each with its prediction."""
    pairs = zip(examples, predictions, strict=True)
    return [(example, each) for example, each in pairs if example.label is not None]


def text_items(
    examples: Sequence[TextExample],
    layout: Layout,
    labels: Sequence[Shaped[np.ndarray, ""]],
) -> list[Item]:
    """Lay out texts and pairs, a row each.

    Args:
        examples: The texts.
        layout: How.
        labels: Their numbers, or numbers to come close to.
    """
    firsts = encode_all([example.text for example in examples], layout)
    seconds = iter(encode_all([each.pair for each in examples if each.pair is not None], layout))
    items = []
    for number, (example, first) in enumerate(zip(examples, firsts, strict=True)):
        row, is_cut = layout.lay_out(first, None if example.pair is None else next(seconds))
        items.append(Item((row,), labels[number], number, is_cut))
    return items


def encode_all(texts: Sequence[str], layout: Layout) -> list[list[int]]:
    """Encode texts, without control tokens."""
    encoded = layout.tokenizer.encode_sentences(list(texts))
    ends = np.cumsum(encoded.lengths)
    return [part.tolist() for part in np.split(encoded.tokens, ends[:-1])] if len(texts) else []
