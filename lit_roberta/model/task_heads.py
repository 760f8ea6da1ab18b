"""An encoder with the head of a task on top: what fine-tuning trains.

In: rows of ids. Out: logits. It computes no loss and knows no names of labels.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.dropout import dropout
from lit_roberta.model.embeddings import BertEmbeddings
from lit_roberta.model.encoder import BertEncoder
from lit_roberta.model.initialization import draw_initial_weights

TaskKind = Literal[
    "sequence-classification", "token-classification", "question-answering", "multiple-choice"
]
"""What the logits are about: a text, each token, where an answer starts and ends, and which of
several texts it is."""

TASK_KINDS: tuple[TaskKind, ...] = get_args(TaskKind)


class TaskHead(nn.Module):
    """Hidden states to logits.

    ::

        of a text, read at [CLS]:  [dropout] -- dense -- tanh -- dropout -- classifier
        of a token:                dropout -- classifier
        of an answer's ends:       classifier

    RoBERTa drops before the dense layer of its sequence classification, too; BERT does not.

    Args:
        config: Width, and the rate of dropout where none is given.
        kind: What the logits are about.
        num_outputs: Logits of a text or of a token.
        rate: Of dropout; None for the encoder's.
        drops_twice: Whether there is dropout before the dense layer.

    Source: Devlin et al. 2019, section 4; RoBERTa's head is that of fairseq.
    """

    def __init__(
        self,
        config: EncoderConfig,
        *,
        kind: TaskKind,
        num_outputs: int,
        rate: float | None = None,
        drops_twice: bool = False,
    ) -> None:
        super().__init__()
        self.reads_cls = kind in ("sequence-classification", "multiple-choice")
        self.dense = nn.Linear(config.hidden_size, config.hidden_size) if self.reads_cls else None
        self.classifier = nn.Linear(config.hidden_size, num_outputs)
        rate = config.hidden_dropout_prob if rate is None else rate
        self.rate = 0.0 if kind == "question-answering" else rate
        self.drops_twice = drops_twice

    def forward(
        self, hidden_states: Float[Tensor, "rows places hidden"]
    ) -> Float[Tensor, "rows *places outputs"]:
        """Compute the logits of each row, or of each place."""
        if self.dense is None:
            return self._classify(hidden_states)
        cls_states = hidden_states[:, 0]
        if self.drops_twice:
            cls_states = dropout(cls_states, self.rate, training=self.training)
        return self._classify(torch.tanh(self.dense(cls_states)))

    def _classify(self, states: Tensor) -> Tensor:
        logits: Tensor = self.classifier(dropout(states, self.rate, training=self.training))
        return logits


class TaskModel(nn.Module):
    """Embeddings, encoder and the head of a task; the first two are those of `BertModel`.

    Args:
        config: Sizes and rates of the encoder.
        kind: The task.
        num_outputs: Labels of a text or a token; 2 for an answer's start and end; 1 for how well
            one of several texts fits.
        rate: Of the head's dropout; None for the encoder's.
        drops_twice: Whether the head is RoBERTa's, which drops before its dense layer, too.
        seed: Of the initial weights. One seed gives the encoder that it gives `BertModel`.
    """

    def __init__(
        self,
        config: EncoderConfig,
        *,
        kind: TaskKind,
        num_outputs: int,
        rate: float | None = None,
        drops_twice: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.config, self.kind = config, kind
        with torch.random.fork_rng(devices=[]):
            self.embeddings = BertEmbeddings(config)
            self.encoder = BertEncoder(config)
            self.task_head = TaskHead(
                config, kind=kind, num_outputs=num_outputs, rate=rate, drops_twice=drops_twice
            )
        draw_initial_weights(self, std=config.initializer_range, seed=seed)

    def forward(
        self,
        input_ids: Int[Tensor, "*rows seq"],
        segment_ids: Int[Tensor, "*rows seq"] | None = None,
        attention_mask: Bool[Tensor, "*rows seq"] | None = None,
    ) -> Float[Tensor, "*logits"]:
        """Compute logits.

        Args:
            input_ids: Token ids, `[CLS]` first: `[batch, seq]`; `[batch, choices, seq]` where one
                of several texts is to be chosen.
            segment_ids: Segment of each token. None: 0 everywhere.
            attention_mask: True at real tokens. None: nothing is padded.

        Returns:
            `[batch, labels]` for a text, `[batch, seq, labels]` for tokens, `[batch, seq, 2]` for
            the start and the end of an answer, `[batch, choices]` for a choice.

        Raises:
            UserError: If an id or a length is outside of what the model has a row for.
        """
        places = input_ids.shape
        if segment_ids is not None:
            segment_ids = segment_ids.flatten(0, -2)
        if attention_mask is not None:
            attention_mask = attention_mask.flatten(0, -2)
        input_ids = input_ids.flatten(0, -2)
        embedded = self.embeddings(input_ids, segment_ids)
        # The last layer works only where the head reads.
        positions = torch.zeros_like(input_ids[:, :1]) if self.task_head.reads_cls else None
        states = self.encoder(embedded, attention_mask, positions=positions)
        logits: Tensor = self.task_head(states)
        return logits.view(places[:-1]) if self.kind == "multiple-choice" else logits
