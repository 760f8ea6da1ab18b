"""A label for each word of a sentence, such as the kind of name that it is a part of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.counted import counted
from lit_roberta.data.tokens.located import Located
from lit_roberta.errors import must
from lit_roberta.finetuning.alignment import WordPlaces, windows, words_of_tokens
from lit_roberta.finetuning.examples import WordsExample
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.judging.entities import (
    ENTITY_METRICS,
    OUTSIDE,
    check_entity_metrics,
    entity_scores,
    entity_spans,
    is_entity_tag,
)
from lit_roberta.finetuning.predictions import Entity, TagsPrediction
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.conll import read_words
from lit_roberta.finetuning.tasks.base import FinetuningTask, label_number
from lit_roberta.finetuning.tasks.losses import TaskLosses, Weighting, class_losses


class Tagging(FinetuningTask[WordsExample, TagsPrediction]):
    """One of several labels for each word, read at its first token.

    A sentence that is longer than a row is read in several, cut between words: no word is lost.
    Where no label is an entity's (`B-...`, `I-...`), it is judged by accuracy alone.
    """

    kind = "token-classification"
    by_place = True
    learns_labels = True

    def __init__(
        self,
        labels: Sequence[str] = (),
        *,
        metrics: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        has_entities = any(map(is_entity_tag, labels))
        self.metrics = ENTITY_METRICS if has_entities else ("accuracy",)
        super().__init__(labels, metrics=metrics, options=options)

    @classmethod
    def read(cls, source: str, reading: LabelledReading) -> list[WordsExample]:
        """Read sentences."""
        return read_words(source, reading)

    @classmethod
    def found_labels(cls, examples: Sequence[WordsExample]) -> tuple[str, ...]:
        """Sort the tags: O first."""
        found = {tag for example in examples for tag in example.tags or ()}
        numbers = [tag for tag in found if isinstance(tag, int)]
        if numbers:
            remedy = "Give them in the order of their numbers."
            raise must("data.labels", "name the tags that are numbers", sorted(numbers), remedy)
        names = sorted(map(str, found))
        if len(names) < 2:
            remedy = "A tagger needs two. Each line holds a word and its tag."
            raise must("data.train", "hold two tags or more", names, remedy)
        return tuple(sorted(names, key=lambda tag: tag != OUTSIDE))

    # ---- rows

    def items(self, examples: Sequence[WordsExample], layout: Layout) -> list[Item]:
        """Lay out each sentence, in as many rows as it takes."""
        texts = [" ".join(example.words) for example in examples]
        located = layout.tokenizer.encode_located(texts)
        return [
            item
            for number, (example, tokens) in enumerate(zip(examples, located, strict=True))
            for item in self._rows(example, number, tokens, layout)
        ]

    def check_labels(self, examples: Sequence[WordsExample]) -> None:
        """Find the name of each tag."""
        for example in examples:
            self._names(example)

    def _rows(
        self, example: WordsExample, number: int, tokens: Sequence[Located], layout: Layout
    ) -> Iterator[Item]:
        words, is_first = words_of_tokens(example.words, tokens)
        names = self._names(example)
        known = {label: number for number, label in enumerate(self.labels)}
        tags = np.array([known[name] for name in names or ()], dtype=np.int64)
        room = layout.max_length - layout.num_control(pair=False)
        for start, stop, is_cut in windows(words, room):
            row = layout.row([token.token_id for token in tokens[start:stop]])
            firsts = np.flatnonzero(is_first[start:stop])
            spans = WordPlaces(example.words, words[start + firsts], firsts + 1)
            labels = np.full(len(row.input_ids), IGNORE_INDEX)
            if names is not None:
                labels[spans.places] = tags[spans.numbers]
            yield Item((row,), labels, number, is_cut, spans)

    def _names(self, example: WordsExample) -> list[str] | None:
        """Give the tags of a sentence by name, also where its file has their numbers."""
        if example.tags is None:
            return None
        known = set(self.labels)
        return [
            str(tag) if tag in known else self._name(tag, f"{example.place}, word {number}")
            for number, tag in enumerate(example.tags, start=1)
        ]

    def _name(self, tag: str | int, place: str) -> str:
        if isinstance(tag, int) and 0 <= tag < len(self.labels):
            return self.labels[tag]
        return self.labels[label_number(str(tag), self.labels, place=place)]

    @classmethod
    def key_text(cls, example: WordsExample) -> str:
        """Give the words."""
        return " ".join(example.words)

    def notes(self, items: Sequence[Item]) -> list[str]:
        """Tell of words without a token, and of sentences in several rows."""
        rows = Counter(item.example for item in items)
        tagged = Counter({item.example: 0 for item in items})
        for item in items:
            tagged[item.example] += len(item.spans.numbers)
        words = {item.example: item.spans.words for item in items}
        lost = sum(len(words[number]) - count for number, count in tagged.items())
        split = sum(count > 1 for count in rows.values())
        told = []
        if split:
            sentences = counted(split, "sentence is", "sentences are")
            told.append(f"{sentences} longer than a row, and read in several.")
        if lost:
            words_have = counted(lost, "word has", "words have")
            they = "it is" if lost == 1 else "they are"
            told.append(f"{words_have} no token in this vocabulary: {they} taken for O.")
        return told

    # ---- learning and judging

    def losses(
        self, logits: Float[Tensor, "*logits"], labels: Shaped[Tensor, "*labels"], how: Weighting
    ) -> TaskLosses:
        """Sum up cross entropies over words."""
        return class_losses(logits.flatten(0, -2), labels.flatten(), how)

    def predictions(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."]
    ) -> list[TagsPrediction]:
        """Take the most probable label of each word; O for a word without a token."""
        sentences = groupby(range(len(items)), key=lambda number: items[number].example)
        return [self._predict(items, logits, list(rows)) for _, rows in sentences]

    def _predict(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."], rows: Sequence[int]
    ) -> TagsPrediction:
        words: tuple[str, ...] = items[rows[0]].spans.words
        tags, scores = [OUTSIDE] * len(words), [1.0] * len(words)
        for row in rows:
            spans: WordPlaces = items[row].spans
            found = logits[row, spans.places].softmax(dim=-1).max(dim=-1)
            numbers = spans.numbers.tolist()
            for word, label, score in zip(
                numbers, found.indices.tolist(), found.values.tolist(), strict=True
            ):
                tags[word], scores[word] = self.labels[label], score
        return TagsPrediction(tuple(tags), _entities(words, tags, scores))

    def scores(
        self, examples: Sequence[WordsExample], predictions: Sequence[TagsPrediction]
    ) -> dict[str, float]:
        """Count entities that are right, and words."""
        check_entity_metrics(self.metrics, self.labels)
        true: list[list[str]] = []
        predicted: list[list[str]] = []
        for example, prediction in zip(examples, predictions, strict=True):
            names = self._names(example)
            if names is not None:
                true.append(names)
                missing = len(names) - len(prediction.tags)
                predicted.append([*prediction.tags, *prediction.tags[-1:] * missing])
        return entity_scores(true, predicted, metrics=self.metrics) if true else {}

    def naive_prediction(self, train: Sequence[WordsExample]) -> TagsPrediction:
        """Say the most frequent tag everywhere, which mostly is O."""
        counts = Counter(tag for example in train for tag in self._names(example) or ())
        return TagsPrediction((max(self.labels, key=lambda name: counts[name]),))


def _entities(
    words: Sequence[str], tags: Sequence[str], scores: Sequence[float]
) -> tuple[Entity, ...]:
    starts = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
    return tuple(
        Entity(
            type=kind,
            text=" ".join(words[start:stop]),
            start=starts[start],
            stop=starts[stop] - 1,
            start_word=start,
            stop_word=stop,
            score=sum(scores[start:stop]) / (stop - start),
        )
        for kind, start, stop in entity_spans(tags)
    )
