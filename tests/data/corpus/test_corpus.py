from __future__ import annotations

import json
from pathlib import Path

import pytest

from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError
from tests.data.corpus.on_disk import ReadCorpus as Corpus
from tests.data.corpus.on_disk import read as read_corpus
from tests.data.corpus.on_disk import written

DOCUMENTS = [["The cat sat.", "It slept."], ["A dog ran.", "It barked."], ["Birds sang."]] * 12
TEXT = "\n\n".join("\n".join(document) for document in DOCUMENTS)


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def test_a_file_with_a_sentence_a_line_and_blank_lines_between_documents(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path / "a.txt", TEXT))
    assert corpus.documents == DOCUMENTS
    assert corpus.sources == [str(tmp_path / "a.txt")] * 36
    assert corpus.notes == [
        "1 file, 36 documents (boundary: blank-line), 60 sentences (splitter: lines; 100% of the "
        "lines end like a sentence, 100% hold no second one, the median has 2 words)",
        "a sentence: The cat sat.",
        "a sentence: The cat sat.",
        "a sentence: The cat sat.",
    ]


def test_one_document_is_one(tmp_path: Path) -> None:
    corpus = read_corpus(write(tmp_path / "a.txt", "The cat sat. It slept. The dog ran."))
    assert corpus.notes[0].startswith("1 file, 1 document (boundary: ")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_byte_order_marks_do_not_matter(tmp_path: Path, end: str) -> None:
    text = "\ufeff" + TEXT.replace("\n", end) + end
    assert read_corpus(write(tmp_path / "a.txt", text)).documents == DOCUMENTS


def test_control_characters_and_unicode_separators_do_not_end_a_line(tmp_path: Path) -> None:
    line = "a\u2028b\u2029c\x0bd\x0ce\x1cf\x85g."
    corpus = read_corpus(
        write(tmp_path / "a.txt", f"\ufeff{line}\nlone\rwindows\r\n\nlast"),
        ReadingConfig(sentence_splitter="lines", document_boundary="blank-line"),
    )
    assert corpus.documents == [[line, "lone", "windows"], ["last"]]


def test_a_folder_of_speeches_has_a_document_a_file(tmp_path: Path) -> None:
    for number in range(40):
        text = f"ADDRESS {number}\n \nWe meet. We speak.\n\nWe part. We go home."
        write(tmp_path / f"{number:02}.txt", text)
    corpus = read_corpus(str(tmp_path))
    assert len(corpus.documents) == len(set(corpus.sources)) == 40
    assert corpus.documents[7] == ["ADDRESS 7", "We meet.", "We speak.", "We part.", "We go home."]


def test_rows_are_documents_and_their_lines_are_paragraphs(tmp_path: Path) -> None:
    rows = [{"passage": "One. Two.\nThree. Four."}, {"passage": ""}, {"passage": "Five. Six."}]
    path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)))
    corpus = read_corpus(path, ReadingConfig(text_column="passage"))
    assert corpus.documents == [["One.", "Two.", "Three.", "Four."], ["Five.", "Six."]]
    with pytest.raises(UserError, match="must be auto or row where a row is a document, got 'fil"):
        read_corpus(path, ReadingConfig(text_column="passage", document_boundary="file"))


def test_rows_stay_documents_beside_text_files(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", '{"text": "One.\\n\\nTwo."}')
    write(tmp_path / "b.txt", "Three.\n\nFour.")
    assert read_corpus(str(tmp_path)).documents == [["One.", "Two."], ["Three."], ["Four."]]


def test_a_long_text_is_cut_into_sections_with_a_notice(tmp_path: Path) -> None:
    sentences = [f"This is sentence {number} of a long text." for number in range(2000)]
    corpus = read_corpus(write(tmp_path / "a.txt", "\n".join(sentences)))
    assert [sentence for document in corpus.documents for sentence in document] == sentences
    assert len(corpus.documents) == len(corpus.sources) == 50
    assert corpus.notes[1] == (
        "each document above 2% of the corpus (1 of 1) was cut at sentence ends into sections of "
        "about 320 words, which serve as documents: 50 of them"
    )


def test_settings_beat_what_would_be_detected(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "One here. Two here.\nThree here.\n\nFour here.")
    as_lines = read_corpus(path, ReadingConfig(sentence_splitter="lines"))
    assert as_lines.documents == [["One here. Two here.", "Three here."], ["Four here."]]
    as_file = read_corpus(path, ReadingConfig(document_boundary="file"))
    assert as_file.documents == [["One here.", "Two here.", "Three here.", "Four here."]]


def test_what_does_not_look_like_plain_text_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.html", '""\n"\nA sentence here.\n"\n' * 50)
    notes = read_corpus(path).notes
    assert notes[0] == f"1 file read as plain text, marks and all: {path}"
    assert "75% of the lines hold no letter or digit: is this plain text?" in notes


def test_nothing_between_boundaries_is_an_error(tmp_path: Path) -> None:
    marks = "*** START OF THE PROJECT GUTENBERG EBOOK A ***\n\n*** END OF THE PROJECT GUTENBERG"
    with pytest.raises(UserError, match="With document_boundary gutenberg nothing is left of it"):
        read_corpus(write(tmp_path / "a.txt", marks))


def test_the_hash_sees_every_move_of_a_boundary(tmp_path: Path) -> None:
    contents = [[["a", "b"]], [["a"], ["b"]], [["a b"]], [["b", "a"]], [["a", "b"], ["c"]]]
    tables = [written(tmp_path, documents).rows["content"].tolist() for documents in contents]
    assert len(set(map(tuple, tables))) == len(contents)


def test_python_docs_is_a_corpus() -> None:
    corpus = read_corpus("python-docs")
    assert isinstance(corpus, Corpus)
    assert len(corpus.documents) > 50
    assert set(corpus.sources) == {"python-docs"}
    assert any(note.startswith("python-docs of Python 3") for note in corpus.notes)
