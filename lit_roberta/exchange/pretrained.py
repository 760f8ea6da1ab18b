"""A model on its way from one home to another: settings, weights and tokenizer, and no module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.run_facts import FinetuningFacts, RunFacts
from lit_roberta.exchange.tasks import HEAD, Task
from lit_roberta.model.bert import BertModel
from lit_roberta.model.cloze import ClozeModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.task_heads import TaskModel


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """What a model is made of, under our names, wherever it came from."""

    source: str
    """Where from, as the user named it."""
    family: Family
    encoder: EncoderConfig
    weights: Mapping[str, Tensor]
    """By the names of `BertModel`. A head that the source does not have is not in it; a pooler
    may be in it without the head that reads it."""
    tokenizer: Tokenizer | None
    """None where the source came without one."""
    pad_id: int = 0
    """Id of the padding, which moves the positions of Hugging Face's RoBERTa."""
    unused: Mapping[str, Tensor] = field(default_factory=dict)
    """Weights without effect that the way back restores, by Hugging Face's names."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The `config.json` that it came with, for what of it has no effect on the model."""
    notices: Sequence[str] = ()
    """What was left out or had to be guessed on the way here; a line each, for the user."""
    run: RunFacts | None = None
    """The training that it comes from; None where it was not trained here."""
    finetuning: FinetuningFacts | None = None
    """The fine-tuning that it comes from; None where there was none here."""
    cut_at: int | None = None
    """Tokens at which the source cuts a text, where that was said; special tokens included."""
    task: Task | None = None
    """What it was fine-tuned for; its head's weights are named `task_head.*`, as those of
    `TaskModel`. None for a pretrained model."""

    @property
    def has_masked_lm_head(self) -> bool:
        """Whether it can predict tokens."""
        return "masked_lm_head.bias" in self.weights

    @property
    def has_next_sentence_head(self) -> bool:
        """Whether it can tell if B follows A."""
        return "next_sentence_head.classifier.bias" in self.weights

    @property
    def has_pooler(self) -> bool:
        """Whether [CLS] goes through a dense layer and tanh."""
        return "next_sentence_head.pooler.bias" in self.weights

    @property
    def longest_text(self) -> int:
        """Tokens of the longest text: as many as positions, training and tokenizer agree on.

        Positions behind the longest example of a training that began with initial weights are
        there, and were never trained.
        """
        limits = [self.encoder.max_position_embeddings]
        if self.run is not None and self.run.started_from is None:
            limits.append(self.run.max_length)
        limits += [] if self.cut_at is None else [self.cut_at]
        return min(limits)

    def build(self, *, next_sentence: bool | None = None, seed: int = 0) -> BertModel:
        """Build the model, in evaluation mode.

        Args:
            next_sentence: Whether it has a next-sentence head. None: if the source has one.
            seed: Of the initial weights of a head that the source does not have.
        """
        if next_sentence is None:
            next_sentence = self.has_next_sentence_head
        encoder = replace(self.encoder, tanh_pooler=next_sentence and self.has_pooler)
        model = BertModel(encoder, next_sentence=next_sentence, seed=seed)
        self._copy_into(model)
        return model.eval()

    def _copy_into(self, model: nn.Module) -> None:
        own = model.state_dict()
        with torch.no_grad():
            for name, weight in self.weights.items():
                if name in own:
                    own[name].copy_(weight)


def build_task_model(pretrained: Pretrained, *, seed: int = 0) -> TaskModel:
    """Build the model with the head of its task, in evaluation mode.

    Args:
        pretrained: The model. Where it has no weights for the head, as before fine-tuning, that
            is drawn.
        seed: Of what is drawn.

    Raises:
        UserError: If it has no task, or other labels than its classifier has rows.
    """
    task = pretrained.task
    if task is None:
        raise must("the model", "have a task", None, "It was only pretrained: name its task.")
    classifier = pretrained.weights.get(f"{HEAD}classifier.bias")
    if classifier is not None:
        task.check_rows(len(classifier))
    model = TaskModel(
        replace(pretrained.encoder, tanh_pooler=False),
        kind=task.kind,
        num_outputs=task.num_outputs,
        rate=task.dropout,
        drops_twice=pretrained.family == "roberta" and task.kind == "sequence-classification",
        seed=seed,
    )
    pretrained._copy_into(model)
    return model.eval()


def build_cloze_model(
    pretrained: Pretrained, *, word_ids: Sequence[int], seed: int = 0
) -> ClozeModel:
    """Build the model with the head of its pretraining, in evaluation mode.

    Args:
        pretrained: The model, with its tokenizer.
        word_ids: Tokens whose logits at a mask it gives.
        seed: Of what is drawn where a weight is missing.
    """
    assert pretrained.tokenizer is not None
    encoder = replace(pretrained.encoder, tanh_pooler=False)
    mask_id = pretrained.tokenizer.vocabulary.mask_id
    model = ClozeModel(encoder, mask_id=mask_id, word_ids=word_ids, seed=seed)
    pretrained._copy_into(model)
    return model.eval()
