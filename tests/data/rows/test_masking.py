from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Int64

from lit_roberta.data.examples.order import examples_at
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.rows.masking import MaskingConfig, dynamic_mask, static_mask
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateStream
from lit_roberta.errors import UserError
from tests.data.corpora import (
    CLS,
    FORMATS,
    MASK,
    PAD,
    SEP,
    UNK,
    all_rows,
    build,
    builder_of,
    corpus_of,
    even_corpus,
    rows_of,
    vocabulary,
)

SIX_WORDS = torch.tensor([CLS, 10, 11, 12, 13, 14, 15, SEP])
SIX_SPECIAL = torch.tensor([1, 0, 0, 0, 0, 0, 0, 1])


def rows_of_length(length: int, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Make equal rows of [CLS], ordinary tokens, [SEP] and two of padding."""
    row = [CLS, *(5 + place % 60 for place in range(length)), SEP, PAD, PAD]
    special = [True, *([False] * length), True, True, True]
    return torch.tensor([row] * count), torch.tensor([special] * count)


def mask_rows(
    ids: torch.Tensor, special: torch.Tensor, *, seed: int = 0, **how: Any
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mask rows as the examples 0, 1, 2, ... of the first epoch."""
    return dynamic_mask(ids, special, seed=seed, example=np.arange(len(ids)), epoch=0, **how)


def chosen(labels: torch.Tensor) -> Int64[np.ndarray, " rows"]:
    counts = (labels != -100).sum(dim=-1)
    return counts.numpy()


@pytest.mark.parametrize("seed", range(20))
def test_a_sentence_of_six_tokens_gets_exactly_one_mask(seed: int) -> None:
    _, labels = static_mask(SIX_WORDS, SIX_SPECIAL, seed=seed, example=seed)
    assert int((labels != -100).sum()) == 1
    assert labels.shape == SIX_WORDS.shape


def test_labels_hold_the_original_and_the_rest_is_untouched() -> None:
    ids, special = rows_of_length(60, 200)
    before = ids.clone()
    masked, labels = dynamic_mask(ids, special, seed=1, example=np.arange(200), epoch=3)
    assert (ids == before).all()
    assert (masked[labels == -100] == ids[labels == -100]).all()
    assert (labels[labels != -100] == ids[labels != -100]).all()
    assert (labels[special] == -100).all()


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 13, 20, 33, 64, 126])
def test_the_rate_is_exact_in_expectation_at_every_length(length: int) -> None:
    rows = 4000
    ids, special = rows_of_length(length, rows)
    _, labels = mask_rows(ids, special, seed=0)
    counts = chosen(labels)
    wanted = 0.15 * length
    assert set(counts.tolist()) <= {max(1, math.floor(wanted)), max(1, math.floor(wanted) + 1)}
    expected = max(wanted, 1.0)
    part = expected % 1
    assert abs(counts.mean() - expected) <= 5 * math.sqrt(part * (1 - part) / rows) + 1e-9


def test_every_position_is_chosen_alike() -> None:
    rows, length = 20_000, 40
    ids, special = rows_of_length(length, rows)
    _, labels = mask_rows(ids, special, seed=5)
    share = (labels != -100).double().mean(dim=0).numpy()[1 : length + 1]
    assert np.abs(share - 0.15).max() < 5 * math.sqrt(0.15 * 0.85 / rows)


@pytest.mark.parametrize("whole_word", [False, True])
def test_eighty_ten_ten(whole_word: bool) -> None:
    rows, length = 4000, 60
    ids, special = rows_of_length(length, rows)
    masked, labels = mask_rows(
        ids,
        special,
        seed=2,
        masking=MaskingConfig(whole_word=whole_word),
        vocabulary=vocabulary(5005),
        word_starts=torch.ones_like(special) if whole_word else None,
    )
    where = labels != -100
    new, old = masked[where], labels[where]
    total = len(new)
    assert abs(total / (rows * length) - 0.15) < 0.001
    kept = (new == old).double().mean().item()
    hidden = (new == MASK).double().mean().item()
    replaced = 1 - kept - hidden
    for share, expected in ((hidden, 0.8), (replaced, 0.1), (kept, 0.1)):
        bound = 5 * math.sqrt(expected * (1 - expected) / total)
        assert abs(share - expected) < bound + 0.1 / 5000  # a random token may be the same one


def test_replacements_are_uniform_over_ordinary_tokens() -> None:
    rows = 3000
    ids, special = rows_of_length(60, rows)
    masked, labels = mask_rows(
        ids,
        special,
        seed=2,
        masking=MaskingConfig(mask_share=0.0, random_share=1.0),
        vocabulary=vocabulary(70),
    )
    counts = np.bincount(masked[labels != -100].numpy(), minlength=70)
    assert (counts[:5] == 0).all()
    expected = counts.sum() / 65
    assert ((counts[5:] - expected) ** 2 / expected).sum() < 64 + 5 * math.sqrt(2 * 64)


def test_specials_padding_and_unknown_are_never_chosen() -> None:
    row = torch.tensor([CLS, UNK, 10, SEP, UNK, 11, SEP, PAD])
    special = torch.tensor([1, 0, 0, 1, 0, 0, 1, 1])
    for epoch in range(200):
        masked, labels = dynamic_mask(
            row, special, seed=0, example=0, epoch=epoch, masking=MaskingConfig(rate=1.0)
        )
        assert (labels != -100).tolist() == [False, False, True, False, False, True, False, False]
        assert masked[[0, 1, 3, 4, 6, 7]].tolist() == row[[0, 1, 3, 4, 6, 7]].tolist()


def test_a_row_with_nothing_maskable_stays_as_it_is() -> None:
    row = torch.tensor([[CLS, UNK, SEP], [CLS, 7, SEP]])
    special = torch.tensor([[1, 0, 1], [1, 0, 1]])
    masked, labels = dynamic_mask(row, special, seed=0, example=[0, 1], epoch=0)
    assert masked[0].tolist() == row[0].tolist()
    assert chosen(labels).tolist() == [0, 1]
    alone, labels = dynamic_mask(row[0], special[0], seed=0, example=0, epoch=0)
    assert alone.tolist() == row[0].tolist()
    assert (labels == -100).all()


def test_static_masks_do_not_move_and_dynamic_ones_do() -> None:
    ids, special = rows_of_length(60, 64)
    numbers = np.arange(64)
    static = [
        static_mask(ids, special, seed=0, example=numbers, epoch=epoch) for epoch in range(3)
    ]
    assert all((labels == static[0][1]).all() for _, labels in static)
    assert all((masked == static[0][0]).all() for masked, _ in static)
    patterns = [
        dynamic_mask(ids, special, seed=0, example=numbers, epoch=epoch)[1] != -100
        for epoch in range(40)
    ]
    overlaps = [
        (first & second).sum().item() / first.sum().item() for first, second in pairwise(patterns)
    ]
    assert abs(np.mean(overlaps) - 0.15) < 5 * math.sqrt(0.15 * 0.85 / (39 * 64 * 9))


def test_copies_come_by_turns() -> None:
    ids, special = rows_of_length(60, 8)
    labels = [
        static_mask(ids, special, seed=0, example=np.arange(8), copies=3, epoch=epoch)[1]
        for epoch in range(7)
    ]
    assert (labels[0] == labels[3]).all()
    assert (labels[1] == labels[4]).all()
    assert (labels[0] == labels[6]).all()
    assert (labels[0] != labels[1]).any()
    assert (labels[1] != labels[2]).any()


def test_copies_are_the_first_dynamic_masks() -> None:
    ids, special = rows_of_length(60, 8)
    for epoch in range(10):
        ten = static_mask(ids, special, seed=0, example=np.arange(8), copies=10, epoch=epoch)
        dynamic = dynamic_mask(ids, special, seed=0, example=np.arange(8), epoch=epoch)
        assert (ten[0] == dynamic[0]).all()


def test_no_two_examples_share_a_stream_of_masks() -> None:
    ids, special = rows_of_length(60, 512)
    patterns = dynamic_mask(ids, special, seed=0, example=np.arange(512), epoch=0)[1] != -100
    assert len(np.unique(patterns.numpy(), axis=0)) == 512
    other_seed = dynamic_mask(ids, special, seed=1, example=np.arange(512), epoch=0)[1] != -100
    assert (patterns == other_seed).all(dim=1).sum() == 0


@settings(max_examples=20, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=2, max_size=6),
    whole_word=st.booleans(),
    seed=st.integers(0, 2**64),
)
def test_a_mask_does_not_depend_on_the_rest_of_the_batch(
    lengths: list[int], whole_word: bool, seed: int
) -> None:
    documents = [[[5 + place for place in range(length)]] for length in lengths]
    builder = builder_of(
        corpus_of(documents, pieces_per_word=3),
        "sentence",
        42,
        masking=MaskingConfig(whole_word=whole_word),
        size=50,
    )
    together = all_rows(builder)
    alone = [row for n in range(len(lengths)) for row in rows_of(build(builder, [n]))]
    assert together == alone


@pytest.mark.parametrize("format", FORMATS)
def test_the_stream_masks_as_the_functions_do(format: Format) -> None:
    corpus = even_corpus(12)
    masking = MaskingConfig()
    plain = builder_of(corpus, format, 24)
    stream = UpdateStream(
        corpus,
        plain.examples,
        plain.vocabulary,
        masking=masking,
        sizes=UpdateSizes.constant(1, max_length=24),
        micro_batch_size=None,
        seed=7,
        segments=False,
    )
    for number in (0, 5, stream.num_examples + 1):
        update = stream[number]
        place = np.array([number])
        example = int(examples_at(place, num_examples=stream.num_examples, seed=7)[0])
        epoch = number // stream.num_examples
        bare = build(plain, [example], visit=epoch, seed=7)
        masked, labels = dynamic_mask(
            torch.from_numpy(bare.rows.input_ids),
            torch.from_numpy(bare.rows.input_ids < 5),
            seed=7,
            example=[example],
            epoch=epoch,
            masking=masking,
            vocabulary=plain.vocabulary,
        )
        assert (update.input_ids == masked).all()
        assert sorted(update.labels[update.labels != -100].tolist()) == sorted(
            labels[labels != -100].tolist()
        )


def word_mask(
    length: int, rows: int, pieces: int, masking: MaskingConfig
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    ids, special = rows_of_length(length, rows)
    starts = torch.zeros_like(special)
    starts[:, 1 : length + 1 : pieces] = True
    masked, labels = mask_rows(
        ids,
        special,
        masking=replace(masking, whole_word=True),
        vocabulary=vocabulary(1005),
        word_starts=starts,
    )
    inside = slice(1, length + 1)
    return ids[:, inside], masked[:, inside], labels[:, inside]


@pytest.mark.parametrize("length", [30, 42, 60, 126])
def test_whole_words_are_whole_and_keep_the_rate(length: int) -> None:
    rows = 3000
    _, _, labels = word_mask(length, rows, 3, MaskingConfig())
    words = (labels != -100).reshape(rows, -1, 3)
    assert (words.any(dim=2) == words.all(dim=2)).all()
    share = (labels != -100).double().mean().item()
    assert abs(share - 0.15) < 5 * 3 * 0.5 / (length * math.sqrt(rows))


def test_a_word_has_one_fate_and_random_pieces_of_its_own() -> None:
    rows = 3000
    parts = word_mask(60, rows, 3, MaskingConfig())
    ids, masked, labels = (part.reshape(rows, -1, 3) for part in parts)
    words = (labels != -100).all(dim=2)
    new, old = masked[words], ids[words]
    hidden, kept = new == MASK, new == old
    assert (hidden.any(dim=1) == hidden.all(dim=1)).all()
    assert abs(hidden.all(dim=1).double().mean().item() - 0.8) < 5 * math.sqrt(0.16 / len(new))
    random = ~hidden.all(dim=1) & ~kept.all(dim=1)
    assert abs(random.double().mean().item() - 0.1) < 5 * math.sqrt(0.09 / len(new))
    assert (new[random][:, 0] != new[random][:, 1]).double().mean() > 0.95
    assert kept[random].double().mean() < 0.02


def test_a_word_longer_than_the_rate_allows_is_still_chosen_whole() -> None:
    _, _, labels = word_mask(6, 50, 3, MaskingConfig())
    assert set(chosen(labels).tolist()) == {3}


def test_long_words_are_not_avoided() -> None:
    rows = 6000
    ids, special = rows_of_length(60, rows)
    starts = torch.zeros_like(special)
    starts[:, 1:31:3] = True  # ten words of three pieces, then thirty of one
    starts[:, 31:61] = True
    _, labels = mask_rows(ids, special, masking=MaskingConfig(whole_word=True), word_starts=starts)
    share = (labels != -100).double().mean(dim=0)
    assert abs(share[1:31].mean() / share[31:61].mean() - 1) < 0.15


def test_whole_words_need_to_know_where_words_start() -> None:
    with pytest.raises(UserError, match="word_starts must be given for whole words"):
        dynamic_mask(
            SIX_WORDS,
            SIX_SPECIAL,
            seed=0,
            example=0,
            epoch=0,
            masking=MaskingConfig(whole_word=True),
        )


@pytest.mark.parametrize("whole_word", [False, True])
def test_lists_and_arrays_are_masked_as_tensors_are(whole_word: bool) -> None:
    ids, special = rows_of_length(12, 3)
    how: dict[str, Any] = {"masking": MaskingConfig(whole_word=whole_word)}
    starts = torch.ones_like(special) if whole_word else None
    common: dict[str, Any] = {"seed": 3, "epoch": 1, **how}
    wanted = dynamic_mask(ids, special, example=[4, 5, 6], word_starts=starts, **common)
    kinds: list[Callable[[Any], Any]] = [
        lambda values: None if values is None else values.tolist(),
        lambda values: None if values is None else values.numpy(),
        lambda values: None if values is None else values.int(),
    ]
    for kind in kinds:
        given_ = [kind(each) for each in (ids, special, starts)]
        for mask in (dynamic_mask, static_mask):
            own: dict[str, Any] = {"copies": 7} if mask is static_mask else {}
            found = mask(
                given_[0], given_[1], example=[4, 5, 6], word_starts=given_[2], **common, **own
            )
            assert torch.equal(found[0], wanted[0])
            assert torch.equal(found[1], wanted[1])
            assert found[0].dtype == torch.int64


def test_a_row_of_a_batch_is_the_row_alone() -> None:
    ids, special = rows_of_length(12, 1)
    alone = dynamic_mask(ids[0], special[0], seed=0, example=3, epoch=2)
    for example in (3, [3]):
        masked, labels = dynamic_mask(ids, special, seed=0, example=example, epoch=[2])
        assert torch.equal(masked[0], alone[0])
        assert torch.equal(labels[0], alone[1])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"special_tokens_mask": [[1, 0, 1]] * 2},
            "special_tokens_mask must have the shape of input_ids, [2, 4], got [2, 3]. Give one v",
        ),
        ({"special_tokens_mask": [1, 0, 0, 1]}, "special_tokens_mask must have the shape of inpu"),
        (
            {"word_starts": [[1, 1]] * 2, "masking": MaskingConfig(whole_word=True)},
            "word_starts must have the shape of input_ids, [2, 4], got [2, 2].",
        ),
        ({"input_ids": [[2, 7, 3], [2, 7]]}, "input_ids must be a tensor, an array or lists of n"),
        ({"input_ids": "words"}, "input_ids must be a tensor, an array or lists of numbers, got "),
        ({"input_ids": [[[2, 7, 3]]]}, "input_ids must have the shape [seq] or [batch, seq], got"),
        (
            {"input_ids": np.array(7)},
            "input_ids must have the shape [seq] or [batch, seq], got []. Give",
        ),
        ({"input_ids": [2.0, 7.5]}, "input_ids must be whole numbers, got 'float32'."),
        ({"input_ids": [[2, 7, -100, 3]] * 2}, "input_ids must be 0 or more, got -100."),
        (
            {"example": 5},
            "example must be an array with a number for each of the 2 rows, got 5. Give an array "
            "of 2, such as numpy.arange(2).",
        ),
        ({"example": [5]}, "example must be an array with a number for each of the 2 rows, got "),
        ({"example": [1, 2, 3]}, "example must be an array with a number for each of the 2 rows"),
        ({"epoch": [1, 2, 3]}, "epoch must be an array with a number for each of the 2 rows, got"),
    ],
)
@pytest.mark.parametrize("mask", [dynamic_mask, static_mask])
def test_arguments_that_do_not_fit_together_are_refused(
    mask: Callable[..., Any], changed: dict[str, Any], words: str
) -> None:
    arguments = {
        "input_ids": [[2, 7, 8, 3]] * 2,
        "special_tokens_mask": [[1, 0, 0, 1]] * 2,
        "example": [0, 1],
        "epoch": 0,
    }
    if mask is static_mask and "epoch" in changed:
        return  # static masks have one epoch for all rows
    with pytest.raises(UserError) as caught:
        mask(**arguments | changed, seed=0)
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


def test_static_masks_need_a_copy() -> None:
    with pytest.raises(UserError, match=r"^copies must be at least 1, got 0\."):
        static_mask(SIX_WORDS, SIX_SPECIAL, seed=0, example=0, copies=0)


def test_dynamic_may_be_said_in_words() -> None:
    assert MaskingConfig(copies="dynamic") == MaskingConfig(copies=None)


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        ({"rate": 0.0}, "data.masking.rate must lie above 0 and at most at 1, got 0.0"),
        ({"rate": 15.0}, "data.masking.rate must lie above 0 and at most at 1, got 15.0"),
        ({"copies": 0}, "data.masking.copies must be at least 1, got 0"),
        ({"mask_share": -0.1}, "data.masking.mask_share must lie between 0 and 1"),
        ({"mask_share": 0.8, "random_share": 0.3}, "must be at most 1"),
    ],
)
def test_settings_out_of_range_are_refused(settings_: dict[str, float], words: str) -> None:
    with pytest.raises(UserError, match=words):
        MaskingConfig(**settings_)  # type: ignore[arg-type]
