from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch.utils.data import DataLoader

from lit_roberta.data.datasets import BertDataset, RobertaDataset
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.errors import UserError
from tests.data.corpora import CLS, PAD, SEP, corpus_of, vocabulary

DOCUMENTS = [
    ["the cat sat", "it purred at the dog", "then it slept"],
    ["rain fell on the hill", "the stream rose"],
    ["bread is baked early", "the baker yawns", "people come", "all is sold"],
]


class Words:
    """The least that a tokenizer has to be."""

    def __init__(self, documents: Sequence[list[str]]) -> None:
        words = [word for document in documents for line in document for word in line.split()]
        self.ids = {word: 5 + number for number, word in enumerate(dict.fromkeys(words))}

    @property
    def vocabulary(self) -> Vocabulary:
        return vocabulary(5 + len(self.ids))

    def encode_corpus(self, documents: Sequence[list[str]]) -> TokenizedCorpus:
        return corpus_of(
            [[[self.ids[w] for w in line.split()] for line in document] for document in documents]
        )


WORDS = Words(DOCUMENTS)


def test_a_bert_example_has_the_parts_of_the_tutorial_in_its_order() -> None:
    dataset = BertDataset(DOCUMENTS, WORDS, max_length=16)
    assert len(dataset) == 6
    ids, segments, mask, labels, label = dataset[0]
    assert ids.shape == segments.shape == mask.shape == labels.shape == (16,)
    assert mask.dtype == torch.bool
    assert int(label) in (0, 1)
    text = torch.where(labels == -100, ids, labels)
    first, last = torch.nonzero(text == SEP).flatten().tolist()
    assert text[: first + 1].tolist() == [CLS, *(WORDS.ids[w] for w in ("the", "cat", "sat")), SEP]
    assert segments.tolist() == [0] * (first + 1) + [1] * (last - first) + [0] * (15 - last)
    assert mask.tolist() == [True] * (last + 1) + [False] * (15 - last)
    assert (ids[~mask] == PAD).all()
    follows = [WORDS.ids[w] for w in ["it", "purred", "at", "the", "dog"]]
    assert (text[first + 1 : last].tolist() == follows) == bool(label)


def test_a_roberta_example_has_no_label_and_one_segment() -> None:
    dataset = RobertaDataset(DOCUMENTS, WORDS, max_length=16)
    ids, segments, mask, labels = dataset[1]
    assert ids.shape == mask.shape == labels.shape == (16,)
    assert not segments.any()
    text = torch.where(labels == -100, ids, labels)
    words = ["rain", "fell", "on", "the", "hill", "the", "stream", "rose"]
    assert text[mask].tolist() == [CLS, *(WORDS.ids[w] for w in words), SEP]


def test_bert_shows_the_same_puzzle_at_every_look_and_roberta_a_new_one() -> None:
    bert = BertDataset(DOCUMENTS, WORDS, max_length=24)
    looks = [bert[2] for _ in range(4)]
    bert.set_epoch(3)
    looks.append(bert[2])
    assert all(torch.equal(a, b) for look in looks for a, b in zip(look, looks[0], strict=True))
    roberta = RobertaDataset(DOCUMENTS, WORDS, max_length=24)
    masks = {tuple(roberta[2].mlm_labels.tolist()) for _ in range(20)}
    assert len(masks) > 5


def test_roberta_can_be_told_the_epoch() -> None:
    first, second = (RobertaDataset(DOCUMENTS, WORDS, max_length=24) for _ in range(2))
    by_look = [first[0].mlm_labels for _ in range(5)]
    for epoch in (4, 0, 2):
        second.set_epoch(epoch)
        for _ in range(2):
            assert torch.equal(second[0].mlm_labels, by_look[epoch])
    second.set_epoch(None)
    assert torch.equal(second[1].mlm_labels, first[1].mlm_labels)


def test_copies_come_by_turns_with_the_epoch() -> None:
    bert = BertDataset(DOCUMENTS, WORDS, max_length=24, masking=MaskingConfig(copies=2))
    shown = []
    for epoch in range(4):
        bert.set_epoch(epoch)
        shown.append([bert[index].mlm_labels.tolist() for index in range(len(bert))])
    assert shown[0] == shown[2]
    assert shown[1] == shown[3]
    assert shown[0] != shown[1]


def test_a_loader_batches_them() -> None:
    loader = DataLoader(BertDataset(DOCUMENTS, WORDS, max_length=24), batch_size=4)
    batch = next(iter(loader))
    assert batch.input_ids.shape == (4, 24)
    assert batch.nsp_label.shape == (4,)
    assert sum(len(batch.input_ids) for batch in loader) == 6


def test_an_index_may_count_from_the_end_and_not_beyond_it() -> None:
    dataset = BertDataset(DOCUMENTS, WORDS, max_length=24)
    assert torch.equal(dataset[-1].input_ids, dataset[5].input_ids)
    with pytest.raises(IndexError):
        dataset[6]
    assert len(RobertaDataset(DOCUMENTS, WORDS, max_length=24)) == 3


def test_each_recipe_has_its_kind_of_format() -> None:
    with pytest.raises(UserError, match="format must be a pair format, got 'sentence'"):
        BertDataset(DOCUMENTS, WORDS, format="sentence")
    with pytest.raises(UserError, match="format must be a single format, got 'segment-pair'"):
        RobertaDataset(DOCUMENTS, WORDS, format="segment-pair")
    assert len(RobertaDataset(DOCUMENTS, WORDS, max_length=16, format="sentence")) == 9
    assert len(BertDataset(DOCUMENTS, WORDS, max_length=16, format="segment-pair")) >= 3
