from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.corpus.overlap import Passage
from lit_roberta.data.corpus.word_sample import WordSample, sample_words

WORDS = st.sampled_from(["cat", "don't", "\u00e9t\u00e9", "42", "--", "\u4f60\u597d", "a", "..."])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
DOCUMENTS = st.lists(st.lists(SENTENCES, min_size=1, max_size=4), min_size=1, max_size=5)

quick = settings(max_examples=20, deadline=None)


def bytes_of(document: list[str]) -> bytes:
    return "".join(sentence + "\n" for sentence in document).encode()


def sample(documents: list[list[str]], *, at_most: int = 8) -> WordSample:
    return sample_words([Passage(list(map(bytes_of, documents)))], at_most=at_most)


def spans(sampled: WordSample) -> list[str]:
    return [span for sentence in sampled.sentences for span in sentence.spans()]


@given(documents=DOCUMENTS)
@quick
def test_spans_name_bytes_of_whole_words(documents: list[list[str]]) -> None:
    sampled = sample(documents)
    words = [sentence.text[a:b] for sentence in sampled.sentences for a, b in sentence.words]
    for span, word in zip(spans(sampled), words, strict=True):
        document, _, place = span.partition(":")
        start, stop = map(int, place.split("-"))
        assert bytes_of(documents[int(document)])[start:stop] == word.encode()
        assert word in {"cat", "don't", "\u00e9t\u00e9", "42", "\u4f60\u597d", "a"}
    lines = [sentence for document in documents for sentence in document]
    assert sampled.num_sentences == len(lines)
    assert all(lines[each.number] == each.text for each in sampled.sentences)
    whole = [word for line in lines for word in line.split() if word not in ("--", "...")]
    assert sampled.num_words == len(whole)
    assert len(words) == min(8, -(-len(whole) // 2))


@given(documents=DOCUMENTS, cut=st.integers(0, 4))
@quick
def test_the_cut_of_reading_does_not_matter(documents: list[list[str]], cut: int) -> None:
    texts = list(map(bytes_of, documents))
    cut = min(cut, len(texts) - 1)
    first, rest = bytes_of(documents[cut][:1]), bytes_of(documents[cut][1:])
    passages = [
        Passage([*texts[:cut], first]),
        Passage([rest, *texts[cut + 1 :]], begins=False),
    ]
    assert sample_words(passages, at_most=8) == sample(documents)


@given(documents=DOCUMENTS, more=DOCUMENTS)
@quick
def test_more_text_replaces_words_and_never_chooses_others_of_the_same(
    documents: list[list[str]], more: list[list[str]]
) -> None:
    before = set(spans(sample(documents, at_most=6)))
    both = sample([*documents, *more], at_most=6)
    of_both = {span for span in spans(both) if int(span.partition(":")[0]) < len(documents)}
    # A larger text has a larger half, so that words may come, too; a word that stays out has a
    # higher rank than all that are in.
    assert of_both <= before or before <= of_both


def test_a_sample_can_be_written_and_read() -> None:
    sampled = sample([["don't stop", "\u00e9t\u00e9"], ["a cat"]])
    assert WordSample.from_json(json.loads(json.dumps(sampled.as_json()))) == sampled
    assert sample_words([]).sentences == []
