from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.data.tokens.excerpt import excerpt
from lit_roberta.data.tokens.store import TokenizedCorpus

documents = st.lists(
    st.lists(st.lists(st.integers(5, 99), min_size=1, max_size=4), min_size=1, max_size=4),
    min_size=1,
    max_size=12,
)


def corpus_of(texts: list[list[list[int]]], *, sources: bool) -> TokenizedCorpus:
    sentences = [sentence for document in texts for sentence in document]
    tokens = np.array([token for sentence in sentences for token in sentence], dtype=np.uint16)
    return TokenizedCorpus(
        tokens=tokens,
        word_starts=tokens % 2 == 0,
        sentence_offsets=np.cumsum([0, *map(len, sentences)]),
        document_offsets=np.cumsum([0, *map(len, texts)]),
        sources=np.arange(len(texts), dtype=np.uint8) if sources else None,
    )


def texts_of(corpus: TokenizedCorpus) -> list[list[list[int]]]:
    return [
        [
            corpus.tokens[corpus.sentence_offsets[s] : corpus.sentence_offsets[s + 1]].tolist()
            for s in range(corpus.document_offsets[d], corpus.document_offsets[d + 1])
        ]
        for d in range(corpus.num_documents)
    ]


@given(documents, st.floats(0.01, 0.99), st.booleans())
def test_an_excerpt_is_whole_documents_in_their_order_just_above_the_share(
    texts: list[list[list[int]]], share: float, sources: bool
) -> None:
    # Each document gets a token of its own, so that it is known again.
    texts = [[[1000 + place], *document] for place, document in enumerate(texts)]
    whole = corpus_of(texts, sources=sources)
    part = excerpt(whole, share)
    found = texts_of(part)
    numbers = [document[0][0] - 1000 for document in found]
    assert found == [texts[number] for number in numbers]
    assert numbers == sorted(numbers)
    assert part.word_starts.tolist() == (part.tokens % 2 == 0).tolist()
    if sources:
        assert part.sources is not None
        assert part.sources.tolist() == numbers
    lengths = [sum(map(len, document)) for document in found]
    assert part.num_tokens >= share * whole.num_tokens
    assert part.num_tokens - max(lengths) < share * whole.num_tokens


@given(documents, st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_smaller_share_is_part_of_a_larger(
    texts: list[list[list[int]]], one: float, other: float
) -> None:
    texts = [[[1000 + place], *document] for place, document in enumerate(texts)]
    whole = corpus_of(texts, sources=False)
    small, large = (
        {document[0][0] for document in texts_of(excerpt(whole, share))}
        for share in sorted((one, other))
    )
    assert small <= large
