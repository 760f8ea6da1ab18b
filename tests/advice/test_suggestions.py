from __future__ import annotations

import subprocess
import sys
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.advice.studies import Suggestion
from lit_roberta.advice.suggestions import Suggestions, estimate_words, suggest
from lit_roberta.errors import UserError
from lit_roberta.training.arguments import find_config

SIZES = ("tiny", "small", "base", "large")
AMOUNTS = st.floats(0, 1e13)


def settings(suggestions: Suggestions) -> dict[str, Suggestion[object]]:
    named = {field.name: getattr(suggestions, field.name) for field in fields(suggestions)}
    return {name: value for name, value in named.items() if isinstance(value, Suggestion)}


def test_two_gigabytes_get_what_was_found_for_as_much() -> None:
    """The MiniBERTas of 100M and of 1B words stand on either side of it."""
    made = suggest(num_bytes=2e9)
    assert 1e8 < made.num_words < 1e9
    assert made.model_size.value == "base"
    assert 1024 <= made.batch_size.value <= 4096
    assert made.updates.value == 31_000
    assert made.learning_rate.value == 5e-4
    assert made.warmup_share.value == 0.06
    assert made.max_length.value == 512
    assert made.vocab_size.value is not None
    assert 16_384 <= made.vocab_size.value <= 30_522
    for name in ("batch_size", "updates", "learning_rate"):
        source = settings(made)[name].source
        assert "MiniBERTas, 100M" in source
        assert "1B" in source


@pytest.mark.parametrize(
    ("words", "size", "batch_size", "updates"),
    [
        (1e6, "small", 512, 10_000),
        (1e7, "base", 512, 10_000),
        (1e8, "base", 1024, 31_000),
        (1e9, "base", 4096, 31_000),
        (3.3e9, "large", 8192, 100_000),
        (2.8e10, "large", 8192, 500_000),
    ],
)
def test_a_study_is_suggested_as_it_was(
    words: float, size: str, batch_size: int, updates: int
) -> None:
    made = suggest(num_words=words)
    assert made.model_size.value == size
    assert (made.batch_size.value, made.updates.value) == (batch_size, updates)
    assert made.note is None


@given(first=AMOUNTS, second=AMOUNTS)
def test_more_text_never_gets_less(first: float, second: float) -> None:
    less, more = (suggest(num_words=amount) for amount in sorted((first, second)))
    for name in ("batch_size", "updates", "max_length"):
        assert getattr(less, name).value <= getattr(more, name).value, name
    assert (less.vocab_size.value or 0) <= (more.vocab_size.value or 0)
    assert SIZES.index(less.model_size.value) <= SIZES.index(more.model_size.value)
    assert less.learning_rate.value >= more.learning_rate.value


@given(words=AMOUNTS)
def test_every_suggestion_has_a_source_and_lies_within_what_was_tried(words: float) -> None:
    made = suggest(num_words=words)
    for name, suggestion in settings(made).items():
        assert len(suggestion.source) > 10, name
    assert 64 <= made.batch_size.value <= 8192
    assert 85 <= made.updates.value <= 500_000
    assert 4e-4 <= made.learning_rate.value <= 2e-3
    assert made.vocab_size.value is None or 261 <= made.vocab_size.value <= 50_265
    assert (made.vocab_size.value is None) == (made.tokenizer_kind.value == "word")
    assert made.epochs.value > 0
    assert (made.note is None) == (9.6e3 <= max(1, words) <= 2.8e10)


def test_epochs_are_the_updates_in_passes() -> None:
    made = suggest(num_words=1e8)
    assert made.epochs.value == pytest.approx(31_000 * 1024 * 512 / 125e6)


@pytest.mark.parametrize("size", SIZES)
def test_every_size_is_a_shipped_file(size: str) -> None:
    assert find_config(f"size/{size}").is_file()


def test_the_units_agree() -> None:
    assert estimate_words(num_bytes=57) == pytest.approx(10)
    assert estimate_words(num_tokens=12.5) == pytest.approx(10)
    assert estimate_words(num_words=10, num_bytes=60, num_tokens=99) == 10


def test_a_script_without_spaces_is_measured_in_bytes() -> None:
    assert estimate_words(num_words=3, num_bytes=5700) == pytest.approx(1000)


def test_no_text_is_as_little_as_there_is() -> None:
    assert estimate_words(num_words=0, num_bytes=0) == 1


@pytest.mark.parametrize(
    "amount", [{}, {"num_words": -1}, {"num_bytes": float("nan")}, {"num_tokens": float("inf")}]
)
def test_an_amount_must_be_one(amount: dict[str, float]) -> None:
    with pytest.raises(UserError, match=r" must be "):
        suggest(**amount)


def test_options_name_every_setting_once() -> None:
    names = [word.partition("=")[0] for word in suggest(num_words=1e8).options()]
    assert len(set(names)) == len(names) == 8


def test_advice_needs_no_torch() -> None:
    code = "import sys, lit_roberta.advice.suggestions; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
