from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
import torch

from lit_roberta.data.corpus.overlap import Passage
from lit_roberta.data.corpus.word_sample import WordSample, sample_words
from lit_roberta.data.evaluation.words import WordDataset, find_words
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig, TokenizerKind
from tests.data.corpora import FORMATS

NOTHING = " \t"
"""A sentence of which no tokenizer leaves a token."""

DOCUMENTS = [
    ["The cat doesn't see 12 birds, does it?", NOTHING, "Nobody knows."],
    [NOTHING],
    ["An \u00e9l\u00e8ve sees the cat; the cat sees nobody.", "It's the end", "of the 12 birds."],
    ["The cat, the cat, the cat!"] * 3,
]
SIZES: dict[TokenizerKind, int | None] = {"word": None, "wordpiece": 60, "bytelevel-bpe": 275}


def sample() -> WordSample:
    texts = ["".join(line + "\n" for line in document).encode() for document in DOCUMENTS]
    return sample_words([Passage(texts)])


@pytest.fixture(scope="module", params=SIZES)
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    sentences = [line for document in DOCUMENTS for line in document]
    config = TokenizerConfig(kind=request.param, vocab_size=SIZES[request.param])
    return Tokenizer.train(sentences, config)


@pytest.fixture(scope="module")
def corpus(tokenizer: Tokenizer) -> TokenizedCorpus:
    return tokenizer.encode_corpus(DOCUMENTS)


def texts_of(sampled: WordSample) -> list[str]:
    return [sentence.text[a:b] for sentence in sampled.sentences for a, b in sentence.words]


def test_the_tokens_of_a_word_are_the_word(tokenizer: Tokenizer, corpus: TokenizedCorpus) -> None:
    sampled = sample()
    words = find_words(sampled, corpus, tokenizer)
    texts = texts_of(sampled)
    assert len(words.firsts) == len(texts)
    found = 0
    for text, first, stop, known in zip(texts, *words, strict=True):
        pieces = corpus.tokens[first:stop].tolist()
        assert known == (tokenizer.vocabulary.unk_id not in pieces)
        if known and pieces:
            decoded = tokenizer.decode(pieces).replace(" ", "")
            assert decoded.lower() == text.lower()
            found += 1
    assert found > len(texts) // 2


@pytest.mark.parametrize("format", FORMATS)
def test_each_piece_is_predicted_once_with_all_behind_it_hidden(
    tokenizer: Tokenizer, corpus: TokenizedCorpus, format: Format
) -> None:
    words = find_words(sample(), corpus, tokenizer)
    dataset = WordDataset(
        words,
        corpus,
        tokenizer.vocabulary,
        format=format,
        max_length=48,
        batch_size=5,
        segments=True,
    )
    mask = tokenizer.vocabulary.mask_id
    hidden: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for index in range(len(dataset)):
        batch, numbers = dataset[index]
        masked = (batch.input_ids == mask).sum(dim=1).tolist()
        for row, word in enumerate(numbers[:, 1].tolist()):
            column = int(batch.positions[row, 1])
            stop = column + masked[row]
            assert (batch.input_ids[row, column:stop] == mask).all()  # nothing between is shown
            hidden[word].append((masked[row], int(batch.labels[row, 1])))
            assert (batch.labels[row] != -100).sum() == 1
    for word, (first, stop, known) in enumerate(zip(*words, strict=True)):
        pieces = corpus.tokens[first:stop].tolist() if known else []
        if word in hidden or format != "full-sentences":
            expected = [(len(pieces) - place, piece) for place, piece in enumerate(pieces)]
            assert sorted(hidden[word], reverse=True) == expected


def test_what_stands_around_a_word_is_shown(tokenizer: Tokenizer, corpus: TokenizedCorpus) -> None:
    words = find_words(sample(), corpus, tokenizer)
    dataset = WordDataset(
        words,
        corpus,
        tokenizer.vocabulary,
        format="sentence",
        max_length=48,
        batch_size=64,
        segments=False,
    )
    batch, numbers = dataset[0]
    offsets = corpus.sentence_offsets
    for row, word in enumerate(numbers[:, 1].tolist()):
        sentence = int(np.searchsorted(offsets, words.firsts[word], side="right")) - 1
        own = torch.tensor(corpus.tokens[offsets[sentence] : offsets[sentence + 1]].tolist())
        shown = batch.input_ids[row, 1 : len(own) + 1]
        differs = (shown != own).nonzero()[:, 0] + int(offsets[sentence])
        last = int(words.stops[word])
        count = len(differs)
        assert differs.tolist() == list(range(last - count, last))
        assert 1 <= count <= last - int(words.firsts[word])


def test_a_word_that_a_row_would_cut_is_left_out(
    tokenizer: Tokenizer, corpus: TokenizedCorpus
) -> None:
    words = find_words(sample(), corpus, tokenizer)
    dataset = WordDataset(
        words,
        corpus,
        tokenizer.vocabulary,
        format="sentence",
        max_length=5,
        batch_size=64,
        segments=False,
    )
    counts = np.zeros(len(words.firsts), dtype=np.int64)
    for index in range(len(dataset)):
        np.add.at(counts, dataset[index].documents[:, 1].numpy(), 1)
    sizes = (words.stops - words.firsts) * words.known
    assert ((counts == 0) | (counts == sizes)).all()
    assert (counts[sizes > 3] == 0).all()
