from __future__ import annotations

import re
import sys

import pytest

from lit_roberta.data.text.python_docs import read_python_docs
from lit_roberta.errors import UserError


def test_the_topics_are_prose_said_once() -> None:
    texts, note = read_python_docs()
    paragraphs = [paragraph for text in texts for paragraph in text.split("\n\n")]
    assert len(texts) > 50
    assert len(set(paragraphs)) == len(paragraphs) > 1000
    assert not any(">>>" in paragraph or "::=" in paragraph for paragraph in paragraphs)
    assert not any(re.search(r"\*\*\*\*|====|----", paragraph) for paragraph in paragraphs)
    assert re.match(r"python-docs of Python 3\.\d+\.\d+\S*, hash [0-9a-f]{16}: \d\d% of its", note)


def test_a_python_without_topics_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    with pytest.raises(UserError, match="which this Python was built without"):
        read_python_docs()
