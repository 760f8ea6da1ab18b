from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.examples.packing import Format, PackingConfig, pack
from lit_roberta.data.preparation.formats import ROWS_TOGETHER, check_max_length, measure_formats
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import UserError
from tests.data.corpora import FORMATS, PAIRS, all_rows, builder_of, numbered, shapes

quick = settings(max_examples=12, deadline=None)


def measure(corpus: TokenizedCorpus, max_length: int, **limits: int) -> dict[Format, Any]:
    found: dict[Format, Any] = measure_formats(corpus, max_length=max_length, **limits)["formats"]
    assert list(found) == list(FORMATS)
    return found


def test_a_small_text_by_hand() -> None:
    """Sentences of 3 and 9 tokens; three documents, the last of one sentence."""
    found = measure(numbered([[3, 3], [9, 3], [3]]), 10)
    # [CLS] and [SEP] leave 8: the sentence of 9 is cut into 4 and 5.
    assert found["sentence"] == {
        "examples": 6,
        "tokens_per_example": (3 + 3 + 4 + 5 + 3 + 3 + 6 * 2) / 6,
        "padding_share": pytest.approx(1 - 33 / 60),
        "batch_padding_share": pytest.approx(1 - 33 / (6 * 7)),
        "cut_share": 1 / 5,
        "dropped_share": 0.0,
        "negative_share": None,
    }
    # A pair has room for 7 tokens, a sentence for 3: 9 becomes three pieces.
    pair = found["sentence-pair"]
    assert pair["examples"] == 1 + 3
    assert pair["tokens_per_example"] == 9
    assert pair["cut_share"] == 1 / 5
    assert pair["dropped_share"] == 3 / 21
    assert pair["negative_share"] in (0, 0.25, 0.5, 0.75, 1)
    # 3 + 3; 4, and 5 + 3; 3.
    assert found["doc-sentences"]["examples"] == 4
    assert found["doc-sentences"]["tokens_per_example"] == (8 + 6 + 10 + 5) / 4


@quick
@given(shape=shapes(min_documents=3, min_sentences=2), max_length=st.integers(5, 40))
def test_below_the_bound_figures_are_those_of_the_packing(
    shape: list[list[int]], max_length: int
) -> None:
    corpus = numbered(shape)
    for format, facts in measure(corpus, max_length).items():
        assert "impossible" not in facts
        config = PackingConfig(format=format, max_length=max_length)
        examples = pack(corpus, config, seed=0)
        rows = [len(row) for row in all_rows(builder_of(corpus, format, max_length))]
        assert facts["examples"] == len(examples) == len(rows)
        if format not in PAIRS:
            assert facts["tokens_per_example"] == pytest.approx(np.mean(rows))
        padding = 1 - examples.lengths.sum() / (max_length * len(examples))
        assert facts["padding_share"] == pytest.approx(padding)
        longest = int(examples.lengths.max())
        if len(examples) <= ROWS_TOGETHER:  # one batch
            padding = 1 - examples.lengths.sum() / (longest * len(examples))
            assert facts["batch_padding_share"] == pytest.approx(padding)
        assert 0 <= facts["batch_padding_share"] < 1
        assert facts["dropped_share"] == examples.dropped_tokens / corpus.num_tokens
        sizes = [size for document in shape for size in document]
        cut = np.mean([size > config.sentence_room for size in sizes])
        assert facts["cut_share"] == pytest.approx(cut)
        assert (facts["negative_share"] is not None) is (format in PAIRS)


@pytest.mark.parametrize("max_length", [16, 64])
def test_estimates_are_within_five_in_a_hundred(max_length: int) -> None:
    generator = np.random.default_rng(1)
    shape = [
        np.minimum(generator.geometric(0.1, size=count), 60).tolist()
        for count in generator.geometric(0.05, size=2_000)
    ]
    corpus = numbered(shape)
    whole = measure(corpus, max_length)
    some = measure(corpus, max_length, at_most=corpus.num_tokens // 5)
    for format, facts in whole.items():
        assert some[format]["examples"] == pytest.approx(facts["examples"], rel=0.05), format
        for name in ("padding_share", "cut_share", "dropped_share", "negative_share"):
            expected = facts[name] and pytest.approx(facts[name], abs=0.03)
            assert some[format][name] == expected, (format, name)


def test_half_of_the_pairs_get_a_random_part() -> None:
    found = measure(numbered([[4] * 30] * 300), 32)
    for format in PAIRS:
        assert found[format]["negative_share"] == pytest.approx(0.5, abs=0.03)


def test_what_is_not_possible_says_why() -> None:
    one = measure(numbered([[3, 3, 3]]), 10)
    for format in PAIRS:
        assert "sentence of another document" in one[format]["impossible"]
    assert "examples" in one["doc-sentences"]
    single = measure(numbered([[3], [3]]), 10)
    assert "a document of two sentences" in single["segment-pair"]["impossible"]
    short = measure(numbered([[3, 3], [3, 3]]), 4)
    assert "lie between 5 and" in short["sentence-pair"]["impossible"]
    assert short["sentence"]["examples"] == 8


@pytest.mark.parametrize("max_length", [-1, 2, 65_536])
def test_a_length_that_no_format_can_have_is_refused(max_length: int) -> None:
    with pytest.raises(UserError, match=r"^max_length must lie between 3 and 65535, got "):
        check_max_length(max_length)
