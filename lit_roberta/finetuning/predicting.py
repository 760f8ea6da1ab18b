"""A fine-tuned model with all that it needs to read text, and what it says of texts.

In: a checkpoint of fine-tuning, or whatever else has the head of a task; texts. Out: predictions.
It knows nothing of files of text, and nothing of training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lit_roberta.batch import TaskBatch
from lit_roberta.errors import must
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.asking import TaskInput, example_of, texts_of
from lit_roberta.finetuning.checkpoint import is_finetuned, read_finetuned
from lit_roberta.finetuning.held_out import whole_examples_by_length
from lit_roberta.finetuning.items import Item, Layout, make_batch
from lit_roberta.finetuning.predictions import TagsPrediction
from lit_roberta.finetuning.reading.words import split_words
from lit_roberta.finetuning.tasks.base import FinetuningTask, TunedModel
from lit_roberta.finetuning.tasks.elsewhere import task_for
from lit_roberta.inference.batching import BATCH_TOKENS
from lit_roberta.inference.text_model import device_named, finite, tokenizer_of
from lit_roberta.inference.texts import Lengths, OnTooLong, check_texts

_SHORTEST = 8
"""Tokens of a row: control tokens, and a few of each text."""


@dataclass(frozen=True, kw_only=True)
class FinetunedModel:
    """A model of a task that reads text. It is in evaluation mode, and keeps no gradients."""

    source: str
    """Where it came from, for messages."""
    model: TunedModel
    task: FinetuningTask[Any, Any]
    layout: Layout
    """Its tokenizer, and how texts become rows."""
    bound: str
    """Whose the longest row is, for messages."""
    pairs: bool | None
    """Whether it learned from pairs of texts; None where that is not known."""
    bfloat16: bool = False
    """Whether matrices are multiplied in bfloat16, for GPUs: some three digits are right."""

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.model.embeddings.token.weight.device

    def logits(self, batch: TaskBatch) -> Tensor:
        """Compute the logits of a batch, on the CPU and in single precision.

        Raises:
            UserError: If a number is not finite, as with damaged weights.
        """
        device = self.device
        inputs = [None if each is None else each.to(device) for each in batch[:3]]
        with torch.autocast(device.type, torch.bfloat16, enabled=self.bfloat16):
            logits: Tensor = self.model(*inputs)
        finite_logits = finite(logits.float(), self.source)
        return self.task.without_padding(finite_logits, inputs[2]).cpu()


def load_task_model(
    source: str,
    *,
    device: str = "auto",
    bfloat16: bool = False,
    max_length: int | None = None,
) -> FinetunedModel:
    """Load a fine-tuned model to use it.

    Args:
        source: A checkpoint of fine-tuning, a Hugging Face folder with the head of a task, or what
            else `lit-roberta import` takes.
        device: `cpu`, `cuda`, `cuda:1`, ...; `auto` for a CUDA device where there is one.
        bfloat16: Whether matrices are multiplied in bfloat16.
        max_length: Tokens of a row, control tokens included; a longer text is cut. None: as in
            fine-tuning; of a folder, as many as the model takes.

    Raises:
        UserError: If it can't be read, has no head of a task or no tokenizer, takes no rows of
            that length; or if there is no such device.
    """
    where = device_named(device)
    pairs, trained = None, None
    if is_finetuned(Path(source)):
        finetuned = read_finetuned(Path(source))
        pretrained, task, pairs = finetuned.pretrained, finetuned.task, finetuned.pairs
        trained = finetuned.max_length
    else:
        pretrained = load_pretrained(source)
        task = _task_of(pretrained)
    length, bound = _length(pretrained, asked=max_length, trained=trained)
    return FinetunedModel(
        source=source,
        model=task.build_model(pretrained).requires_grad_(False).to(where),
        task=task,
        layout=Layout.of(pretrained, tokenizer_of(pretrained), max_length=length),
        bound=bound,
        pairs=pairs,
        bfloat16=bfloat16,
    )


def _task_of(pretrained: Pretrained) -> FinetuningTask[Any, Any]:
    if pretrained.task is None:
        remedy = "It was only pretrained: fine-tune it with lit-roberta train fit --data.task ..."
        raise must("the model", "have the head of a task", pretrained.source, remedy)
    return task_for(pretrained.task)


def _length(pretrained: Pretrained, *, asked: int | None, trained: int | None) -> tuple[int, str]:
    longest = pretrained.longest_text
    if asked is not None and not _SHORTEST <= asked <= longest:
        rule = f"lie between {_SHORTEST} and {longest}"
        raise must("--max-length", rule, asked, "The model takes no more.")
    length = asked or trained or longest
    if length == longest:
        return length, "that the model takes"
    whose = "of --max-length" if asked else "of its fine-tuning (--max-length)"
    return length, whose


class Predictor:
    """Says what a model makes of texts, and counts what was too long over all of them.

    Args:
        model: The model.
        on_too_long: What is done with a text of more tokens than a row holds.
        batch_tokens: Tokens that are computed at once, padding included.

    Raises:
        UserError: If that is no positive number.
    """

    def __init__(
        self,
        model: FinetunedModel,
        *,
        on_too_long: OnTooLong = "truncate",
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        if batch_tokens < 1:
            remedy = "Give a positive whole number."
            raise must("--batch-tokens", "be 1 or more", batch_tokens, remedy)
        self.model = model
        self.lengths = Lengths(model.layout.max_length, on_too_long, bound=model.bound)
        self._batch_tokens = batch_tokens

    @torch.inference_mode()
    def predictions(self, inputs: Sequence[Any]) -> list[Any]:
        """Predict each input, in their order; what is computed together is of about one length.

        Args:
            inputs: Each a `TaskInput`, or an example as it is.

        Raises:
            UserError: If one is of another kind than the task's, can't be encoded, or is too long
                and is not to be cut.
        """
        model = self.model
        task, layout = model.task, model.layout
        examples = [example_of(task.kind, each, number) for number, each in enumerate(inputs, 1)]
        for each in examples:
            check_texts(texts_of(each))
        items = task.items(examples, layout)
        self._count(examples, items)
        found: dict[int, Any] = {}
        for numbers in whole_examples_by_length(items, batch_tokens=self._batch_tokens):
            batch = [items[number] for number in numbers]
            logits = model.logits(
                make_batch(
                    batch,
                    pad_id=layout.tokenizer.vocabulary.pad_id,
                    segments=layout.segments,
                )
            )
            places = dict.fromkeys(item.example for item in batch)
            found |= zip(places, task.predictions(batch, logits), strict=True)
        return [_in_text(given, found[number]) for number, given in enumerate(inputs)]

    def _count(self, examples: Sequence[Any], items: Sequence[Item]) -> None:
        task, layout = self.model.task, self.model.layout
        cut = {item.example for item in items if item.is_cut}
        for number, example in enumerate(examples):
            # how long it was is only asked where it was too long
            length = task.length(example, layout) if number in cut else 0
            self.lengths.fits(texts_of(example)[0], length)


def _in_text(given: Any, found: Any) -> Any:
    """Give entities the places that they have in a text that came uncut."""
    if not isinstance(found, TagsPrediction) or not isinstance(given, str):
        return found
    words = split_words(given)
    return found.in_text(given, [word.start for word in words], [word.text for word in words])


def predict(
    model: FinetunedModel,
    inputs: Sequence[TaskInput],
    *,
    on_too_long: OnTooLong = "truncate",
) -> list[Any]:
    """Say what a fine-tuned model makes of texts.

    Args:
        model: From `load_task_model`.
        inputs: Texts, or pairs of texts; for question answering each a question and its context,
            for multiple choice each a text and a list of choices.
        on_too_long: What is done with a text of more tokens than a row holds.

    Returns:
        In their order: a `LabelPrediction` for each text of a classification, a
        `NumberPrediction` of a regression, a `TagsPrediction` with entities, an
        `AnswerPrediction`, a `ChoicePrediction`.

    Raises:
        TypeError: If one text is given in place of a list of them, or one is of another form.
        UserError: If one can't be encoded, or is too long and is not to be cut.
    """
    if isinstance(inputs, str):
        raise TypeError("inputs must be a list of them, got one text.")
    predictor = Predictor(model, on_too_long=on_too_long)
    found = predictor.predictions(inputs)
    predictor.lengths.report()
    return found
