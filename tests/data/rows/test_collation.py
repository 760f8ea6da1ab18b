from __future__ import annotations

import numpy as np
import torch

from lit_roberta.data.rows.choosing import Choice, places_of
from lit_roberta.data.rows.collation import (
    Slots,
    Spans,
    attention_mask,
    lay_out,
    line_up,
    to_batch,
    with_documents,
)
from tests.data.corpora import CLS, PAD, SEP, vocabulary

TOKENS = np.arange(10, 40, dtype=np.uint16)
SPANS = Spans.of(np.array([0, 0, 1, 2, 2]), np.array([0, 7, 3, 20, 5]), np.array([3, 9, 7, 21, 6]))
ROWS = [
    [CLS, 10, 11, 12, SEP, 17, 18, SEP],
    [CLS, 13, 14, 15, 16, SEP, PAD, PAD],
    [CLS, 30, SEP, 15, SEP, PAD, PAD, PAD],
]


def test_spans_know_their_columns_and_rows_their_lengths() -> None:
    assert SPANS.columns.tolist() == [1, 5, 1, 1, 3]
    assert SPANS.closes.tolist() == [4, 7, 5, 2, 4]
    assert SPANS.lengths().tolist() == [8, 6, 5]


def test_rows_hold_special_tokens_text_and_padding() -> None:
    rows = lay_out(SPANS, TOKENS, vocabulary(), segments=False, pairs=False)
    assert rows.input_ids.tolist() == ROWS
    assert rows.input_ids.dtype == np.int64
    assert rows.segment_ids is None
    wide = lay_out(SPANS, TOKENS, vocabulary(), segments=False, pairs=False, seq=10)
    assert wide.input_ids.tolist() == [[*row, PAD, PAD] for row in ROWS]


def test_segment_ids_are_one_for_b_alone() -> None:
    pairs = lay_out(SPANS, TOKENS, vocabulary(), segments=True, pairs=True)
    assert pairs.segment_ids is not None
    assert pairs.segment_ids.tolist() == [
        [0, 0, 0, 0, 0, 1, 1, 1],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 0, 0, 0],
    ]
    singles = lay_out(SPANS, TOKENS, vocabulary(), segments=True, pairs=False)
    assert singles.segment_ids is not None
    assert not singles.segment_ids.any()


def test_rows_can_be_taken_in_any_order() -> None:
    taken = SPANS.take(np.array([1, 0]))
    rows = lay_out(taken, TOKENS, vocabulary(), segments=False, pairs=False, seq=8)
    assert rows.input_ids.tolist() == [ROWS[1], ROWS[0]]


def test_the_token_at_a_place_is_found_again() -> None:
    where = np.array([[row, column] for row in range(3) for column in range(8)])
    text = np.array([ROWS[row][column] > 4 for row, column in where.tolist()])
    rows, columns = where[text].T
    found = TOKENS[SPANS.tokens_at(rows, columns)]
    assert found.tolist() == [ROWS[row][column] for row, column in where[text].tolist()]


def slots() -> Slots:
    rows, columns = np.array([0, 0, 2]), np.array([6, 2, 3])
    bits = np.zeros(3, dtype=np.uint64)
    choice = Choice(places_of(np.array([2, 0, 1])), rows, columns, bits, bits)
    return line_up(choice, np.array([18, 11, 15]))


def test_slots_are_filled_from_the_left_behind_that_of_cls() -> None:
    assert slots().positions.tolist() == [[0, 6, 2], [0, 0, 0], [0, 3, 0]]
    assert slots().labels.tolist() == [[-100, 18, 11], [-100, -100, -100], [-100, 15, -100]]
    assert slots().counts.tolist() == [2, 0, 1]


def test_a_batch_has_a_mask_only_where_something_is_padded() -> None:
    rows = lay_out(SPANS, TOKENS, vocabulary(), segments=False, pairs=False)
    batch = to_batch(rows, slots(), np.array([1, 0, 1]))
    assert batch.attention_mask is not None
    assert batch.attention_mask.tolist() == (np.array(ROWS) != PAD).tolist()
    assert batch.next_sentence_labels is not None
    alone = lay_out(SPANS.take(np.array([0])), TOKENS, vocabulary(), segments=False, pairs=False)
    assert to_batch(alone, slots(), None).attention_mask is None
    assert attention_mask(np.array([1, 3]), 3).tolist() == [[True, False, False], [True] * 3]


def test_documents_stand_where_the_labels_do() -> None:
    rows = lay_out(SPANS, TOKENS, vocabulary(), segments=False, pairs=False)
    batch = with_documents(to_batch(rows, slots(), None), np.array([4, 5, 6]))
    assert batch.documents[batch.batch.labels != -100].tolist() == [4, 5, 6]
    assert batch.documents.dtype == torch.int64
