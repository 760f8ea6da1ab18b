"""The two datasets of the tutorial, one example an item: for reading, and for loops of one's own.

Training does not use them. It asks the stream for whole updates, whose rows are the same ones: a
`BertDataset` item is what update after update shows of that example.

Example:
    >>> from itertools import chain
    >>> from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
    >>> documents = [["The cat sat.", "It slept."], ["Rain fell.", "The cat ran.", "It hid."]]
    >>> sentences = chain.from_iterable(documents)
    >>> tokenizer = Tokenizer.train(sentences, TokenizerConfig(min_frequency=1))
    >>> bert = BertDataset(documents, tokenizer, max_length=16)
    >>> roberta = RobertaDataset(documents, tokenizer, max_length=16)
    >>> len(bert), len(roberta), bert[0].input_ids.shape, int(roberta[0].attention_mask.sum())
    (3, 2, torch.Size([16]), 9)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.utils.data import Dataset

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.data.examples.keys import visit_keys
from lit_roberta.data.examples.packing import PAIR_FORMATS, Format, PackingConfig, pack
from lit_roberta.data.rows.building import ExampleBuilder
from lit_roberta.data.rows.collation import attention_mask, to_tensor
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.errors import must


@runtime_checkable
class Encoder(Protocol):
    """What is asked of a tokenizer."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Size and special ids."""

    def encode_corpus(self, documents: Sequence[list[str]]) -> TokenizedCorpus:
        """Turn documents of sentences into tokens."""


class BertExample(NamedTuple):
    """One pair, masked and padded."""

    input_ids: Int[Tensor, " seq"]
    segment_ids: Int[Tensor, " seq"]
    """0 through the first `[SEP]`, then 1; 0 at padding."""
    attention_mask: Bool[Tensor, " seq"]
    """True at real tokens."""
    mlm_labels: Int[Tensor, " seq"]
    """The original token where one is to be predicted, IGNORE_INDEX elsewhere."""
    nsp_label: Int[Tensor, ""]
    """1: B follows A. 0: B is random."""


class RobertaExample(NamedTuple):
    """One text, masked and padded."""

    input_ids: Int[Tensor, " seq"]
    segment_ids: Int[Tensor, " seq"]
    """All 0."""
    attention_mask: Bool[Tensor, " seq"]
    mlm_labels: Int[Tensor, " seq"]


class _PaddedExamples:
    """Examples of one format, each padded to the full length."""

    def __init__(
        self,
        documents: Sequence[list[str]],
        tokenizer: Encoder,
        *,
        packing: PackingConfig,
        masking: MaskingConfig,
        seed: int,
    ) -> None:
        corpus = tokenizer.encode_corpus(documents)
        self._builder = ExampleBuilder(
            corpus=corpus,
            examples=pack(corpus, packing, seed=seed),
            vocabulary=tokenizer.vocabulary,
            masking=masking,
            segments=True,
        )
        self._masking = masking
        self._seed = seed
        self._max_length = packing.max_length

    def __len__(self) -> int:
        return len(self._builder.examples)

    def _build(self, index: int, epoch: int) -> tuple[RobertaExample, Tensor | None]:
        number = np.array([index])
        visit = self._masking.visit(np.array([epoch]))
        keys = visit_keys(number, visit, seed=self._seed)
        built = self._builder.build(number, keys, seq=self._max_length)
        rows, slots = built.rows, built.slots
        assert rows.segment_ids is not None, "they were asked for"
        labels = np.full(self._max_length, IGNORE_INDEX)
        used = slots.labels[0] != IGNORE_INDEX
        labels[slots.positions[0][used]] = slots.labels[0][used]
        example = RobertaExample(
            input_ids=to_tensor(rows.input_ids[0]),
            segment_ids=to_tensor(rows.segment_ids[0]),
            attention_mask=to_tensor(attention_mask(rows.lengths, self._max_length)[0]),
            mlm_labels=to_tensor(labels),
        )
        label = built.next_sentence_labels
        return example, None if label is None else torch.tensor(int(label[0]))


class BertDataset(_PaddedExamples, Dataset[BertExample]):
    """Sentence pairs under static masks: the same puzzle at every look.

    Args:
        documents: Documents of sentences.
        tokenizer: Encodes them.
        max_length: Length of every item, in tokens, special tokens included.
        format: sentence-pair, or segment-pair.
        masking: One mask for each example, unless it names more copies.
        seed: Draws masks and random Bs.

    Raises:
        UserError: If the documents give no pairs, or no random B.

    Example:
        >>> from lit_roberta.data.datasets import BertExample
        >>> BertExample._fields
        ('input_ids', 'segment_ids', 'attention_mask', 'mlm_labels', 'nsp_label')
    """

    def __init__(
        self,
        documents: Sequence[list[str]],
        tokenizer: Encoder,
        *,
        max_length: int = 64,
        format: Format = "sentence-pair",
        masking: MaskingConfig | None = None,
        seed: int = 0,
    ) -> None:
        if format not in PAIR_FORMATS:
            raise must(
                "format", "be a pair format", format, "Use RobertaDataset for single texts."
            )
        super().__init__(
            documents,
            tokenizer,
            packing=PackingConfig(format=format, max_length=max_length),
            masking=masking or MaskingConfig(copies=1),
            seed=seed,
        )
        self._epoch = 0

    def __getitem__(self, index: int) -> BertExample:
        example, label = self._build(range(len(self))[index], self._epoch)
        assert label is not None, "pairs have labels"
        return BertExample(*example, nsp_label=label)

    def set_epoch(self, epoch: int) -> None:
        """Show the copies of an epoch; with one copy nothing changes."""
        self._epoch = epoch


class RobertaDataset(_PaddedExamples, Dataset[RobertaExample]):
    """Single texts under dynamic masks: a new puzzle at every look.

    Each look at an item is a new visit, counted in this object. A worker process has a copy of its
    own, whose count ends with it: in loaders with workers, tell the epoch before each pass.

    Args:
        documents: Documents of sentences.
        tokenizer: Encodes them.
        max_length: Length of every item, in tokens, special tokens included.
        format: sentence, doc-sentences, or full-sentences.
        masking: A fresh mask at each look, unless it names a number of copies.
        seed: Draws the masks.
    """

    def __init__(
        self,
        documents: Sequence[list[str]],
        tokenizer: Encoder,
        *,
        max_length: int = 64,
        format: Format = "doc-sentences",
        masking: MaskingConfig | None = None,
        seed: int = 0,
    ) -> None:
        if format in PAIR_FORMATS:
            raise must("format", "be a single format", format, "Use BertDataset for pairs.")
        super().__init__(
            documents,
            tokenizer,
            packing=PackingConfig(format=format, max_length=max_length),
            masking=masking or MaskingConfig(),
            seed=seed,
        )
        self._looks = np.zeros(len(self), dtype=np.int64)
        self._epoch: int | None = None

    def __getitem__(self, index: int) -> RobertaExample:
        index = range(len(self))[index]
        epoch = int(self._looks[index]) if self._epoch is None else self._epoch
        self._looks[index] += 1
        return self._build(index, epoch)[0]

    def set_epoch(self, epoch: int | None) -> None:
        """Show the masks of an epoch, as the stream would. None: a new mask at each look again."""
        self._epoch = epoch
