"""Training, validation and test part of a corpus, by content alone.

Documents are ranked by a hash of their content. Test takes them from the front, validation goes
on from there, and the rest is trained on. So the parts do not depend on the order of files, the
machine or the run's seed; they have their exact size; and more text moves only documents at the
edges. A threshold on the hash would have none of the last two: at 10% of 12 novels it holds out
none in 28% of cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import numpy as np
from jaxtyping import Shaped, UInt8

from lit_roberta.counted import counted
from lit_roberta.data.corpus.units import Units, no_units
from lit_roberta.errors import UserError, must

T = TypeVar("T")

SplitUnit = Literal["document", "file"]

MANY_DOCUMENTS = 1000
SHARE_OF_FEW, SHARE_OF_MANY = 0.20, 0.05
"""Share of words that test gets, below and from 1,000 documents."""
FEWEST_TEST, FEWEST_VALIDATION = 8, 4
"""Documents; with less there is no interval over documents, so no verdict."""
MOST_TEST_WORDS, MOST_VALIDATION_WORDS = 1e6, 2e5

TRAIN, VALIDATION, TEST, DROPPED = range(4)
"""What a document is for."""


@dataclass(frozen=True)
class Parts(Generic[T]):
    """Something for each part of a corpus."""

    train: T
    validation: T
    test: T


def hold_out(
    rows: Shaped[np.ndarray, " documents"], units: Iterable[Units], *, by: SplitUnit
) -> UInt8[np.ndarray, " documents"]:
    """Hold out a test part and a validation part.

    Test gets 20% of the words below 1,000 documents and 5% from there on, at least 8 documents
    and at most about a million words; validation half of that, at least 4 documents and at most
    about 200,000 words. Documents that read alike, whatever their case and white space, stay
    together and count as one: a model that lower-cases could not tell them apart. Words are
    white-space words.

    Args:
        rows: The table of the corpus.
        units: What is held out together: documents, or files.
        by: What the units are.

    Returns:
        TRAIN, VALIDATION or TEST for each document of the units, DROPPED for every other one.

    Raises:
        UserError: If less than half of the text would be left to train on.
    """
    total = int(rows["words"].sum())
    parts = np.full(len(rows), DROPPED, dtype=np.uint8)
    front, documents, members, count = no_units(), 0, 0, 0
    for some in units:
        parts[some.members] = TRAIN
        documents += int(some.distinct.sum())
        members, count = members + len(some.members), count + len(some)
        front = front.joined(some).ranked()
        front = front.take(np.arange(sum(_counts(front, total, SHARE_OF_FEW))))
    words = int(rows["words"][parts == TRAIN].sum())
    share = SHARE_OF_FEW if documents < MANY_DOCUMENTS else SHARE_OF_MANY
    test, validation = _counts(front, words, share)
    parts[front.members[: front.offsets[test]]] = TEST
    parts[front.members[front.offsets[test] : front.offsets[test + validation]]] = VALIDATION
    if 2 * int(rows["words"][parts == TRAIN].sum()) < words:
        raise _too_small(documents, count, by, alike=documents < members)
    return parts


def _counts(units: Units, words: int, share: float) -> tuple[int, int]:
    """Count the units from the front that test gets, and those that validation gets."""
    test = units.count_from_front(words=min(share * words, MOST_TEST_WORDS), documents=FEWEST_TEST)
    validation = units.count_from_front(
        words=min(share / 2 * words, MOST_VALIDATION_WORDS),
        documents=FEWEST_VALIDATION,
        first=test,
    )
    return test, validation


def _too_small(documents: int, units: int, by: SplitUnit, *, alike: bool) -> UserError:
    held_out = f"{FEWEST_TEST} documents for test, {FEWEST_VALIDATION} for validation"
    rule = f"have {held_out} and at least half of its text for training"
    got = counted(documents, "document")
    if by == "file":
        got += f" in {counted(units, 'file')}"
    remedy = "Documents that read alike count once. " if alike else ""
    remedy += (
        "Give more text, another data.reading.document_boundary, or your own "
        "data.validation_corpus and data.test_corpus."
    )
    return must("data.corpus", rule, got, remedy)
