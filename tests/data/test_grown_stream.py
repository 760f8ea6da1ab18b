"""The stream of a run whose batch grows and whose examples become longer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.batch import Update
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.growth import BatchRamp, LengthStage
from lit_roberta.data.loaders import StagedUpdates, update_loader
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import StageSize, UpdateSize, UpdateSizes
from lit_roberta.data.stream import UpdateSampler
from lit_roberta.errors import UserError
from tests.data.corpora import FORMATS, SEP, numbered
from tests.data.test_stream import originals, rows_of, same, stream_of, uneven_corpus
from tests.properties.running import write_corpus

GROWN = UpdateSizes(
    (StageSize(0, 16, 8), StageSize(9, 26, 6)), BatchRamp(start=3, updates=5, step=2)
)


def grown_stream(format: Format, number: int, **settings: Any) -> Update:
    """Give an update of the grown run, from the stream of its stage."""
    stage = GROWN.stage_of(number)
    length = GROWN.stages[stage].max_length
    return stream_of(
        uneven_corpus(), format, max_length=length, sizes=GROWN, stage=stage, **settings
    )[number]


@pytest.mark.parametrize("format", FORMATS)
def test_every_update_has_its_own_size(format: Format) -> None:
    for number in range(14):
        update, size = grown_stream(format, number), GROWN.at(number)
        assert update.num_sequences == len(update.input_ids) == size.batch_size
        assert update.input_ids.shape[1] <= size.max_length
        assert update.stage == size.stage
        assert update.number == number


@pytest.mark.parametrize("micro_batch_size", [1, 3, 100])
@pytest.mark.parametrize("world_size", [1, 2, 3])
def test_ranks_and_micro_batches_change_no_update(world_size: int, micro_batch_size: int) -> None:
    for number in (0, 3, 4, 5, 8, 9, 13):
        whole = grown_stream("sentence-pair", number)
        shares = [
            grown_stream(
                "sentence-pair",
                number,
                micro_batch_size=micro_batch_size,
                rank=rank,
                world_size=world_size,
            )
            for rank in range(world_size)
        ]
        rows = [row for share in shares for row in rows_of(share)]
        assert sorted(rows, key=repr) == rows_of(whole)
        assert len({len(share.cuts) for share in shares}) == 1
        assert sum(share.num_tokens for share in shares) == whole.num_tokens
        assert {share.num_sequences for share in shares} == {whole.num_sequences}


@settings(max_examples=15, deadline=None)
@given(
    num_documents=st.integers(2, 9),
    full=st.tuples(st.integers(3, 9), st.integers(3, 9)),
    ramp=st.tuples(st.integers(1, 3), st.integers(1, 12), st.integers(1, 3)),
    boundary=st.integers(1, 15),
    world_size=st.integers(1, 2),
)
def test_every_epoch_of_every_stage_trains_every_example_once(
    num_documents: int,
    full: tuple[int, int],
    ramp: tuple[int, int, int],
    boundary: int,
    world_size: int,
) -> None:
    sizes = UpdateSizes(
        (StageSize(0, 26, full[0]), StageSize(boundary, 26, full[1])),
        BatchRamp(start=max(ramp[0], world_size), updates=ramp[1], step=ramp[2]),
    )
    corpus = numbered([[3]] * num_documents)
    for stage, numbers in enumerate((range(boundary), range(boundary, boundary + 12))):
        streams = [
            stream_of(corpus, "sentence", sizes=sizes, stage=stage, rank=r, world_size=world_size)
            for r in range(world_size)
        ]
        seen: list[int] = []
        for number in numbers:
            assert streams[0][number].epoch == len(seen) // num_documents
            for stream in streams:
                tokens = originals(stream[number])[:, 1].tolist()
                seen += [(token - 5) // 3 for token in tokens if token != SEP]
        assert len(seen) == sizes.sequences(0, numbers.stop, stage=stage)
        for start in range(0, len(seen) - num_documents + 1, num_documents):
            assert sorted(seen[start : start + num_documents]) == list(range(num_documents))


@pytest.mark.parametrize("copies", [1, 3, None])
def test_a_stage_repeats_neither_the_order_nor_the_masks_of_another(copies: int | None) -> None:
    corpus = numbered([[40]] * 16)
    sizes = UpdateSizes((StageSize(0, 42, 16), StageSize(6, 42, 16)))
    masking = MaskingConfig(copies=copies)
    streams = [
        stream_of(corpus, "sentence", max_length=42, masking=masking, sizes=sizes, stage=stage)
        for stage in range(2)
    ]
    earlier = [streams[0][number] for number in range(6)]
    patterns = {row for update in earlier for row in map(repr, rows_of(update))}
    for number in range(6, 12):
        update = streams[1][number]
        assert not patterns & set(map(repr, rows_of(update)))
        texts = originals(update)
        assert not any(torch.equal(texts, originals(other)) for other in earlier)


def test_a_ramp_starts_with_a_sequence_for_each_device() -> None:
    with pytest.raises(UserError, match=r"batch_ramp\.start must be at least the number of dev"):
        stream_of(uneven_corpus(), sizes=GROWN, rank=0, world_size=4)


# ---- through the data module


def data_of(folder: Path, **settings: Any) -> PretrainingDataModule:
    corpus = write_corpus(folder / "corpus.txt")
    stages = [LengthStage(max_length=16, share=0.6)]
    settings = {"batch_size": 16, "length_stages": stages, **settings}
    return PretrainingDataModule(corpus, max_length=48, **settings)


RAMP = BatchRamp(start=2, updates=4, step=2)


@pytest.mark.parametrize("num_workers", [0, 1, 2])
def test_loaders_of_all_stages_give_the_updates_that_are_left(
    tmp_path: Path, num_workers: int
) -> None:
    data = data_of(tmp_path, batch_ramp=RAMP)
    sizes, loaded = data.sizes(10), []

    def load(stage: int, sampler: UpdateSampler) -> Any:
        loaded.append(stage)
        stream = data.training.stream(stage, sizes=sizes)
        return update_loader(stream, sampler, num_workers=num_workers, pin_memory=False)

    alone = [data.training.stream(sizes.stage_of(u), sizes=sizes)[u] for u in range(10)]
    for first in (0, 5, 6, 7) if num_workers == 0 else (4,):
        loaded.clear()
        updates = StagedUpdates(sizes, UpdateSampler(partial(int, first), lambda: 10), load)
        assert len(updates) == 10
        found = list(updates)
        assert len(found) == 10 - first
        assert all(map(same, found, alone[first:]))
        assert loaded == ([0, 1] if first < 6 else [1])
    assert not list(StagedUpdates(sizes, UpdateSampler(lambda: 10, lambda: 10), load))


def test_text_is_packed_for_the_stage_that_is_reached_and_let_go_behind_it(
    tmp_path: Path,
) -> None:
    data = data_of(tmp_path)
    data.sizes(10)
    assert data.updates_for("sequences", 100) == 7
    data.evaluation.held_out("validation")
    assert not data.training._packed
    data.stream(0, total=10)
    assert list(data.training._packed) == [0]
    data.stream(1, total=10)
    assert list(data.training._packed) == [1]


@pytest.mark.parametrize("unit", ["updates", "sequences", "tokens", "epochs"])
@pytest.mark.parametrize("batch", [{"batch_size": 16}, {"batch_tokens": 200}])
def test_a_budget_comes_to_the_fewest_updates_that_fill_it(
    tmp_path: Path, unit: Any, batch: dict[str, Any]
) -> None:
    data = data_of(tmp_path, **{"batch_size": None, **batch}, batch_ramp=RAMP)
    text = data.training
    worths: dict[str, Callable[[UpdateSize], float]] = {
        "updates": lambda update: 1.0,
        "sequences": lambda update: update.batch_size,
        "tokens": lambda update: update.batch_size * text.tokens_per_sequence(update.stage),
        "epochs": lambda update: update.batch_size / text.num_examples(update.stage),
    }

    def amount(total: int) -> float:
        return sum(worths[unit](data.sizes(total).at(number)) for number in range(total))

    amounts = [amount(total) for total in range(1, 16)]
    assert amounts == sorted(amounts)
    for total, filled in enumerate(amounts, start=1):
        assert data.updates_for(unit, filled) == total
        assert data.updates_for(unit, filled * 1.001) == total + 1


def test_a_batch_in_tokens_has_as_many_in_every_stage(tmp_path: Path) -> None:
    data = data_of(tmp_path, batch_size=None, batch_tokens=400)
    for stage in range(2):
        tokens = data.training.full_batch(stage) * data.training.tokens_per_sequence(stage)
        assert tokens == pytest.approx(400, rel=0.1)
    assert data.training.full_batch(0) > data.training.full_batch(1)


def test_stages_that_were_fixed_stay_where_they_are(tmp_path: Path) -> None:
    data = data_of(tmp_path)
    assert data.sizes(20).stages[1].start == 12
    data.keep_stages([0, 6])
    assert data.sizes(20).stages[1].start == 6
    with pytest.raises(UserError, match=r"data\.length_stages must be as many as the checkpoint"):
        data.keep_stages([0])
