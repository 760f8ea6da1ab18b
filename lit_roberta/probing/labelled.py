"""Labelled texts for judges that learn little or nothing of them.

In: a file. Out: examples that all have a label, and parts of them by a hash of their text, the
same whatever the order of the file.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.texts import read_texts
from lit_roberta.probing.shares import Share


def read_labelled(source: str, reading: LabelledReading) -> list[TextExample]:
    """Read texts that all have a label.

    Raises:
        UserError: If there is no such file, if one has none, or if there are none.
    """
    examples = read_texts(source, reading)
    for example in examples:
        if example.label is None:
            remedy = "Name its column: --reading.label_column."
            raise must(f"{example.place},", "have a label", "none", remedy)
    if not examples:
        raise must("the file of examples", "hold at least one", source, "Give labelled texts.")
    return examples


def ranked(examples: Sequence[TextExample]) -> list[TextExample]:
    """Order examples by a hash of their texts: as good as at random, and always the same."""

    def key(example: TextExample) -> bytes:
        text = f"{example.text}\0{example.pair or ''}"
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    return sorted(examples, key=key)


def labels_of(examples: Sequence[TextExample]) -> list[str]:
    """Give the labels that there are, in the order of the alphabet."""
    return sorted({str(example.label) for example in examples})


def majority(
    judged: Sequence[TextExample], learned: Sequence[TextExample] | None = None
) -> tuple[str, Share]:
    """Give the most frequent label, and how often it is right.

    Args:
        judged: Where it is right or not.
        learned: Where it is the most frequent. None: in the same.
    """
    counts = Counter(str(example.label) for example in learned or judged)
    label = max(sorted(counts), key=counts.__getitem__)
    right = sum(str(example.label) == label for example in judged)
    return label, Share(right=right, total=len(judged))
