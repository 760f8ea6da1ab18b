from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX, Cut, Update
from lit_roberta.data.loaders import update_loader
from lit_roberta.data.parcels import Parcel
from lit_roberta.data.stream import UpdateSampler
from tests.data.corpora import FORMATS, even_corpus
from tests.data.test_stream import stream_of


def sent(update: Update) -> tuple[Update, int]:
    """Send an update, as a worker does; give what arrives, and the bytes that went."""
    data = ForkingPickler.dumps(Parcel(update))
    return ForkingPickler.loads(data), len(data)


def assert_same(one: Update, other: Update) -> None:
    assert type(other) is Update
    for name, value in one._asdict().items():
        arrived: Any = getattr(other, name)
        assert type(arrived) is type(value), name
        if isinstance(value, Tensor):
            assert arrived.dtype == value.dtype, name
            assert torch.equal(arrived, value), name
        else:
            assert arrived == value, name


def update_of(ids: list[int], *, columns: int, flags: list[bool]) -> Update:
    """Make an update of any numbers."""
    input_ids = torch.tensor(ids, dtype=torch.int64).reshape(-1, columns)
    return Update(
        number=3,
        input_ids=input_ids,
        segment_ids=None,
        attention_mask=torch.tensor(flags[: len(ids)], dtype=torch.bool).reshape(-1, columns),
        positions=input_ids[:, :1].contiguous(),
        labels=torch.where(input_ids % 3 > 0, IGNORE_INDEX, input_ids),
        next_sentence_labels=input_ids[:, 0] % 2,  # a view with gaps
        cuts=(Cut(0, 1, columns, 1, True),),
        num_labels=1,
        num_tokens=2,
        num_sequences=3,
        stage=1,
        epoch=2,
    )


LIMITS = [2**bits + step for bits in (7, 8, 15, 16, 31) for step in (-1, 0)]


@given(
    ids=st.lists(st.sampled_from([0, 5, *LIMITS, 2**62]), max_size=24),
    columns=st.sampled_from([1, 3, 8]),
    flags=st.lists(st.booleans(), min_size=24, max_size=24),
)
def test_an_update_arrives_bit_by_bit(ids: list[int], columns: int, flags: list[bool]) -> None:
    update = update_of(ids[: len(ids) // columns * columns], columns=columns, flags=flags)
    assert_same(update, sent(update)[0])


@pytest.mark.parametrize("format", FORMATS)
def test_an_update_of_a_stream_arrives_in_a_quarter_of_its_bytes(format: Any) -> None:
    stream = stream_of(even_corpus(40), format, batch_size=31, max_length=64, world_size=2, rank=1)
    for number in range(3):
        update = stream[number]
        arrived, num_bytes = sent(update)
        assert_same(update, arrived)
        whole = sum(value.nbytes for value in update if isinstance(value, Tensor))
        assert num_bytes < whole / 4 + 1500  # the frame is as large for the smallest


def test_what_workers_send_lies_in_no_shared_memory() -> None:
    stream = stream_of(even_corpus(9), "sentence-pair")
    sampler = UpdateSampler(lambda: 0, lambda: 3)
    loader = update_loader(stream, sampler, num_workers=1, pin_memory=False)
    for number, update in enumerate(loader):
        assert_same(stream[number], update)
        for value in update:
            if isinstance(value, Tensor):
                assert not value.is_shared()  # type: ignore[no-untyped-call]
