"""What trains without complaint and should not: said when a text is prepared, a line each.

In: the facts of a text. Out: lines, each with what to do. It reads no text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.facts import NEAR_EMPTY

_MANY_COPIES = 0.05
"""Share of documents; web text that was cleaned has less."""
_MANY_NEAR_EMPTY = 0.1
_OFTEN = 0.05
"""Share of all sentences that one sentence may have."""
_MUCH_AGAIN = 0.3
"""Share of sentences that may be equal to earlier ones."""
_FEW_DOCUMENTS = 8
"""Fewer held-out documents say nothing about others like them."""


def find_concerns(
    facts: Mapping[str, Any], config: TextConfig, *, test_documents: int
) -> list[str]:
    """Say what to look at before training.

    Args:
        facts: What `gather_facts` found.
        config: How the text was read.
        test_documents: Documents of the test part.
    """
    return [
        *_of_repetition(facts, config),
        *_of_characters(facts, config),
        *_of_documents(facts, test_documents),
    ]


def _of_repetition(facts: Mapping[str, Any], config: TextConfig) -> Iterator[str]:
    copies = facts["duplicate_share"]
    if copies >= _MANY_COPIES and not config.deduplicate:
        yield (
            f"{copies:.1%} of the documents are equal to an earlier one: "
            "--deduplicate true leaves them out"
        )
    share = facts["commonest_sentence_share"]
    if share >= _OFTEN:
        yield (
            f"{share:.1%} of the training sentences are one and the same, "
            f"{facts['commonest_sentence']!r}: a model learns it and little else; take it out"
        )
    again = facts["repeated_sentence_share"]
    if again >= _MUCH_AGAIN:
        yield (
            f"{again:.1%} of the training sentences are equal to earlier ones: a low loss may be "
            "text that is known by heart"
        )


def _of_characters(facts: Mapping[str, Any], config: TextConfig) -> Iterator[str]:
    if facts["control_characters"]:
        yield (
            f"{facts['control_characters']:,} control characters stand in the text: is one of its "
            "files no plain text?"
        )
    if facts["replacement_characters"] and config.reading.errors == "strict":
        yield (
            f"U+FFFD stands {facts['replacement_characters']:,} times in the text: it was decoded "
            "wrongly before it came here; look for the original"
        )


def _of_documents(facts: Mapping[str, Any], test_documents: int) -> Iterator[str]:
    near_empty = facts["near_empty_share"]
    if near_empty >= _MANY_NEAR_EMPTY:
        yield (
            f"{near_empty:.1%} of the documents have fewer than {NEAR_EMPTY} words: is "
            "document_boundary right?"
        )
    if test_documents < _FEW_DOCUMENTS:
        count = f"{test_documents} document{'s' * (test_documents != 1)}"
        yield (
            f"the test part has {count}: with fewer than {_FEW_DOCUMENTS} no comparison can name "
            "a winner; give a longer test_corpus, or mark its documents by blank lines"
        )
