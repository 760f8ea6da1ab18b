"""How likely a model finds a text: each token is predicted from all others.

The sum of these log-probabilities is a score to compare texts by, not a probability: a masked
model has none. It is the pseudo-log-likelihood.

Source: Salazar et al. 2020, "Masked Language Model Scoring", section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch

from lit_roberta.errors import UserError
from lit_roberta.inference.batching import BATCH_TOKENS, batches_by_length, pad
from lit_roberta.inference.text_model import TextModel
from lit_roberta.inference.texts import Lengths, OnTooLong, Row, rows_of

WithinWord = Literal["visible", "left-to-right"]
"""What a token's prediction sees of the rest of its word: all of it (Salazar et al. 2020), or only
what stands before it, so that the end of a word does not give its beginning away (Kauf and
Ivanova 2023, "A Better Way to Do Masked Language Model Scoring", PLL-word-l2r)."""

_MOST_LOGITS = 1 << 24
"""Of a batch: 64 MB of them."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """How likely a text is to a model."""

    text: str
    score: float
    """The pseudo-log-likelihood: the sum of the tokens' log-probabilities, in nats. 0 for a text
    without tokens."""
    per_token: float | None
    """Their mean, in nats; None where there is no token."""
    tokens: int
    """How many were predicted; [CLS] and [SEP] are not."""
    unknown: int
    """How many of these are [UNK]: what stood there was not judged."""


@dataclass(frozen=True, kw_only=True)
class PairScore:
    """Two texts of which the first should be the more likely one."""

    good: Score
    bad: Score
    preferred: Literal["good", "bad", "neither"]
    """Which has the higher score, by the sum."""


class Scorer:
    """Judge texts.

    Args:
        model: With a masked-language-model head.
        within_word: What a prediction sees of its own word.
        on_too_long: What is done with a text of more tokens than the model takes.

    Raises:
        UserError: If `within_word` is another word.
    """

    def __init__(
        self,
        model: TextModel,
        *,
        within_word: WithinWord = "visible",
        on_too_long: OnTooLong = "truncate",
    ) -> None:
        if within_word not in ("visible", "left-to-right"):
            raise UserError(f"within_word must be visible or left-to-right, got {within_word!r}.")
        self.model = model
        self.lengths = Lengths(model.room, on_too_long)
        self._hides_rest = within_word == "left-to-right"

    def scores(self, texts: Sequence[str]) -> list[Score]:
        """Judge each text, in their order.

        Raises:
            UserError: If one can't be encoded.
        """
        rows = rows_of(self.model, texts, self.lengths)
        # One result for what is equal: as one of two batches it could differ in the last digit.
        numbers: dict[tuple[tuple[int, ...], tuple[bool, ...]], int] = {}
        own = [
            numbers.setdefault((tuple(row.ids), tuple(row.word_starts)), len(numbers))
            for row in rows
        ]
        distinct = [Row(list(ids), list(starts)) for ids, starts in numbers]
        sums = np.zeros(len(distinct))
        for owners, log_probabilities in self._predicted(distinct):
            np.add.at(sums, owners, log_probabilities)
        unknown = self.model.tokenizer.vocabulary.unk_id
        return [
            Score(
                text=text,
                score=float(total),
                per_token=float(total) / tokens if (tokens := len(row.ids) - 2) else None,
                tokens=tokens,
                unknown=0 if unknown is None else row.ids.count(unknown),
            )
            for text, row, total in zip(texts, rows, sums[own], strict=True)
        ]

    def pair_scores(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        """Judge pairs of texts, the one that should be likely first."""
        scores = self.scores([text for pair in pairs for text in pair])
        return [
            PairScore(good=good, bad=bad, preferred=_preferred(good.score, bad.score))
            for good, bad in zip(scores[::2], scores[1::2], strict=True)
        ]

    @torch.inference_mode()
    def _predicted(self, rows: Sequence[Row]) -> Iterator[tuple[list[int], np.ndarray]]:
        """Predict every token of every row: whose they are, and their log-probabilities."""
        jobs = [
            _Job(number, place)
            for number, row in enumerate(rows)
            for place in range(1, len(row.ids) - 1)
        ]
        batches = batches_by_length(
            [len(rows[job.row].ids) for job in jobs],
            batch_tokens=BATCH_TOKENS,
            most_rows=max(1, _MOST_LOGITS // self.model.bert.config.vocab_size),
        )
        for batch in batches:
            chosen = [jobs[number] for number in batch]
            masked = [self._masked(rows[job.row], job.place) for job in chosen]
            padded = pad(masked, pad_id=self.model.tokenizer.vocabulary.pad_id)
            places = torch.tensor([[job.place] for job in chosen])
            answers = torch.tensor([[rows[job.row].ids[job.place]] for job in chosen])
            logits = self.model.logits(padded, places)[:, 0]
            found = logits.log_softmax(dim=-1).gather(1, answers.to(logits.device))
            yield [job.row for job in chosen], found[:, 0].cpu().numpy()

    def _masked(self, row: Row, place: int) -> list[int]:
        """Hide a token, and what follows of its word where that is to be hidden."""
        stop = place + 1
        while self._hides_rest and not row.word_starts[stop]:
            stop += 1
        hidden = [self.model.tokenizer.vocabulary.mask_id] * (stop - place)
        return [*row.ids[:place], *hidden, *row.ids[stop:]]


def pseudo_log_likelihood(
    model: TextModel,
    texts: Sequence[str],
    *,
    within_word: WithinWord = "visible",
    on_too_long: OnTooLong = "truncate",
) -> list[Score]:
    """Tell how likely a model finds texts; `Scorer` judges pairs of them, too.

    Args:
        model: With a masked-language-model head.
        texts: Any texts.
        within_word: What a prediction sees of its own word.
        on_too_long: What is done with a text of more tokens than the model takes.

    Returns:
        In the order of the texts.

    Raises:
        UserError: If a text can't be encoded.
    """
    scorer = Scorer(model, within_word=within_word, on_too_long=on_too_long)
    scores = scorer.scores(texts)
    scorer.lengths.report()
    return scores


class _Job(NamedTuple):
    row: int
    place: int


def _preferred(good: float, bad: float) -> Literal["good", "bad", "neither"]:
    if good == bad:
        return "neither"
    return "good" if good > bad else "bad"
