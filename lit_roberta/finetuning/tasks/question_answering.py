"""The answer to a question, as a part of a text, or that the text has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any

from jaxtyping import Bool, Float, Shaped
from torch import Tensor, finfo

from lit_roberta.counted import counted
from lit_roberta.errors import UserError, must
from lit_roberta.exchange.tasks import Task
from lit_roberta.finetuning.answer_search import AnswerSearch
from lit_roberta.finetuning.examples import QuestionExample
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.judging.answers import (
    JudgedAnswer,
    answer_scores,
    check_answer_metrics,
)
from lit_roberta.finetuning.predictions import AnswerPrediction
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.squad import read_questions
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.losses import TaskLosses, Weighting, class_losses
from lit_roberta.finetuning.windows import NO_ANSWER, Windows

_THRESHOLDS = ("best_f1", "best_f1_threshold")


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """What `--data.options` takes for question answering."""

    stride: int = 128
    """Tokens that a window of a long context shares with the one before it, as transformers counts
    it (BERT's doc_stride is the way from one to the next); half a window at the most."""
    max_question_length: int = 64
    """Tokens of a question; a longer one is cut (BERT's max_query_length)."""
    max_answer_length: int = 30
    """Tokens of an answer (BERT's max_answer_length)."""
    n_best: int = 5
    """Answers that a prediction lists."""
    unanswerable: bool = False
    """Whether there may be no answer. As in the training part, where it is not given."""
    null_threshold: float | None = None
    """How far the score of no answer has to lie above the best answer's for no answer to be given.
    None: 0, where there may be none."""

    def __post_init__(self) -> None:
        lowest = {"stride": 0, "max_question_length": 1, "max_answer_length": 1, "n_best": 1}
        for name, least in lowest.items():
            if getattr(self, name) < least:
                raise _wrong(name, f"be {least} or more", getattr(self, name))
        if self.null_threshold is not None and not self.unanswerable:
            rule = "be left out where every question has an answer"
            remedy = "No answer is never given then; data.options.unanswerable true changes that."
            raise must("data.options.null_threshold", rule, self.null_threshold, remedy)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> AnswerOptions:
        """Check options by name.

        Raises:
            UserError: If one makes no sense.
        """
        for name, value in options.items():
            if name == "unanswerable":
                if not isinstance(value, bool):
                    raise _wrong(name, "be true or false", value)
            elif name == "null_threshold":
                if isinstance(value, bool) or not isinstance(value, int | float | None):
                    raise _wrong(name, "be a number", value)
            elif isinstance(value, bool) or not isinstance(value, int):
                raise _wrong(name, "be a whole number", value)
        return cls(**options)


def _wrong(name: str, rule: str, value: object) -> UserError:
    default = AnswerOptions.__dataclass_fields__[name].default
    return must(f"data.options.{name}", rule, value, f"Left out, it is {default}.")


class QuestionAnswering(FinetuningTask[QuestionExample, AnswerPrediction]):
    """Where an answer starts and where it ends, read at each place of the context.

    Source: Devlin et al. 2019, sections 4.2 and 4.3.
    """

    kind = "question-answering"
    option_names = tuple(field.name for field in fields(AnswerOptions))
    metrics: tuple[str, ...] = ("f1", "exact_match")
    weighs_labels = False

    def __init__(
        self,
        labels: Sequence[str] = (),
        *,
        metrics: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(labels, metrics=metrics, options=options)
        if self.labels:
            remedy = "Answers are parts of the text."
            raise must("data.labels", "be left out for this task", list(labels), remedy)
        own = AnswerOptions.of(self.options)
        if metrics is None and own.unanswerable:
            self.metrics += _THRESHOLDS
        self._windows = Windows(overlap=own.stride, longest_question=own.max_question_length)
        threshold = (own.null_threshold or 0.0) if own.unanswerable else None
        self._search = AnswerSearch(
            longest=own.max_answer_length, shown=own.n_best, null_threshold=threshold
        )

    @classmethod
    def read(cls, source: str, reading: LabelledReading) -> list[QuestionExample]:
        """Read questions in SQuAD's form, or one in a row."""
        return read_questions(source, reading)

    @classmethod
    def found_options(cls, examples: Sequence[QuestionExample]) -> dict[str, Any]:
        """Tell whether there are questions without an answer.

        Raises:
            UserError: If there is none with an answer.
        """
        if not any(example.answers for example in examples):
            remedy = "From others it would learn to give none."
            raise must("data.train", "hold questions with answers", "none", remedy)
        return {"unanswerable": any(example.answers == () for example in examples)}

    def items(self, examples: Sequence[QuestionExample], layout: Layout) -> list[Item]:
        """Lay out each question with its context, as many windows as it takes."""
        return self._windows.items(examples, layout)

    def notes(self, items: Sequence[Item]) -> list[str]:
        """Say how many windows there are, and how many answers none of them has in whole."""
        told = []
        answered = {item.example: item.spans.answered for item in items}
        if len(items) > len(answered):
            windows, questions = len(items), counted(len(answered), "question")
            told.append(f"long contexts make {windows:,} windows of {questions}.")
        without = sum(each is False for each in answered.values())
        if without:
            questions = counted(without, "question has", "questions have")
            told.append(f"{questions} no answer.")
        held = {item.example for item in items if (item.labels != NO_ANSWER).any()}
        lost = {number for number, each in answered.items() if each} - held
        if lost:
            answers = counted(len(lost), "answer is", "answers are")
            them = "it" if len(lost) == 1 else "them"
            told.append(
                f"{answers} in no window as a whole: a larger --data.options.stride or "
                f"--data.max_length keeps {them}."
            )
        return told

    @classmethod
    def key_text(cls, example: QuestionExample) -> str:
        """Give the context: all questions about it go into one part."""
        return example.context

    def losses(
        self, logits: Float[Tensor, "*logits"], labels: Shaped[Tensor, "*labels"], how: Weighting
    ) -> TaskLosses:
        """Sum up the cross entropies of starts and ends; each is a label that counts."""
        starts = class_losses(logits[..., 0], labels[..., 0], how)
        ends = class_losses(logits[..., 1], labels[..., 1], how)
        return TaskLosses(starts.loss + ends.loss, starts.num_correct + ends.num_correct)

    def without_padding(
        self, logits: Float[Tensor, "*logits"], attention_mask: Bool[Tensor, "*mask"] | None
    ) -> Float[Tensor, "*logits"]:
        """Take padding out of the race: what a row says must not depend on its batch."""
        if attention_mask is None:
            return logits
        return logits.masked_fill(~attention_mask[..., None], finfo(logits.dtype).min)

    def exchange_task(self) -> Task:
        """Give the kind: it has no labels."""
        return Task(kind=self.kind)

    def predictions(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."]
    ) -> list[AnswerPrediction]:
        """Find the best answer of each question over all of its windows."""
        numbers = logits.numpy()
        found, begin = [], 0
        for _, windows in groupby(items, key=lambda item: item.example):
            spans = [item.spans for item in windows]
            found.append(self._search.predict(spans, numbers[begin : begin + len(spans)]))
            begin += len(spans)
        return found

    def scores(
        self, examples: Sequence[QuestionExample], predictions: Sequence[AnswerPrediction]
    ) -> dict[str, float]:
        """Judge as SQuAD's scripts do."""
        check_answer_metrics(self.metrics)
        judged = [
            JudgedAnswer(
                prediction.text,
                tuple(answer.text for answer in example.answers),
                prediction.found[0].text if prediction.found else "",
                prediction.null_margin,
            )
            for example, prediction in zip(examples, predictions, strict=True)
            if example.answers is not None
        ]
        return answer_scores(judged, metrics=self.metrics) if judged else {}

    def naive_prediction(self, train: Sequence[QuestionExample]) -> AnswerPrediction:
        """Say that there is no answer."""
        return AnswerPrediction("", None, None, probability=1.0)
