from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.corpora.budget import Spending, spend
from lit_roberta.data.batching import BatchConfig
from lit_roberta.data.examples.packing import PackingConfig
from lit_roberta.data.growth import NO_RAMP
from lit_roberta.data.preparation.formats import measure_formats
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.training_text import TrainingText
from tests.data.corpora import FORMATS, even_corpus, vocabulary


def measured(**facts: float) -> dict[str, Any]:
    return {"tokens": 1_000, "formats": {"sentence": facts}}


def test_updates_and_passes_by_hand() -> None:
    """2,000 tokens in updates of 4 x 25; there are 40 examples, so 80 sequences are 2 passes."""
    facts = measured(examples=40, tokens_per_example=25.0)
    course = spend(Spending(passes=2, batch_size=4, copies=1), facts, "sentence")
    assert (course.updates, course.passes, course.copies_matter) == (20, 2.0, True)
    course = spend(Spending(passes=2, batch_size=4, copies=2), facts, "sentence")
    assert course.copies_matter is False


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("batch_size", [1, 7, 64])
def test_a_budget_comes_to_what_training_comes_to(format: Any, batch_size: int) -> None:
    corpus = even_corpus(40)
    text = TrainingText(
        corpus=corpus,
        vocabulary=vocabulary(size=int(corpus.tokens.max()) + 1),
        packing=PackingConfig(format=format, max_length=20),
        masking=MaskingConfig(),
        batch=BatchConfig(batch_size=batch_size),
        ramp=NO_RAMP,
        stages=(),
        seed=0,
        segments=True,
    )
    course = spend(
        Spending(passes=40, batch_size=batch_size), measure_formats(corpus, max_length=20), format
    )
    assert course.updates == text.updates_for("tokens", 40 * corpus.num_tokens)
    assert [course.passes] == pytest.approx(text.passes(course.updates))


@given(passes=st.floats(0.01, 1e4), batch_size=st.integers(1, 10**4), mean=st.floats(3, 512))
def test_the_last_update_is_the_one_that_reaches_the_budget(
    passes: float, batch_size: int, mean: float
) -> None:
    facts = measured(examples=50, tokens_per_example=mean)
    spending = Spending(passes=passes, batch_size=batch_size)
    updates = spend(spending, facts, "sentence").updates
    tokens = spending.tokens(1_000) * (1 - 1e-9)
    assert updates == 1 or (updates - 1) * batch_size * mean < tokens / (1 - 1e-9)
    assert updates * batch_size * mean >= tokens
