from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.text.decoding import split_lines
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.rows import jsonl_texts
from lit_roberta.errors import UserError


def read(text: str, **settings: str) -> list[str]:
    reading = ReadingConfig(**settings)  # type: ignore[arg-type]  # keywords
    return list(jsonl_texts(split_lines(text), name="rows.jsonl", reading=reading))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text()), st.booleans())
def test_every_row_is_read_back(texts: list[str], ascii_only: bool) -> None:
    lines = [json.dumps({"text": text, "id": 1}, ensure_ascii=ascii_only) for text in texts]
    assert read("\r\n".join(lines)) == texts


def test_blank_lines_are_not_rows() -> None:
    assert read('\n{"text": "a"}\n \n{"text": ""}\n') == ["a", ""]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"text": "a"}\n{"text": ', "rows.jsonl, line 2, must be valid JSON, got '{\"text\":'."),
        ("[1]", "rows.jsonl, line 1, must be a JSON object, got '[1]'."),
        (
            '{"passage": "a", "label": 1}',
            "rows.jsonl, line 1, must have the column 'text', got the columns passage, label. "
            "Give one of them as data.reading.text_column.",
        ),
        ("{}", "got the columns none."),
        ('{"text": null}', "must hold text in the column 'text', got null."),
        ('{"text": ["a"]}', 'got ["a"].'),
        ('{"text": "a \\ud800"}', "must be text, got \\ud800, half of a surrogate pair."),
        ("[" * 100_000, "must be valid JSON"),
        ('{"text": ' + "9" * 5000 + "}", "must be valid JSON"),
    ],
)
def test_a_row_that_can_not_be_read_is_named(text: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_column_is_read_if_named() -> None:
    assert read('{"passage": "a"}', text_column="passage") == ["a"]


def test_half_a_surrogate_pair_is_replaced_if_asked() -> None:
    assert read('{"text": "a\\ud800b"}', errors="replace") == ["a\ufffdb"]
