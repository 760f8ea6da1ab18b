"""Whether vectors of alike sentences point the same way: STS-B without fine-tuning.

The similarity of two texts is the cosine of their pooled vectors; what is judged is how it goes
along with people's scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.judging.numbers import number_scores
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.texts import read_numbers
from lit_roberta.inference.encoding import Pooling, encode
from lit_roberta.inference.text_model import TextModel
from lit_roberta.inference.texts import OnTooLong

METRICS = ("pearson", "spearmanr")
_PART = "dev.tsv"
"""Of STS-B's folder: its test part has no scores."""


def read_similar(source: str, reading: LabelledReading) -> list[TextExample]:
    """Read pairs of texts with a number.

    Args:
        source: A file of rows; or STS-B's folder, of which the development part is read.
        reading: Which columns.

    Raises:
        UserError: If there is none, a row has no second text or number, or there is but one row.
    """
    path = Path(source)
    examples = read_numbers(str(path / _PART) if path.is_dir() else source, reading)
    for example in examples:
        for name, value in (("second text", example.pair), ("number", example.label)):
            if value is None:
                remedy = "Name its column: --reading.pair_column, --reading.label_column."
                raise must(f"{example.place},", f"have a {name}", "none", remedy)
    if len(examples) < 2:
        remedy = "A correlation needs two."
        raise must("--data", "hold two pairs of texts or more", len(examples), remedy)
    return examples


def cosines(
    model: TextModel,
    pairs: Sequence[tuple[str, str]],
    *,
    pooling: Pooling = "mean",
    layer: int = -1,
    on_too_long: OnTooLong = "truncate",
) -> list[float]:
    """Give the cosine of the vectors of each pair of texts.

    Args:
        model: The model; it needs no head.
        pairs: Texts.
        pooling: mean or cls.
        layer: Whose output is pooled; -1 for the last.
        on_too_long: What is done with a text of more tokens than the model takes.

    Raises:
        UserError: If a text can't be encoded, or there is no such layer.
    """
    texts = [text for pair in pairs for text in pair]
    vectors = encode(
        model, texts, pooling=pooling, layer=layer, normalize=True, on_too_long=on_too_long
    ).astype(np.float64)
    return [
        float(first @ second) for first, second in zip(vectors[::2], vectors[1::2], strict=True)
    ]


def judge_similarity(
    model: TextModel,
    examples: Sequence[TextExample],
    *,
    pooling: Pooling = "mean",
    layer: int = -1,
    on_too_long: OnTooLong = "truncate",
) -> dict[str, float]:
    """See how the cosines of pairs of texts go along with their numbers.

    Args:
        model: The model; it needs no head.
        examples: As `read_similar` gives them.
        pooling: mean or cls.
        layer: Whose output is pooled.
        on_too_long: What is done with a text of more tokens than the model takes.

    Returns:
        Pearson's and Spearman's correlation.
    """
    pairs = [(example.text, example.pair or "") for example in examples]
    found = cosines(model, pairs, pooling=pooling, layer=layer, on_too_long=on_too_long)
    true = [float(example.label or 0.0) for example in examples]
    return number_scores(true, found, metrics=METRICS)
