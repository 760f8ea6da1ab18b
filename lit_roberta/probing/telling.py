"""What the probes found, in lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lit_roberta.probing.linear import LinearProbeScores
from lit_roberta.probing.minimal_pairs import CHANCE, MinimalPairScores
from lit_roberta.probing.shares import Share
from lit_roberta.probing.zero_shot import ZeroShotScores


def tell_minimal_pairs(scores: MinimalPairScores) -> Iterator[str]:
    """Write the share of each phenomenon, and what was left out."""
    assert scores.overall is not None, "some pair was judged"
    yield f"good sentence preferred (95% interval); chance is {CHANCE:.0%}"
    yield from _table({"all pairs": scores.overall, **scores.by_phenomenon})
    for count, why in (
        (scores.unknown, "for a word that the tokenizer does not know"),
        (scores.too_long, "for a sentence that the model has no room for"),
    ):
        if count:
            yield f"{count:,} of {len(scores.right):,} pairs left out {why}."
    if scores.ties:
        yield f"{scores.ties:,} pairs with both sentences alike to the model count as wrong."


def tell_zero_shot(scores: ZeroShotScores) -> Iterator[str]:
    """Write the accuracy with and without calibration, beside the majority's."""
    yield "labels that are right (95% interval)"
    yield from _table(
        {
            "calibrated": scores.calibrated,
            "not calibrated": scores.uncalibrated,
            f"always {scores.majority_label!r}": scores.majority,
        }
    )
    if scores.shots:
        examples = "example" if scores.shots == 1 else "examples"
        yield f"{scores.shots:.3g} answered {examples} of each label before a text, on average."


def tell_linear(scores: LinearProbeScores) -> Iterator[str]:
    """Write the accuracy beside the majority's."""
    yield "labels that are right (95% interval)"
    yield from _table(
        {
            "linear probe": scores.accuracy,
            f"always {scores.majority_label!r}": scores.majority,
        }
    )
    yield f"It learned from {scores.trained:,} texts, with a penalty of {scores.penalty:g}."


def tell_similarity(scores: Mapping[str, float], count: int) -> Iterator[str]:
    """Write the correlations."""
    yield f"cosines of {count:,} pairs of texts beside people's numbers"
    for name, score in scores.items():
        yield f"{name:<9}  {score:.4f}"


def _table(shares: Mapping[str, Share]) -> Iterator[str]:
    width = max(map(len, shares))
    for name, share in shares.items():
        yield f"{name:<{width}}  {share}"
