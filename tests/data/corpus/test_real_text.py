"""Real corpora, where they lie beside the checkout. What is detected was once looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError
from tests.data.corpus import on_disk
from tests.data.corpus.on_disk import ReadCorpus, split_corpus

SHARED = Path(__file__).parents[3] / "../shared/data"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="no shared data beside the checkout")


def read(name: str, **settings: str) -> ReadCorpus:
    reading = ReadingConfig(**settings)  # type: ignore[arg-type]  # keywords of the tests below
    return on_disk.read(SHARED / name, reading)


def test_wikitext_has_sixty_articles_with_their_headings() -> None:
    corpus = read("wikitext103/wiki.valid.tokens")
    assert "60 documents (boundary: wikitext)" in corpus.notes[0]
    first = corpus.documents[0]
    assert first[0] == "Homarus gammarus"
    assert first[1].startswith(
        "Homarus gammarus , known as the European lobster or common lobster ,"
    )
    assert "Description" in first
    sentences = [sentence for document in corpus.documents for sentence in document]
    assert not any(sentence.startswith("=") for sentence in sentences)
    assert not any(sentence.startswith("@") or sentence.endswith("@.") for sentence in sentences)
    assert any(" @-@ " in sentence and " @.@ " in sentence for sentence in sentences)
    assert 8000 < len(sentences) < 9000
    assert 100_000 < sum(len(sentence.split()) for sentence in sentences) < 300_000


@pytest.mark.slow
def test_novels_without_blank_lines_become_sentences_and_sections() -> None:
    corpus = read("british_fiction")
    assert "12 files, 12 documents (boundary: file)" in corpus.notes[1]
    assert len(corpus.documents) > 900
    assert len(set(corpus.sources)) == 12
    assert corpus.documents[0][:2] == ["AGNES GREY", "CHAPTER I--THE PARSONAGE"]
    assert corpus.documents[0][3] == (
        "Whether this be the case with my history or not, I am hardly competent to judge."
    )
    lengths = [len(sentence.split()) for document in corpus.documents for sentence in document]
    assert 20 < sum(lengths) / len(lengths) < 30
    parts = split_corpus(corpus.documents, corpus.sources, by="file")
    assert min(map(len, (parts.train, parts.validation, parts.test))) > 20


def test_speeches_are_a_document_a_file_once_their_bytes_are_spoken_for() -> None:
    with pytest.raises(
        UserError, match=r"1954-Eisenhower\.txt must be utf-8 text, got byte 0xBD at"
    ):
        read("state_union")
    corpus = read("state_union", errors="replace")
    assert "README, SOURCE.md" in corpus.notes[0]
    assert "65 files, 65 documents (boundary: file)" in corpus.notes[2]
    assert len(set(corpus.sources)) == 65


def test_plays_are_a_document_a_speech() -> None:
    corpus = read("tinyshakespeare/input.txt")
    assert "7,222 documents (boundary: blank-line)" in corpus.notes[0]
    assert corpus.documents[0] == ["First Citizen: Before we proceed any further, hear me speak."]


def test_rows_of_passages_are_documents() -> None:
    corpus = read("superglue/BoolQ/val.jsonl", text_column="passage")
    assert "3,270 documents (boundary: row)" in corpus.notes[0]
    with pytest.raises(
        UserError, match=r"columns question, passage, idx, label\. Give one of them"
    ):
        read("superglue/BoolQ/val.jsonl")


def test_a_file_in_the_wrong_format_is_noticed() -> None:
    notes = read("wikitext103/csv_mangled.wiki.valid.tokens").notes
    assert any("hold no letter or digit: is this plain text?" in note for note in notes)
