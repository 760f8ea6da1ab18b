from __future__ import annotations

import pytest

from tests.inference.models import KINDS, TEXTS, train_tokenizer


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [*TEXTS, "[SEP] is text, as </s> is", "  tea  and\ttea "])
def test_tokens_know_the_characters_that_they_stand_for(kind: str, text: str) -> None:
    tokenizer = train_tokenizer(kind)
    (located,) = tokenizer.encode_located([text])
    assert [each.token_id for each in located] == tokenizer.encode(text)
    ends = [0, *(each.stop for each in located)]
    for token, before in zip(located, ends, strict=False):
        assert 0 <= token.start <= token.stop <= len(text)
        assert token.stop >= before
    covered = {place for each in located for place in range(each.start, each.stop)}
    assert {place for place, letter in enumerate(text) if letter.strip()} <= covered
