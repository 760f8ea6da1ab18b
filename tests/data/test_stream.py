from __future__ import annotations

import pickle
from typing import Any, Literal

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils.data import DataLoader

from lit_roberta.batch import Update
from lit_roberta.data.examples.packing import Format, PackingConfig, pack
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateSampler, UpdateStream
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import UserError
from tests.data.corpora import CLS, FORMATS, PAD, SEP, corpus_of, even_corpus, numbered, vocabulary

MASKINGS = {
    "static": MaskingConfig(copies=1),
    "dynamic": MaskingConfig(),
    "whole words": MaskingConfig(whole_word=True),
}


def uneven_corpus(num_documents: int = 9) -> TokenizedCorpus:
    generator = np.random.default_rng(0)
    return numbered([generator.integers(1, 12, 4).tolist() for _ in range(num_documents)])


def stream_of(
    corpus: TokenizedCorpus,
    format: Format = "doc-sentences",
    *,
    max_length: int = 26,
    masking: MaskingConfig = MASKINGS["dynamic"],
    batch_size: int = 4,
    sizes: UpdateSizes | None = None,
    stage: int = 0,
    micro_batch_size: int | None = None,
    rank: int = 0,
    world_size: int = 1,
) -> UpdateStream:
    config = PackingConfig(format=format, max_length=max_length)
    return UpdateStream(
        corpus,
        pack(corpus, config, seed=0),
        vocabulary(int(corpus.tokens.max()) + 1),
        masking=masking,
        sizes=sizes or UpdateSizes.constant(batch_size, max_length=max_length),
        stage=stage,
        micro_batch_size=micro_batch_size,
        seed=0,
        segments=True,
        rank=rank,
        world_size=world_size,
    )


def rows_of(update: Update) -> list[tuple[object, ...]]:
    """List the rows as plain data, whatever the padding, without fillers, in a fixed order."""
    rows = []
    for batch in update.micro_batches():
        mask = batch.attention_mask
        for row in range(len(batch.input_ids)):
            length = int(mask[row].sum()) if mask is not None else batch.input_ids.shape[1]
            slots = batch.labels[row] != -100
            segments = batch.segment_ids
            label = batch.next_sentence_labels
            rows.append(
                (
                    batch.input_ids[row, :length].tolist(),
                    None if segments is None else segments[row, :length].tolist(),
                    batch.positions[row][slots].tolist(),
                    batch.labels[row][slots].tolist(),
                    None if label is None else int(label[row]),
                )
            )
    return sorted((row for row in rows if row[0] != [CLS, SEP]), key=repr)


def originals(update: Update) -> Tensor:
    """Undo the masks."""
    ids = update.input_ids.clone()
    rows, slots = torch.nonzero(update.labels != -100, as_tuple=True)
    ids[rows, update.positions[rows, slots]] = update.labels[rows, slots]
    return ids


def same(first: Update, second: Update) -> bool:
    return all(
        torch.equal(a, b) if isinstance(a, Tensor) and isinstance(b, Tensor) else a == b
        for a, b in zip(first, second, strict=True)
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("masking", MASKINGS.values(), ids=MASKINGS)
def test_an_update_depends_on_its_number_alone(format: Format, masking: MaskingConfig) -> None:
    corpus = uneven_corpus()
    forwards = [stream_of(corpus, format, masking=masking)[number] for number in range(6)]
    stream = stream_of(corpus, format, masking=masking)
    numbers = [5, 0, 3, 3, 1000, 2, 4, 1]
    for number, update in zip(numbers, (stream[number] for number in numbers), strict=True):
        assert update.number == number
        assert number > 5 or same(update, forwards[number])


@pytest.mark.parametrize("micro_batch_size", [1, 2, 3, 5, 7, 100])
@pytest.mark.parametrize("format", FORMATS)
def test_the_micro_batch_changes_nothing_but_the_cuts(
    format: Format, micro_batch_size: int
) -> None:
    corpus = uneven_corpus()
    whole = stream_of(corpus, format, batch_size=7)[3]
    cut = stream_of(corpus, format, batch_size=7, micro_batch_size=micro_batch_size)[3]
    assert rows_of(cut) == rows_of(whole)
    assert same(cut._replace(cuts=()), whole._replace(cuts=()))
    assert [c.start for c in cut.cuts] == list(range(0, 7, micro_batch_size))
    assert max(c.stop - c.start for c in cut.cuts) <= micro_batch_size


@pytest.mark.parametrize("world_size", [1, 2, 3, 5])
@pytest.mark.parametrize("format", FORMATS)
def test_the_ranks_together_train_the_update(format: Format, world_size: int) -> None:
    corpus = uneven_corpus()
    for number in (0, 2, 17):
        whole = stream_of(corpus, format, batch_size=7)[number]
        shares = [
            stream_of(
                corpus,
                format,
                batch_size=7,
                micro_batch_size=2,
                rank=rank,
                world_size=world_size,
            )[number]
            for rank in range(world_size)
        ]
        assert sorted((row for s in shares for row in rows_of(s)), key=repr) == rows_of(whole)
        assert len({len(share.cuts) for share in shares}) == 1
        assert len({len(share.input_ids) for share in shares}) == 1
        assert sum(share.num_labels for share in shares) == whole.num_labels
        assert sum(share.num_tokens for share in shares) == whole.num_tokens
        assert {share.num_sequences for share in shares} == {7}


def test_a_filler_counts_for_nothing() -> None:
    update = stream_of(
        uneven_corpus(), "sentence-pair", batch_size=3, micro_batch_size=1, rank=0, world_size=2
    )[0]
    assert len(update.input_ids) == 2
    filler = list(update.micro_batches())[-1]
    assert filler.input_ids.tolist() == [[CLS, SEP]]
    assert filler.positions.tolist() == [[0]]
    assert filler.labels.tolist() == [[-100]]
    assert filler.attention_mask is None
    assert filler.next_sentence_labels is not None
    assert filler.next_sentence_labels.tolist() == [-100]
    assert update.num_tokens == int(update.attention_mask.sum()) - 2


def test_fewer_sequences_than_ranks_are_refused() -> None:
    with pytest.raises(UserError, match="batch_size must be at least the number of devices, 3"):
        stream_of(uneven_corpus(), batch_size=2, world_size=3)


@settings(max_examples=20, deadline=None)
@given(
    num_documents=st.integers(2, 12), batch_size=st.integers(1, 9), world_size=st.integers(1, 3)
)
def test_every_epoch_trains_every_example_once(
    num_documents: int, batch_size: int, world_size: int
) -> None:
    batch_size = max(batch_size, world_size)
    corpus = numbered([[3]] * num_documents)
    streams = [
        stream_of(corpus, "sentence", batch_size=batch_size, rank=rank, world_size=world_size)
        for rank in range(world_size)
    ]
    num_updates = -(-3 * num_documents // batch_size)
    # All rows are of one length, so shares and updates lie in the order of the stream.
    seen = [
        (token - 5) // 3
        for number in range(num_updates)
        for stream in streams
        for token in originals(stream[number])[:, 1].tolist()
        if token != SEP
    ]
    for epoch in range(3):
        of_epoch = seen[epoch * num_documents : (epoch + 1) * num_documents]
        assert sorted(of_epoch) == list(range(num_documents))
    assert len(seen) == num_updates * batch_size
    last = num_updates - 1
    assert streams[0][last].epoch == last * batch_size // num_documents


def mask_patterns(masking: MaskingConfig, *, epochs: int) -> list[dict[int, list[int]]]:
    """Find the masked positions of each example, epoch by epoch."""
    stream = stream_of(numbered([[40]] * 16), "sentence", max_length=42, masking=masking)
    patterns = []
    for epoch in range(epochs):
        pattern = {}
        for number in range(4 * epoch, 4 * epoch + 4):
            update = stream[number]
            for row, first in enumerate(originals(update)[:, 1].tolist()):
                used = update.labels[row] != -100
                pattern[first] = sorted(update.positions[row][used].tolist())
        patterns.append(pattern)
    return patterns


def test_static_masks_stay_and_dynamic_ones_move_between_epochs() -> None:
    static = mask_patterns(MaskingConfig(copies=1), epochs=3)
    assert static[0] == static[1] == static[2]
    copies = mask_patterns(MaskingConfig(copies=2), epochs=4)
    assert copies[0] == copies[2]
    assert copies[1] == copies[3]
    assert copies[0] != copies[1]
    dynamic = mask_patterns(MaskingConfig(), epochs=3)
    assert dynamic[0] == copies[0]  # the same function
    shared = sum(len(set(dynamic[0][key]) & set(dynamic[1][key])) for key in dynamic[0])
    assert shared < 0.4 * sum(map(len, dynamic[0].values()))


@pytest.mark.parametrize("format", FORMATS)
def test_rows_are_sorted_trimmed_and_padded(format: Format) -> None:
    update = stream_of(uneven_corpus(), format, batch_size=9, micro_batch_size=2)[1]
    lengths = update.attention_mask.sum(dim=1)
    assert (lengths[:-1] >= lengths[1:]).all()
    assert update.input_ids.shape[1] == lengths[0]
    assert (update.input_ids[~update.attention_mask] == PAD).all()
    assert update.num_tokens == int(lengths.sum())
    assert update.num_labels == int((update.labels != -100).sum())
    for cut, batch in zip(update.cuts, update.micro_batches(), strict=True):
        rows = slice(cut.start, cut.stop)
        assert cut.seq == lengths[rows].max()
        assert cut.slots == 1 + (update.labels[rows] != -100).sum(dim=1).max()
        assert cut.padded == (lengths[rows].min() < cut.seq)
        assert (batch.attention_mask is None) == (not cut.padded)
    assert (update.positions[:, 0] == 0).all()
    assert (update.labels[:, 0] == -100).all()
    assert (update.positions[update.labels == -100] == 0).all()
    assert {update.input_ids.dtype, update.positions.dtype, update.labels.dtype} == {torch.int64}


def test_segment_ids_are_zero_through_the_first_separator_then_one() -> None:
    update = stream_of(uneven_corpus(), "sentence-pair")[0]
    assert update.segment_ids is not None
    for ids, segments, mask in zip(
        update.input_ids, update.segment_ids, update.attention_mask, strict=True
    ):
        first, last = torch.nonzero(ids == SEP).flatten().tolist()
        expected = [0] * (first + 1) + [1] * (last - first)
        assert segments.tolist() == expected + [0] * int((~mask).sum())


def test_unmasked_text_is_what_the_corpus_holds() -> None:
    corpus = uneven_corpus()
    stream = stream_of(corpus, "full-sentences", batch_size=3)
    borders = set(corpus.tokens[corpus.document_token_offsets[1:] - 1].tolist())
    for number in range(6):
        for row in originals(stream[number]).tolist():
            text = [token for token in row if token > 4]
            assert text == list(range(text[0], text[-1] + 1))
            assert row[0] == CLS
            separators = [row[place - 1] for place, token in enumerate(row) if token == SEP]
            assert separators[:-1] == [t for t in text[:-1] if t in borders]


def test_a_corpus_without_maskable_tokens_still_gives_updates() -> None:
    corpus = corpus_of([[[1, 1, 1], [1]], [[1, 1], [1, 1]]])
    stream = UpdateStream(
        corpus,
        pack(corpus, PackingConfig(format="sentence", max_length=8), seed=0),
        vocabulary(6),
        masking=MaskingConfig(),
        sizes=UpdateSizes.constant(2, max_length=8),
        micro_batch_size=1,
        seed=0,
        segments=False,
    )
    assert stream[0].num_labels == 0
    assert stream[0].labels.shape == (2, 1)


def test_a_vocabulary_of_specials_alone_is_refused() -> None:
    corpus = corpus_of([[[1]], [[1]]])
    with pytest.raises(UserError, match="vocabulary must hold a token that is not a special one"):
        UpdateStream(
            corpus,
            pack(corpus, PackingConfig(format="sentence", max_length=8), seed=0),
            vocabulary(5),
            masking=MaskingConfig(),
            sizes=UpdateSizes.constant(1, max_length=8),
            micro_batch_size=None,
            seed=0,
            segments=False,
        )


def test_the_seed_draws_order_and_masks() -> None:
    corpus = even_corpus(20)
    config = PackingConfig(format="sentence", max_length=10)
    first, second = (
        UpdateStream(
            corpus,
            pack(corpus, config, seed=seed),
            vocabulary(500),
            masking=MaskingConfig(),
            sizes=UpdateSizes.constant(16, max_length=8),
            micro_batch_size=None,
            seed=seed,
            segments=False,
        )[0]
        for seed in (0, 1)
    )
    assert not torch.equal(originals(first), originals(second))


def as_it_is(update: Any) -> Any:  # the loader's own contract
    return update


@pytest.mark.parametrize("start_method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_workers_change_nothing(start_method: Literal["fork", "spawn"]) -> None:
    stream = stream_of(uneven_corpus(), "sentence-pair", micro_batch_size=3)
    total = 8
    expected = [stream[number] for number in range(2, total)]
    for num_workers in (0, 1, 2) if start_method == "fork" else (2,):
        loader = DataLoader(
            stream,
            sampler=UpdateSampler(lambda: 2, lambda: total),
            batch_size=None,
            collate_fn=as_it_is,
            num_workers=num_workers,
            multiprocessing_context=start_method if num_workers else None,
            persistent_workers=num_workers > 0,
        )
        for _ in range(2):
            assert all(map(same, loader, expected))
            assert len(list(loader)) == len(expected)


def test_a_stream_can_be_sent_to_another_process() -> None:
    stream = stream_of(uneven_corpus(), "segment-pair")
    assert same(pickle.loads(pickle.dumps(stream))[5], stream[5])


def test_the_sampler_reads_its_place_each_time_it_is_iterated() -> None:
    place = {"first": 0, "total": 3}
    sampler = UpdateSampler(lambda: place["first"], lambda: place["total"])
    assert list(sampler) == [0, 1, 2]
    place.update(first=2, total=5)
    assert list(sampler) == [2, 3, 4]
    assert len(sampler) == 5
