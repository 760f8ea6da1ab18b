from __future__ import annotations

from collections import Counter

import pytest
import torch

from lit_roberta.batch import HeldOutBatch
from lit_roberta.data.evaluation.visits import PairDataset, VisitDataset
from lit_roberta.data.examples.packing import Format, PackingConfig, pack
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateStream
from lit_roberta.errors import UserError
from tests.data.corpora import FORMATS, MASK, PAIRS, even_corpus, numbered, vocabulary

CORPUS = numbered([[3, 7, 5, 4], [6, 2, 9], [8, 8], [1, 5, 5, 5, 5]] * 3)
VOCABULARY = vocabulary(CORPUS.num_tokens + 5)
NEVER_VISITED = 2**40


def visit_of(
    format: Format, *, visit: int, batch_size: int = 4, max_tokens: int | None = None
) -> VisitDataset:
    return VisitDataset(
        CORPUS,
        pack(CORPUS, PackingConfig(format=format, max_length=22), seed=3),
        VOCABULARY,
        masking=MaskingConfig(copies=1),
        batch_size=batch_size,
        seed=3,
        segments=True,
        visit=visit,
        max_tokens=max_tokens,
    )


def batches(dataset: VisitDataset | PairDataset) -> list[HeldOutBatch]:
    return [dataset[index] for index in range(len(dataset))]


def rows(dataset: VisitDataset) -> list[str]:
    """List the rows with what is predicted in them."""
    found = []
    for batch, _ in batches(dataset):
        for ids, labels in zip(batch.input_ids, batch.labels, strict=True):
            found.append(f"{ids[ids > 0].tolist()} {sorted(labels[labels > 0].tolist())}")
    return sorted(found)


@pytest.mark.parametrize("format", FORMATS)
def test_own_masks_are_those_of_the_training(format: Format) -> None:
    examples = pack(CORPUS, PackingConfig(format=format, max_length=22), seed=3)
    stream = UpdateStream(
        CORPUS,
        examples,
        VOCABULARY,
        masking=MaskingConfig(copies=1),
        sizes=UpdateSizes.constant(len(examples), max_length=22),
        micro_batch_size=None,
        seed=3,
        segments=True,
    )
    own, fresh = (rows(visit_of(format, visit=visit)) for visit in (0, NEVER_VISITED))
    for epoch in (0, 4):
        trained = sorted(
            f"{ids[ids > 0].tolist()} {sorted(labels[labels > 0].tolist())}"
            for ids, labels in zip(stream[epoch].input_ids, stream[epoch].labels, strict=True)
        )
        assert own == trained
    assert own != fresh


@pytest.mark.parametrize("format", FORMATS)
def test_documents_are_those_of_the_predicted_tokens(format: Format) -> None:
    for batch, documents in batches(visit_of(format, visit=NEVER_VISITED)):
        used = batch.labels != -100
        borders = torch.from_numpy(CORPUS.document_token_offsets)
        owner = torch.searchsorted(borders, batch.labels[used] - 5, right=True) - 1
        assert (documents[used] == owner).all()


def test_the_batch_size_changes_nothing() -> None:
    one = rows(visit_of("full-sentences", visit=5, batch_size=1))
    assert one == rows(visit_of("full-sentences", visit=5, batch_size=64))


def test_a_sample_holds_as_many_tokens_as_it_may() -> None:
    everything = rows(visit_of("doc-sentences", visit=0))
    some = rows(visit_of("doc-sentences", visit=0, max_tokens=100))
    assert not Counter(some) - Counter(everything)
    assert 1 < len(some) < len(everything)
    assert len(rows(visit_of("doc-sentences", visit=0, max_tokens=1))) == 1


@pytest.mark.parametrize("format", PAIRS)
def test_held_out_pairs_are_unmasked_and_half_random(format: Format) -> None:
    corpus = even_corpus(60)
    dataset = PairDataset(
        corpus,
        vocabulary(corpus.num_tokens + 5),
        packing=PackingConfig(format=format, max_length=24),
        batch_size=16,
    )
    labels = []
    for batch, documents in batches(dataset):
        assert (batch.labels == -100).all()
        assert batch.positions.shape == batch.labels.shape == documents.shape
        assert batch.positions.shape[1] == 1
        assert not (batch.input_ids == MASK).any()
        assert batch.segment_ids is not None
        assert batch.next_sentence_labels is not None
        labels += batch.next_sentence_labels.tolist()
    assert len(labels) == sum(len(batch.labels) for batch, _ in batches(dataset))
    assert set(labels) == {0, 1}
    assert abs(sum(labels) / len(labels) - 0.5) < 0.2


def test_pairs_need_other_documents() -> None:
    with pytest.raises(UserError, match=r"data\.corpus must offer each pair"):
        PairDataset(
            even_corpus(1),
            vocabulary(100),
            packing=PackingConfig(format="sentence-pair", max_length=24),
            batch_size=4,
        )


def test_batches_behind_the_last_do_not_exist() -> None:
    dataset = visit_of("sentence", visit=0)
    with pytest.raises(IndexError):
        dataset[len(dataset)]
