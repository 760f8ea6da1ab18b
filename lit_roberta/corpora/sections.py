"""What a report on a text says, section by section, before it is known where it is shown.

In: the manifest of a prepared folder. Out: tables and sentences. Nothing is measured here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lit_roberta.advice.copies import say_whether_copies_matter
from lit_roberta.corpora.budget import Course, Spending, spend
from lit_roberta.data.preparation.facts import NEAR_EMPTY
from lit_roberta.data.preparation.formats import ROWS_TOGETHER
from lit_roberta.data.preparation.manifest import Manifest


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading, and a table or sentences under it."""

    title: str
    columns: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """Sentences below the table, a paragraph each."""
    commands: list[str] = field(default_factory=list)
    """To be copied as they are."""


def describe(manifest: Manifest, spending: Spending) -> list[Section]:
    """Tell what is in a text, and what training on it would see."""
    return [
        _concerns(manifest.facts),
        _contents(manifest),
        _lengths(manifest.facts),
        _formats(manifest.facts["training"]),
        _budget(manifest.facts["training"], spending),
    ]


def _concerns(facts: Mapping[str, Any]) -> Section:
    lines = [f"{line[0].upper()}{line[1:]}." for line in facts["concerns"]]
    return Section(title="What to look at first", lines=lines or ["Nothing stands out."])


def _contents(manifest: Manifest) -> Section:
    facts = manifest.facts
    counts = [(name, f"{facts[name]:,}") for name in ("documents", "sentences", "words", "tokens")]
    parts = [
        (f"{name} part", f"{part['tokens']:,} tokens in {part['documents']:,} documents")
        for name, part in manifest.parts.items()
    ]
    return Section(
        title="What is there",
        columns=("", "found"),
        rows=[
            *counts,
            ("bytes of UTF-8", f"{facts['bytes']:,}"),
            ("bytes per token", f"{facts['bytes_per_token']:.2f}"),
            ("vocabulary", f"{manifest.vocab_size:,} entries"),
            ("unknown tokens", f"{facts['unknown_share']:.2%}"),
            ("documents equal to an earlier one", f"{facts['duplicate_share']:.1%}"),
            (f"documents below {NEAR_EMPTY} words", f"{facts['near_empty_share']:.1%}"),
            (
                "training sentences equal to earlier ones",
                f"{facts['repeated_sentence_share']:.1%}",
            ),
            ("control characters", f"{facts['control_characters']:,}"),
            ("U+FFFD (could not be decoded)", f"{facts['replacement_characters']:,}"),
            *parts,
        ],
    )


def _lengths(facts: Mapping[str, Any]) -> Section:
    names = {
        "words_per_document": "words of a document",
        "tokens_per_sentence": "tokens of a sentence",
    }
    quantiles = tuple(facts["words_per_document"])
    return Section(
        title="How long they are",
        columns=("not longer than", *quantiles),
        rows=[
            (what, *(f"{length:,}" for length in facts[name].values()))
            for name, what in names.items()
        ],
        lines=["0% is the shortest of all, 50% the median, 100% the longest."],
    )


def _formats(measured: Mapping[str, Any]) -> Section:
    possible, impossible = _sorted_out(measured)
    lines = [
        "Tokens of an example, special ones included; padding where all are as long as allowed, "
        f"and in batches as long as the longest of {ROWS_TOGETHER}; sentences that are cut in "
        "pieces; tokens that are in no example; pairs whose second part is a random one.",
        *(f"{format} is not possible: {reason}" for format, reason in impossible.items()),
    ]
    if measured["measured_tokens"] < measured["tokens"]:
        lines.append(
            f"Estimated from {measured['measured_tokens']:,} of {measured['tokens']:,} tokens, "
            "taken evenly from all over the text."
        )
    return Section(
        title=f"What each format gives at {measured['max_length']} tokens",
        columns=(
            "format",
            "examples",
            "tokens",
            "padding",
            "in batches",
            "cut",
            "left out",
            "random B",
        ),
        rows=[_format_row(format, facts) for format, facts in possible.items()],
        lines=lines,
    )


def _format_row(format: str, facts: Mapping[str, Any]) -> tuple[str, ...]:
    negatives = facts["negative_share"]
    return (
        format,
        f"{facts['examples']:,}",
        f"{facts['tokens_per_example']:.1f}",
        f"{facts['padding_share']:.1%}",
        f"{facts['batch_padding_share']:.1%}",
        f"{facts['cut_share']:.1%}",
        f"{facts['dropped_share']:.1%}",
        "-" if negatives is None else f"{negatives:.1%}",
    )


def _budget(measured: Mapping[str, Any], spending: Spending) -> Section:
    possible, _ = _sorted_out(measured)
    courses = {format: spend(spending, measured, format) for format in possible}
    tokens = spending.tokens(measured["tokens"])
    return Section(
        title=f"What {spending.passes:g} passes over the training text come to",
        columns=("format", "updates", "passes", f"each of {spending.copies:,} masking copies"),
        rows=[
            (
                format,
                f"{course.updates:,}",
                f"{course.passes:,.1f}",
                f"met {course.passes / spending.copies:,.1f} times"
                if course.copies_matter
                else "met once at the most",
            )
            for format, course in courses.items()
        ],
        lines=[
            f"{tokens:,} tokens, at {spending.batch_size:,} sequences an update; passes are over "
            "the examples of the format.",
            *_copies(courses, spending),
        ],
    )


def _copies(courses: Mapping[str, Course], spending: Spending) -> Iterator[str]:
    """Say what masking copies mean for the format that makes the most passes."""
    if courses:
        format, course = max(courses.items(), key=lambda item: item[1].passes)
        yield f"{format}: {say_whether_copies_matter(course.passes, spending.copies)}"


def _sorted_out(measured: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    formats = measured["formats"].items()
    possible = {format: facts for format, facts in formats if "impossible" not in facts}
    return possible, {f: facts["impossible"] for f, facts in formats if f not in possible}
