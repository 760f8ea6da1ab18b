from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.batch import HeldOutBatch
from lit_roberta.data.evaluation.heldout import HeldOutDataset
from lit_roberta.data.evaluation.heldout_masks import (
    HeldOutMasks,
    held_out_masks,
    num_draws,
)
from lit_roberta.data.evaluation.heldout_rows import lay_out_held_out
from lit_roberta.data.evaluation.sampling import sample_documents, select_documents
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import UserError
from tests.data.corpora import (
    CLS,
    FORMATS,
    MASK,
    PAIRS,
    SEP,
    THREE_DOCUMENTS,
    UNK,
    corpus_of,
    even_corpus,
    numbered,
    shapes,
    vocabulary,
)

quick = settings(max_examples=12, deadline=None)


def held_out(
    corpus: TokenizedCorpus,
    format: Format,
    *,
    max_length: int = 24,
    masking: MaskingConfig | None = None,
    batch_size: int = 4,
    segments: bool = True,
    draws: int | None = None,
    max_tokens: int | None = None,
) -> HeldOutDataset:
    return HeldOutDataset(
        corpus,
        vocabulary(max(100, int(corpus.tokens.max(initial=0)) + 1)),
        format=format,
        max_length=max_length,
        masking=masking or MaskingConfig(),
        batch_size=batch_size,
        segments=segments,
        draws=draws,
        max_tokens=max_tokens,
    )


def batches(dataset: HeldOutDataset) -> list[HeldOutBatch]:
    return [dataset[index] for index in range(len(dataset))]


def predictions(dataset: HeldOutDataset) -> Counter[tuple[int, int, int]]:
    """Count what is predicted: document, original token, and what stands in its place."""
    counts: Counter[tuple[int, int, int]] = Counter()
    for batch, documents in batches(dataset):
        for row, slot in torch.nonzero(batch.labels != -100).tolist():
            shown = int(batch.input_ids[row, batch.positions[row, slot]])
            counts[int(documents[row, slot]), int(batch.labels[row, slot]), shown] += 1
    return counts


@quick
@given(
    shape=shapes(longest=30),
    max_length=st.integers(5, 24),
    rate=st.sampled_from([0.15, 0.3, 0.4, 1.0]),
    whole_word=st.booleans(),
)
def test_every_token_is_predicted_once_and_alike_in_every_format(
    shape: list[list[int]], max_length: int, rate: float, whole_word: bool
) -> None:
    corpus = numbered(shape)
    corpus.word_starts[1::2] = False
    masking = MaskingConfig(rate=rate, whole_word=whole_word)
    found = [
        predictions(held_out(corpus, format, max_length=max_length, masking=masking))
        for format in FORMATS
    ]
    owner = np.searchsorted(corpus.document_token_offsets, np.arange(corpus.num_tokens), "right")
    expected = Counter(zip((owner - 1).tolist(), corpus.tokens.tolist(), strict=True))
    assert Counter((document, token) for document, token, _ in found[0].elements()) == expected
    assert all(other == found[0] for other in found[1:])


@pytest.mark.parametrize("format", FORMATS)
def test_each_draw_predicts_the_same_tokens_in_every_format(format: Format) -> None:
    corpus = even_corpus(5, sentences=7, length=5)
    for draws in (1, 3):
        mine = predictions(held_out(corpus, format, draws=draws))
        assert mine == predictions(held_out(corpus, "sentence", draws=draws))
        assert abs(mine.total() - draws * corpus.num_tokens / 7) <= 5


@pytest.mark.parametrize("format", FORMATS)
def test_the_batch_size_changes_nothing(format: Format) -> None:
    corpus = even_corpus(4, sentences=5)
    whole = predictions(held_out(corpus, format, batch_size=64))
    assert predictions(held_out(corpus, format, batch_size=1)) == whole
    assert predictions(held_out(corpus, format, batch_size=7)) == whole


def test_nothing_else_than_its_draw_is_hidden_in_a_row() -> None:
    corpus = even_corpus(6, sentences=6)
    for format in FORMATS:
        for batch, _ in batches(held_out(corpus, format)):
            hidden = (batch.input_ids == MASK).sum(dim=1)
            assert (hidden <= (batch.labels != -100).sum(dim=1)).all()
            assert ((batch.labels != -100).sum(dim=1) > 0).all()


def rows_of(format: Format, max_length: int) -> list[list[tuple[list[int], bool]]]:
    corpus = corpus_of(THREE_DOCUMENTS)
    spans, predicted = lay_out_held_out(corpus, format=format, max_length=max_length)
    rows: list[list[tuple[list[int], bool]]] = [[] for _ in range(int(spans.rows[-1]) + 1)]
    for row, start, stop, here in zip(
        spans.rows, spans.starts, spans.stops, predicted, strict=True
    ):
        rows[row].append((corpus.tokens[start:stop].tolist(), bool(here)))
    return rows


def test_pairs_follow_each_other_without_overlap() -> None:
    assert rows_of("sentence-pair", 12) == [
        [([10, 11, 12], True), ([13, 14], True)],
        [([13, 14], False), ([15], True)],
        [([20, 21], True), ([22, 23, 24, 25], True)],
        [([30], True)],
    ]


def test_single_formats_are_laid_out_as_in_training() -> None:
    assert rows_of("full-sentences", 11) == [
        [([10, 11, 12, 13, 14, 15], True), ([20, 21], True)],
        [([22, 23, 24, 25], True), ([30], True)],
    ]


@pytest.mark.parametrize("format", FORMATS)
@quick
@given(shape=shapes(longest=30), max_length=st.integers(5, 24))
def test_rows_start_and_end_as_they_should_and_fit(
    format: Format, shape: list[list[int]], max_length: int
) -> None:
    for batch, _ in batches(held_out(numbered(shape), format, max_length=max_length)):
        rows, seq = batch.input_ids.shape
        mask = torch.ones(rows, seq) if batch.attention_mask is None else batch.attention_mask
        lengths = mask.sum(dim=1).long()
        assert lengths.max() <= max_length
        assert (batch.input_ids[:, 0] == CLS).all()
        assert (batch.input_ids[torch.arange(len(lengths)), lengths - 1] == SEP).all()


def test_segment_ids_follow_the_recipe() -> None:
    corpus = even_corpus(3)
    for format in FORMATS:
        assert held_out(corpus, format, segments=False)[0].batch.segment_ids is None
        segments = held_out(corpus, format, segments=True)[0].batch.segment_ids
        assert segments is not None
        assert bool(segments.any()) == (format in PAIRS)


def test_unknown_tokens_are_shown_and_never_predicted() -> None:
    corpus = corpus_of([[[UNK, 10, UNK, 11], [UNK]], [[UNK], [12, 13]]])
    for format in FORMATS:
        found = predictions(held_out(corpus, format))
        assert {token for _, token, _ in found} == {10, 11, 12, 13}


def masks_of(corpus: TokenizedCorpus, masking: MaskingConfig | None = None) -> HeldOutMasks:
    return held_out_masks(
        corpus,
        vocabulary(max(100, int(corpus.tokens.max()) + 1)),
        documents=np.arange(corpus.num_documents),
        masking=masking or MaskingConfig(),
    )


def test_draws_are_equal_shares_of_every_document() -> None:
    corpus = numbered([[13, 20, 9], [3], [50] * 4])
    masks = masks_of(corpus)
    for document in range(3):
        counts = np.bincount(masks.draws[masks.documents == document], minlength=7)
        assert counts.max() - counts.min() <= 1


def test_one_draw_of_many_short_documents_is_a_fair_share() -> None:
    masks = masks_of(numbered([[3]] * 4000))
    share = np.mean(masks.draws == 0)
    assert abs(share - 1 / 7) < 5 * math.sqrt(1 / 7 * 6 / 7 / 12_000)


def test_words_are_held_out_whole() -> None:
    corpus = corpus_of([[[5, 6, 7, 8, 9, 10]] * 5] * 3, pieces_per_word=3)
    draws = masks_of(corpus, MaskingConfig(whole_word=True)).draws.reshape(-1, 3)
    assert (draws == draws[:, :1]).all()


def test_eighty_ten_ten_holds_for_held_out_text() -> None:
    generator = np.random.default_rng(0)
    corpus = corpus_of([generator.integers(5, 5000, (40, 50)).tolist() for _ in range(5)])
    found = predictions(held_out(corpus, "doc-sentences", max_length=128))
    total = found.total()
    hidden = sum(n for (_, _, shown), n in found.items() if shown == MASK) / total
    kept = sum(n for (_, token, shown), n in found.items() if shown == token) / total
    assert abs(hidden - 0.8) < 5 * math.sqrt(0.16 / total)
    assert abs(kept - 0.1) < 5 * math.sqrt(0.09 / total)
    assert not any(shown < 4 for _, _, shown in found)


def test_masks_are_keyed_to_the_document_and_not_to_what_lies_around_it() -> None:
    corpus = even_corpus(12)
    some = select_documents(corpus, np.array([2, 7, 11]))
    masks = held_out_masks(
        some, vocabulary(400), documents=np.array([2, 7, 11]), masking=MaskingConfig()
    )
    whole = masks_of(corpus)
    mine = np.isin(whole.documents, [2, 7, 11])
    assert (whole.draws[mine] == masks.draws).all()
    assert (whole.documents[mine] == masks.documents).all()


@pytest.mark.parametrize("format", FORMATS)
def test_a_cap_takes_whole_documents(format: Format) -> None:
    corpus = even_corpus(20)
    found = predictions(held_out(corpus, format, max_tokens=100))
    documents = Counter(document for document, _, _ in found.elements())
    assert set(documents.values()) == {24}
    assert len(documents) == 4
    alike = predictions(held_out(corpus, "sentence", max_tokens=100))
    assert found == alike
    larger = predictions(held_out(corpus, format, max_tokens=300))
    assert found <= larger


def test_a_cap_takes_at_least_one_document_and_is_no_prefix() -> None:
    corpus = even_corpus(50)
    assert len(sample_documents(corpus, max_tokens=1)) == 1
    assert sample_documents(corpus, max_tokens=None).tolist() == list(range(50))
    sample = sample_documents(corpus, max_tokens=240)
    assert len(sample) == 10
    assert sample.tolist() != list(range(10))


@pytest.mark.parametrize(("rate", "draws"), [(0.15, 7), (0.1, 10), (0.2, 5), (0.4, 3), (1.0, 1)])
def test_as_many_draws_as_cover_the_text(rate: float, draws: int) -> None:
    assert num_draws(MaskingConfig(rate=rate)) == draws


def test_draws_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UserError, match="draws must lie between 1 and 7 at a rate of 0"):
        held_out(even_corpus(3), "sentence", draws=8)
    with pytest.raises(UserError, match="held-out text must hold at least one sentence"):
        held_out(corpus_of([]), "sentence")
