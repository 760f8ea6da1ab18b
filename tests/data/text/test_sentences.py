from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.text import paragraphs
from lit_roberta.data.text.lines import ends_like_sentence, weigh_lines
from lit_roberta.data.text.paragraphs import wrap_width
from lit_roberta.data.text.splitting import split_block


def split(*lines: str, width: int | None = None, language: str = "en") -> list[str]:
    joined = join_paragraphs(list(lines), width=width)
    (piece,) = split_block(joined, splitter="sentencex", language=language).pieces
    return piece.text.decode().split("\n")[:-1]


def join_paragraphs(lines: list[str], *, width: int | None) -> list[str]:
    return [text for text in paragraphs.join_paragraphs(lines, width=width) if text is not None]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Yes.", True),
        ('"Is he married?"', True),
        ("It is blue . ", True),
        ("(See below.)", True),
        ("\u597d\u3002\u300d", True),
        ("\u0939\u0948\u0964", True),
        ("First Citizen:", False),
        ("the trouble of cracking the nut. Whether this be the case with my", False),
        ("", False),
        ('"', False),
    ],
)
def test_the_end_of_a_sentence_is_seen(line: str, expected: bool) -> None:
    assert ends_like_sentence(line) is expected


def test_paragraphs_are_split_and_never_joined() -> None:
    assert split("One here. Two there!", "Three", "", " Four. ") == [
        "One here.",
        "Two there!",
        "Three",
        "Four.",
    ]


def test_wrapped_lines_are_joined_up_to_a_blank_line() -> None:
    lines = [
        "All true histories",
        "contain instruction; though,",
        "in some. Others",
        " ",
        "do not.",
    ]
    assert split(*lines, width=30) == [
        "All true histories contain instruction; though, in some.",
        "Others",
        "do not.",
    ]


def test_decimal_points_of_wikitext_do_not_end_a_sentence() -> None:
    line = " It weighs 0 @.@ 7 \u2013 2 @.@ 2 kg . It is 15 @-@ year @-@ old . "
    assert split(line) == [
        "It weighs 0 @.@ 7 \u2013 2 @.@ 2 kg .",
        "It is 15 @-@ year @-@ old .",
    ]


def test_lines_of_unspaced_scripts_are_joined_without_a_space() -> None:
    assert join_paragraphs(["\u4eca\u5929", "\u5929\u6c14"], width=0) == [
        "\u4eca\u5929\u5929\u6c14"
    ]
    assert split("\u4f60\u597d\u3002\u4eca\u5929\u597d\u3002", language="zh") == [
        "\u4f60\u597d\u3002",
        "\u4eca\u5929\u597d\u3002",
    ]


def wrap(paragraphs: list[str], width: int) -> list[str]:
    lines: list[str] = []
    for paragraph in paragraphs:
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = ""
            line = f"{line} {word}" if line else word
        lines.append(line)
    return lines


def test_paragraphs_of_a_wrapped_novel_without_blank_lines_are_found() -> None:
    sentence = "The governess went slowly over the moor and thought of nothing in particular."
    whole = [" ".join([sentence] * (3 + number % 4)) for number in range(20)]
    lines = wrap(whole, 60)
    width = wrap_width(lines)
    assert width is not None
    assert 57 <= width <= 60
    # Where a last line is nearly full, its end can't be seen; here it can everywhere.
    assert join_paragraphs(lines, width=width) == whole


def test_verse_stays_together() -> None:
    verse = [f"Line {'very ' * (number % 5)}long number {number}" for number in range(40)]
    verse = [line + "." * (number % 4 == 0) for number, line in enumerate(verse)]
    assert wrap_width(verse) == 0
    assert join_paragraphs(verse, width=0) == [" ".join(verse)]


@pytest.mark.parametrize(
    "lines",
    [
        [f"how to repair {'a very old ' * (number % 3)}lamp {number}" for number in range(50)],
        ["C" * (20 + number % 30) for number in range(50)],
    ],
)
def test_items_of_a_list_are_not_joined(lines: list[str]) -> None:
    assert wrap_width(lines) is None
    assert split(*lines) == lines


def test_a_piece_without_a_letter_belongs_to_the_sentence_before() -> None:
    assert split("He left. ... Then he came.") == ["He left. ...", "Then he came."]


def test_a_line_is_a_sentence_in_the_lines_splitter() -> None:
    lines = [" One. Two. ", "", "three"]
    (piece,) = split_block(lines, splitter="lines", language="en").pieces
    assert piece.text == b"One. Two.\nthree\n"


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"))),
    st.sampled_from([None, 0, 9]),
)
def test_no_character_is_lost_and_no_sentence_is_empty(
    lines: list[str], width: int | None
) -> None:
    sentences = split(*lines, width=width)
    assert "".join("".join(sentences).split()) == "".join("".join(lines).split())
    assert all(sentence == sentence.strip() != "" for sentence in sentences)


def test_a_giant_paragraph_is_split_in_windows() -> None:
    # Quotation marks without a partner are what makes sentencex slow: in one piece, 13 s.
    sentence = "The boy 's dog \" ran away ( home . "
    start = time.perf_counter()
    assert len(split(sentence * 30_000)) > 10_000
    assert time.perf_counter() - start < 5
    assert split("word " * 10_000) == [("word " * 4000).strip()] * 2 + [("word " * 2000).strip()]


@pytest.mark.parametrize(
    ("lines", "sentences", "wrapped"),
    [
        (["The cat sat.", "The dog ran.", "", "A bird sang."], True, False),
        (["One sentence here. Another there.", "More of it. And more."] * 5, False, False),
        (
            ["All true histories contain", "instruction; though, in some", "of them it is."],
            False,
            True,
        ),
        (["word " * 41 + "."] * 3, False, False),
        (["First Citizen:", "Before we proceed any further"], False, True),
    ],
)
def test_lines_are_weighed(lines: list[str], sentences: bool, wrapped: bool) -> None:
    assert weigh_lines(lines, language="en").lines_are_sentences is sentences
    assert (wrap_width(lines) is not None) is wrapped
