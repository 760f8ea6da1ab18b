"""Held-out words scored whole, so that models with different tokenizers can be compared.

In: a run's model, and the words that were sampled of its test part. Out: nats by word.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float64

from lit_roberta.comparison.runs.run import WordScores
from lit_roberta.comparison.runs.scoring import score
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.evaluation.words import FoundWords, WordDataset, find_words
from lit_roberta.data.examples.packing import Format
from lit_roberta.model.bert import BertModel
from lit_roberta.objectives import token_surprise


def score_words(
    model: BertModel, data: PretrainingDataModule, formats: Sequence[Format]
) -> WordScores | None:
    """Score the sampled words in every compared format.

    Args:
        model: Of the run.
        data: Its own.
        formats: The compared formats.

    Returns:
        The scores; None where the text was prepared without a sample of words.
    """
    sample = data.prepared.words
    if sample is None:
        return None
    words = find_words(sample, data.parts.test, data.tokenizer)
    usable = words.known & (words.stops > words.firsts)
    return WordScores(
        spans=[span for sentence in sample.sentences for span in sentence.spans()],
        nats={str(format): _score(model, data, words, format) for format in formats},
        unigram_nats=_rounded(_unigram(data, words), usable),
        unknown=int((~words.known).sum()),
        sampled_of=sample.num_words,
    )


def _score(
    model: BertModel, data: PretrainingDataModule, words: FoundWords, format: Format
) -> list[float | None]:
    text = data.evaluation
    dataset = WordDataset(
        words,
        data.parts.test,
        data.vocabulary,
        format=format,
        max_length=text.packing.max_length,
        batch_size=text.batch_size,
        segments=text.segments,
    )
    sums = score(model, dataset, num_documents=len(words.firsts), mask_id=data.vocabulary.mask_id)
    return _rounded(sums.nats, sums.counts > 0)


def _unigram(data: PretrainingDataModule, words: FoundWords) -> Float64[np.ndarray, " words"]:
    """Sum the surprise of each word's tokens under the training text's frequencies."""
    ordinary = data.vocabulary.ordinary_ids
    surprise = np.zeros(data.vocab_size)
    surprise[ordinary] = token_surprise(data.token_counts[ordinary])
    tokens = data.parts.test.tokens
    return np.array(
        [
            surprise[tokens[first:stop]].sum()
            for first, stop in zip(words.firsts.tolist(), words.stops.tolist(), strict=True)
        ]
    )


def _rounded(
    values: Float64[np.ndarray, " words"], usable: Bool[np.ndarray, " words"]
) -> list[float | None]:
    pairs = zip(values.round(4).tolist(), usable.tolist(), strict=True)
    return [value if counts else None for value, counts in pairs]
