"""Held-out words, each masked whole and predicted from left to right.

In: a sample of words, and the tokens of the text that it is of. Out: batches, a row for each piece
of a word: that piece and all behind it are masked, those before it are shown.
Source: Kauf & Ivanova 2023, "A better way to do masked language model scoring" (ACL).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64
from torch.utils.data import Dataset

from lit_roberta.batch import IGNORE_INDEX, HeldOutBatch
from lit_roberta.data.corpus.word_sample import SampledSentence, WordSample
from lit_roberta.data.evaluation.heldout_rows import HeldOutRows, lay_out_held_out
from lit_roberta.data.examples.packing import PAIR_FORMATS, Format
from lit_roberta.data.examples.pieces import ragged_range
from lit_roberta.data.rows.collation import Rows, Slots, Spans, lay_out, to_batch, with_documents
from lit_roberta.data.tokens.located import Located
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.data.tokens.vocabulary import Vocabulary


class FoundWords(NamedTuple):
    """Sampled words as tokens of their part of the text, in the order of the sample."""

    firsts: Int64[np.ndarray, " words"]
    stops: Int64[np.ndarray, " words"]
    """Behind the last token; equal to the first where the word is not whole tokens here."""
    known: Bool[np.ndarray, " words"]
    """False where the vocabulary lacks the word."""


def find_words(sample: WordSample, corpus: TokenizedCorpus, tokenizer: Tokenizer) -> FoundWords:
    """Find the tokens of sampled words.

    Args:
        sample: Of the part.
        corpus: The part.
        tokenizer: The one that its tokens are of.
    """
    maskable = tokenizer.vocabulary.maskable
    located = tokenizer.encode_located([each.text for each in sample.sentences])
    firsts, stops, known = [], [], []
    places = _find_sentences(sample, corpus, located)
    for sentence, tokens, place in zip(sample.sentences, located, places, strict=True):
        for first, stop in _tokens_of_words(sentence, tokens):
            is_there = place is not None and first < stop
            firsts.append((place or 0) + first)
            stops.append((place or 0) + (stop if is_there else first))
            known.append(all(maskable[each.token_id] for each in tokens[first:stop]))
    return FoundWords(np.array(firsts, int), np.array(stops, int), np.array(known, bool))


def _find_sentences(
    sample: WordSample, corpus: TokenizedCorpus, located: list[list[Located]]
) -> Iterator[int | None]:
    """Find the first token of each sentence.

    Sentences of which the tokenizer left nothing are not in the corpus, so that those behind them
    stand somewhat earlier there than in the text.
    """
    left_out, most = 0, sample.num_sentences - corpus.num_sentences
    for sentence, tokens in zip(sample.sentences, located, strict=True):
        ids = [token.token_id for token in tokens]
        least = max(left_out, sentence.number - corpus.num_sentences + 1)
        for before in range(least, min(most, sentence.number) + 1):
            start, stop = corpus.sentence_offsets[sentence.number - before :][:2].tolist()
            if ids and corpus.tokens[start:stop].tolist() == ids:
                left_out = before
                yield start
                break
        else:
            yield None


def _tokens_of_words(
    sentence: SampledSentence, tokens: list[Located]
) -> Iterator[tuple[int, int]]:
    """Find the tokens of each sampled word of a sentence; none where they do not fit it."""
    bounds = [_without_space(token, sentence.text) for token in tokens]
    for start, stop in sentence.words:
        inside = [
            place for place, (first, last) in enumerate(bounds) if first < stop and last > start
        ]
        fits = inside and (bounds[inside[0]][0], bounds[inside[-1]][1]) == (start, stop)
        yield (inside[0], inside[-1] + 1) if fits else (0, 0)


def _without_space(token: Located, text: str) -> tuple[int, int]:
    """Leave out the space that a byte-level vocabulary counts to the word behind it."""
    own = text[token.start : token.stop]
    return token.start + len(own) - len(own.lstrip()), token.stop


class WordDataset(Dataset[HeldOutBatch]):
    """Rows in which one word is masked, from one of its pieces on, and that piece is predicted.

    What a batch says of documents are numbers of words. A word that the vocabulary lacks, or that
    a row would cut, is in no batch.

    Args:
        words: In tokens of the corpus.
        corpus: A held-out part.
        vocabulary: The special ids.
        format: The input format.
        max_length: Longest row, in tokens.
        batch_size: Rows scored at once.
        segments: Whether B gets segment 1.
    """

    def __init__(
        self,
        words: FoundWords,
        corpus: TokenizedCorpus,
        vocabulary: Vocabulary,
        *,
        format: Format,
        max_length: int,
        batch_size: int,
        segments: bool,
    ) -> None:
        self._corpus, self._vocabulary = corpus, vocabulary
        self._segments, self._pairs = segments, format in PAIR_FORMATS
        self._rows = lay_out_held_out(corpus, format=format, max_length=max_length)
        self._batch_size = batch_size
        self._units = self._lay_out(words)

    def __len__(self) -> int:
        return -(-len(self._units.rows) // self._batch_size)

    def __getitem__(self, index: int) -> HeldOutBatch:
        first = range(0, len(self._units.rows), self._batch_size)[index]
        units = _Units(*(each[first : first + self._batch_size] for each in self._units))
        rows = self._lay_out_rows(units.rows)
        columns = np.arange(rows.input_ids.shape[1])
        masked = (columns >= units.columns[:, None]) & (columns < units.stops[:, None])
        each = np.arange(len(units.rows))
        labels = np.full((len(each), 2), IGNORE_INDEX)
        labels[:, 1] = rows.input_ids[each, units.columns]
        rows.input_ids[masked] = self._vocabulary.mask_id
        positions = np.stack([np.zeros_like(units.columns), units.columns], axis=1)
        slots = Slots(positions, labels, np.ones_like(units.columns))
        return with_documents(to_batch(rows, slots, None), units.words)

    def _lay_out(self, words: FoundWords) -> _Units:
        """Give every piece of every word a row, longest rows first."""
        places = _places_of(words, self._rows)
        sizes = words.stops - words.firsts
        chosen = np.flatnonzero(words.known & (sizes > 0) & (places.rows >= 0))
        number = np.repeat(chosen, sizes[chosen])
        units = _Units(
            words=number,
            rows=places.rows[number],
            columns=ragged_range(places.columns[chosen], sizes[chosen]),
            stops=(places.columns + sizes)[number],
        )
        lengths = self._rows.spans.lengths()[units.rows]
        order = np.argsort(-lengths, kind="stable")
        return _Units(*(each[order] for each in units))

    def _lay_out_rows(self, numbers: Int64[np.ndarray, " batch"]) -> Rows:
        """Lay out rows, of which one may come several times; longest rows first."""
        unique, firsts = np.unique(numbers, return_index=True)
        distinct = unique[np.argsort(firsts)]
        taken = self._rows.take(distinct)
        rows = lay_out(
            taken.spans,
            self._corpus.tokens,
            self._vocabulary,
            segments=self._segments,
            pairs=self._pairs,
        )
        places = np.argsort(distinct)[np.searchsorted(unique, numbers)]
        segments = None if rows.segment_ids is None else rows.segment_ids[places]
        return Rows(rows.input_ids[places], rows.lengths[places], segments)


class _Units(NamedTuple):
    """Pieces to predict."""

    words: Int64[np.ndarray, " pieces"]
    rows: Int64[np.ndarray, " pieces"]
    columns: Int64[np.ndarray, " pieces"]
    stops: Int64[np.ndarray, " pieces"]
    """The column behind the word's last piece."""


class _Places(NamedTuple):
    rows: Int64[np.ndarray, " words"]
    """-1 where a row would cut the word."""
    columns: Int64[np.ndarray, " words"]


def _places_of(words: FoundWords, rows: HeldOutRows) -> _Places:
    """Find where words stand in the rows that predict them."""
    predicted = np.flatnonzero(rows.predicted)
    spans = Spans(*(part[predicted] for part in rows.spans))
    order = np.argsort(spans.starts)
    found = order[np.searchsorted(spans.starts[order], words.firsts, side="right") - 1]
    whole = words.stops <= spans.stops[found]
    columns = spans.columns[found] + words.firsts - spans.starts[found]
    return _Places(np.where(whole, spans.rows[found], -1), columns)
