from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.exchange.names import Family
from lit_roberta.exchange.tokenizer_files import write_tokenizer
from lit_roberta.finetuning.items import Item, Layout, make_batch
from lit_roberta.finetuning.updates import UpdateSizes
from tests.inference.models import train_tokenizer

TOKENIZER = train_tokenizer("wordpiece")


def layout(length: int, family: Family = "bert") -> Layout:
    return Layout(tokenizer=TOKENIZER, family=family, max_length=length, segments=family == "bert")


@given(
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(6, 30),
    st.sampled_from(["bert", "roberta"]),
)
def test_a_pair_is_cut_to_the_length_and_no_shorter(
    first: int, second: int, length: int, family: Family
) -> None:
    kept = layout(length, family).cut(first, second)
    room = length - (4 if family == "roberta" else 3)
    assert sum(kept) == min(first + second, room)
    assert 0 <= kept[0] <= first
    assert 0 <= kept[1] <= second
    # the longer one loses first
    assert abs(kept[0] - kept[1]) <= max(1, abs(first - second))
    if kept[0] < first and kept[1] < second:
        assert abs(kept[0] - kept[1]) <= 1


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize(
    "texts", [("I love tea", None), ("rain", "tea"), ("rain " * 9, "tea " * 7)]
)
def test_rows_are_those_of_the_exported_tokenizer(
    tmp_path: Path, family: Family, texts: tuple[str, str | None]
) -> None:
    transformers = pytest.importorskip("transformers", reason="its tokenizers are the peer")
    ours = layout(16, family)
    write_tokenizer(TOKENIZER, tmp_path, family=family, max_length=16, second_segment=1)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)(*texts, truncation=True)
    ids = [None if text is None else TOKENIZER.encode(text) for text in texts]
    row, is_cut = ours.lay_out(ids[0] or [], ids[1])
    assert row.input_ids.tolist() == theirs["input_ids"]
    assert is_cut == (len(texts[0]) > 20)
    if family == "bert":
        segments = [int(place >= row.second) for place in range(len(row.input_ids))]
        assert segments == theirs["token_type_ids"]


@given(st.integers(1, 200), st.integers(1, 50), st.integers(0, 20))
def test_every_epoch_holds_each_item_once_in_updates_of_one_size(
    num_items: int, batch_size: int, epoch: int
) -> None:
    sizes = UpdateSizes.of(num_items, batch_size)
    first = epoch * sizes.updates_per_epoch
    places = [sizes.items_before(first + n) for n in range(sizes.updates_per_epoch + 1)]
    counts = [after - before for before, after in itertools.pairwise(places)]
    assert sum(counts) == num_items
    assert max(counts) == sizes.largest <= batch_size
    assert max(counts) - min(counts) <= 1


def test_a_batch_is_padded_and_masked() -> None:
    rows = [layout(16).row([7, 8], [9]), layout(16).row([7])]
    items = [Item((row,), np.asarray(n), n) for n, row in enumerate(rows)]
    batch = make_batch(items, pad_id=0, segments=True)
    assert batch.input_ids.tolist() == [[2, 7, 8, 3, 9, 3], [2, 7, 3, 0, 0, 0]]
    assert batch.segment_ids is not None
    assert batch.attention_mask is not None
    assert batch.segment_ids.tolist() == [[0, 0, 0, 0, 1, 1], [0] * 6]
    assert batch.attention_mask.tolist() == [[True] * 6, [True] * 3 + [False] * 3]
