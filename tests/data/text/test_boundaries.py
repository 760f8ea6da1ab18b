from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.text.boundaries import Cutter, detect_boundary
from lit_roberta.errors import UserError

WIKITEXT = [
    " ",
    " = Homarus gammarus = ",
    " ",
    " Homarus is a lobster . ",
    " ",
    " = = Description = = ",
    " ",
    " The coil has ",
    " = 1 henry and C = ",
    " 1 farad . ",
    " ",
    " = Frank Headlam = ",
    " ",
    " Frank was a pilot . ",
]
GUTENBERG = [
    "The Project Gutenberg eBook of A",
    "*** START OF THE PROJECT GUTENBERG EBOOK A ***",
    "Text of A.",
    "*** END OF THE PROJECT GUTENBERG EBOOK A ***",
    "Licence.",
    "***START OF THIS PROJECT GUTENBERG EBOOK B***",
    "Text of B.",
]


def cut_documents(files: list[list[str]], boundary: str) -> list[list[list[str]]]:
    cutter = Cutter(boundary)
    found = []
    for lines in files:
        documents: list[list[str]] = [[]]
        for line in cutter.cut(lines):
            if line is None:
                documents.append([])
            else:
                documents[-1].append(line)
        assert documents.pop() == []
        found.append([one for one in documents if any(map(str.strip, one))])
    cutter.require_found()
    return found


def words(documents: list[list[str]]) -> list[list[str]]:
    return [[line.strip() for line in lines if line.strip()] for lines in documents]


def test_wikitext_is_cut_at_titles_and_loses_the_fences_of_headings() -> None:
    (documents,) = cut_documents([WIKITEXT], "wikitext")
    assert words(documents) == [
        [
            "Homarus gammarus",
            "Homarus is a lobster .",
            "Description",
            "The coil has",
            "= 1 henry and C =",
            "1 farad .",
        ],
        ["Frank Headlam", "Frank was a pilot ."],
    ]


def test_gutenberg_books_stand_between_their_marks() -> None:
    (documents,) = cut_documents([GUTENBERG], "gutenberg")
    assert words(documents) == [["Text of A."], ["Text of B."]]


def test_text_before_an_end_mark_without_start_is_kept() -> None:
    (documents,) = cut_documents([GUTENBERG[2:5]], "gutenberg")
    assert words(documents) == [["Text of A."]]


def test_a_file_without_marks_among_gutenberg_books_is_a_document() -> None:
    files = cut_documents([GUTENBERG, ["Plain.", "", "Text."]], "gutenberg")
    assert words(files[1]) == [["Plain.", "Text."]]


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        ("blank-line", [["a b", "c"], ["d"]]),
        ("file", [["a b", "c", "d"]]),
        ("row", [["a b"], ["c"], ["d"]]),
        ("^c$", [["a b"], ["d"]]),
        ("c|d", [["a b"]]),
        ("b", [["a b", "c", "d"]]),
        ("^[ac]", [["a b"], ["d"]]),
    ],
)
def test_each_boundary_cuts_where_it_says(boundary: str, expected: list[list[str]]) -> None:
    (documents,) = cut_documents([["a b", "c", " ", "", "d"]], boundary)
    assert words(documents) == expected


def test_a_line_that_a_pattern_matches_in_part_is_kept_as_a_heading() -> None:
    lines = ["Preface.", "CHAPTER I", "One.", "CHAPTER II", "Two."]
    (documents,) = cut_documents([lines], "^CHAPTER")
    assert documents == [["Preface."], ["CHAPTER I", "One."], ["CHAPTER II", "Two."]]
    (documents,) = cut_documents([lines], "^CHAPTER [IVX]+")
    assert documents == [["Preface."], ["One."], ["Two."]]


@pytest.mark.parametrize("boundary", ["^Three", "wikitext", "gutenberg"])
def test_a_boundary_that_stands_nowhere_is_an_error(boundary: str) -> None:
    with pytest.raises(UserError, match="must stand somewhere in the corpus, got"):
        cut_documents([["One.", "", "Two."]], boundary)


@pytest.mark.parametrize(
    ("files", "sentences", "expected"),
    [
        ([WIKITEXT], False, "wikitext"),
        ([["x"], GUTENBERG], False, "gutenberg"),
        ([["", "One.", "", "Two.", ""]], True, "blank-line"),
        ([["A paragraph", "", "another"]], False, "blank-line"),
        ([["", "One.", "Two.", ""]], True, "file"),
        ([["One.", "", "Two."], ["Three."]], True, "blank-line"),
        ([["A paragraph", "", "another"], ["and more"]], False, "file"),
    ],
)
def test_the_boundary_is_detected(files: list[list[str]], sentences: bool, expected: str) -> None:
    assert detect_boundary(files, lines_are_sentences=sentences) == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["a", "b c", "", " ", "- - -", " = T = "]), max_size=20))
def test_no_line_of_text_is_lost(lines: list[str]) -> None:
    texts = [line.strip() for line in lines if line.strip()]
    for boundary in ("blank-line", "file", "row"):
        (documents,) = cut_documents([lines], boundary)
        assert [line for document in words(documents) for line in document] == texts
        assert all(words(documents))
