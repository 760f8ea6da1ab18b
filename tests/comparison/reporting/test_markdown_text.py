from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lit_roberta.comparison.reporting.markdown_text import plain, row, words_of_picture

_SIGNS = st.text("ab1 *_`~$<>[]()&;#!\\|:\"'", min_size=1, max_size=12)
_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def shown(text: str) -> str:
    """Give what a reader of Markdown sees in a line of text."""
    html = _READER.renderInline(text)
    return unescape(re.sub(r"<[^>]*>", lambda tag: f"TAG {tag.group()}", html))


@given(_SIGNS)
def test_text_is_shown_as_it_is(text: str) -> None:
    line = f"of {text.strip()} it is said"
    assert shown(plain(line)) == line


@given(st.lists(_SIGNS, min_size=1, max_size=4))
def test_a_row_has_its_cells_and_no_more(cells: list[str]) -> None:
    names = [f"x{cell.strip()}x" for cell in cells]
    table = "\n".join([row(names), row(["---"] * len(names)), row(names)])
    html = _READER.render(table)
    assert [unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", html)] == names


@given(_SIGNS)
def test_words_of_a_picture_stay_in_its_brackets(text: str) -> None:
    (paragraph,) = _READER.parseInline(f"![x{words_of_picture(text)}x](a.png)")
    assert paragraph.children is not None
    assert [(each.type, each.attrs.get("src")) for each in paragraph.children] == [
        ("image", "a.png")
    ]


@pytest.mark.parametrize("text", ["batch_size of [MASK]", "3.47 +/- 0.18", "a & b", "--tune-lr 3"])
def test_what_means_nothing_to_markdown_is_left_alone(text: str) -> None:
    assert plain(text) == text
