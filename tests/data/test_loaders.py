from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch.utils.data import Dataset

from lit_roberta.batch import IGNORE_INDEX, HeldOutBatch
from lit_roberta.data.evaluation.heldout import HeldOutDataset
from lit_roberta.data.evaluation.visits import PairDataset
from lit_roberta.data.examples.packing import PackingConfig
from lit_roberta.data.loaders import held_out_loader
from lit_roberta.data.rows.masking import MaskingConfig
from tests.data.corpora import even_corpus, vocabulary

CORPUS = even_corpus(9)


def texts() -> HeldOutDataset:
    return HeldOutDataset(
        CORPUS,
        vocabulary(CORPUS.num_tokens + 5),
        format="doc-sentences",
        max_length=24,
        masking=MaskingConfig(),
        batch_size=2,
        segments=False,
    )


def pairs() -> PairDataset:
    packing = PackingConfig(format="sentence-pair", max_length=24)
    return PairDataset(CORPUS, vocabulary(CORPUS.num_tokens + 5), packing=packing, batch_size=2)


def counted(dataset: Dataset[HeldOutBatch], *, rank: int, world_size: int) -> Iterator[object]:
    """Yield all that a rank scores, each with the sequence that it stands in."""
    loader = held_out_loader(dataset, rank=rank, world_size=world_size, pin_memory=False)
    for held_out in loader:
        batch = held_out.batch
        for row, ids in enumerate(batch.input_ids.tolist()):
            sequence = tuple(ids)
            for slot in torch.nonzero(batch.labels[row] != IGNORE_INDEX).flatten().tolist():
                place = int(batch.positions[row, slot])
                document = int(held_out.documents[row, slot])
                yield sequence, place, int(batch.labels[row, slot]), document
            if batch.next_sentence_labels is not None:
                label = int(batch.next_sentence_labels[row])
                if label != IGNORE_INDEX:
                    yield sequence, "next", label


@pytest.mark.parametrize("world_size", [2, 3, 4, 50])
@pytest.mark.parametrize("dataset", [texts(), pairs()], ids=["texts", "pairs"])
def test_the_ranks_together_score_each_example_once_in_as_many_batches(
    dataset: Dataset[HeldOutBatch], world_size: int
) -> None:
    alone = sorted(map(repr, counted(dataset, rank=0, world_size=1)))
    shares = [
        list(counted(dataset, rank=rank, world_size=world_size)) for rank in range(world_size)
    ]
    assert alone
    assert sorted(repr(item) for share in shares for item in share) == alone
    lengths = {
        len(held_out_loader(dataset, rank=rank, world_size=world_size, pin_memory=False))
        for rank in range(world_size)
    }
    assert len(lengths) == 1
