"""Which of two sentences a model finds more likely: its grammar, without any training for it.

Source: Salazar et al. 2020, "Masked Language Model Scoring", section 4.3; Warstadt et al. 2020,
"BLiMP", for the pairs' form. Within a word, a token is predicted from what is before it (Kauf and
Ivanova 2023), so that words of many tokens are not taken for likely ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lit_roberta.errors import must
from lit_roberta.inference.scoring import Scorer, WithinWord
from lit_roberta.inference.text_model import TextModel
from lit_roberta.probing.pairs import MinimalPair
from lit_roberta.probing.shares import Share

CHANCE = 0.5


@dataclass(frozen=True, kw_only=True)
class MinimalPairScores:
    """How often a model prefers the good sentence."""

    overall: Share | None
    """None: no pair was judged."""
    by_phenomenon: dict[str, Share]
    """In the order of the pairs."""
    right: list[bool | None]
    """For each pair; None for one that was left out."""
    ties: int
    """Pairs of which the model finds both alike: they count as wrong."""
    unknown: int
    """Pairs left out for a word that the tokenizer does not know."""
    too_long: int
    """Pairs left out for a sentence that the model has no room for."""

    def as_json(self) -> dict[str, Any]:
        """Give plain values."""
        return {
            "overall": None if self.overall is None else self.overall.as_json(),
            "chance": CHANCE,
            "by_phenomenon": {name: each.as_json() for name, each in self.by_phenomenon.items()},
            "pairs": len(self.right),
            "left_out_unknown": self.unknown,
            "left_out_too_long": self.too_long,
            "ties": self.ties,
        }


def judge_minimal_pairs(
    model: TextModel, pairs: Sequence[MinimalPair], *, within_word: WithinWord = "left-to-right"
) -> MinimalPairScores:
    """See how often a model finds the good sentence of a pair more likely than the bad one.

    A sentence's score is its pseudo-log-likelihood: the sum over its tokens. Segment ids are 0
    everywhere, whatever a model was trained on.

    Args:
        model: With a masked-language-model head.
        pairs: Good and bad sentences.
        within_word: What a prediction sees of its own word.

    Raises:
        UserError: If the model has no such head, or a sentence can't be encoded.
    """
    if not model.has_masked_lm_head:
        remedy = "It has vectors and no predictions: take one with the head."
        raise must("the model", "have a masked-language-model head", model.source, remedy)
    fates = [_fate(model, pair) for pair in pairs]
    scorer = Scorer(model, within_word=within_word)
    asked = [pair for pair, fate in zip(pairs, fates, strict=True) if fate is None]
    preferred = [each.preferred for each in scorer.pair_scores([pair[:2] for pair in asked])]
    answers = iter(preferred)
    right = [next(answers) == "good" if fate is None else None for fate in fates]
    return MinimalPairScores(
        overall=_share([each for each in right if each is not None]),
        by_phenomenon=_by_phenomenon(pairs, right),
        right=right,
        ties=preferred.count("neither"),
        unknown=fates.count("unknown"),
        too_long=fates.count("too long"),
    )


def _fate(model: TextModel, pair: MinimalPair) -> str | None:
    """Say why a pair can't be judged; None where it can."""
    rows = [model.tokenizer.encode(sentence) for sentence in pair[:2]]
    unknown = model.tokenizer.vocabulary.unk_id
    if unknown is not None and any(unknown in row for row in rows):
        return "unknown"
    return "too long" if max(map(len, rows)) > model.room else None


def _by_phenomenon(pairs: Sequence[MinimalPair], right: Sequence[bool | None]) -> dict[str, Share]:
    totals: Counter[str] = Counter()
    rights: Counter[str] = Counter()
    for pair, is_right in zip(pairs, right, strict=True):
        if is_right is not None:
            totals[pair.phenomenon] += 1
            rights[pair.phenomenon] += is_right
    return {name: Share(right=rights[name], total=total) for name, total in totals.items()}


def _share(right: Sequence[bool]) -> Share | None:
    return Share(right=sum(right), total=len(right)) if right else None
