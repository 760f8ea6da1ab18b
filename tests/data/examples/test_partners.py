from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.examples import partners
from lit_roberta.data.examples.partners import Partners, hash_texts, require_partners
from lit_roberta.data.examples.pieces import cut_sentences
from lit_roberta.errors import UserError
from tests.data.corpora import corpus_of

# Few documents with few texts: those in which a pair can be left without a partner.
few_texts = st.lists(st.lists(st.integers(5, 7), min_size=1, max_size=4), min_size=1, max_size=5)


@settings(max_examples=150, deadline=None)
@given(texts=few_texts, block=st.integers(1, 6), data=st.data())
def test_pairs_without_a_partner_are_counted_as_by_hand(
    texts: list[list[int]], block: int, data: st.DataObject
) -> None:
    """Every candidate is one token here, and its text is the token."""
    candidates = [(n, text) for n, document in enumerate(texts) for text in document]
    chosen = data.draw(st.sets(st.integers(0, len(candidates) - 1), min_size=1).map(sorted))
    lonely = sum(
        not any(other != document and text != true for other, text in candidates)
        for document, true in (candidates[place] for place in chosen)
    )
    found = 0
    with mock.patch.object(partners, "_BLOCK", block):
        try:
            require_partners(
                Partners(
                    starts=np.arange(len(candidates)),
                    texts=np.array([text for _, text in candidates], dtype=np.uint64),
                ),
                true_starts=np.array(chosen),
                document_token_offsets=np.cumsum([0, *map(len, texts)]),
            )
        except UserError as error:
            found = int(str(error).split(" with ")[1].split()[0])
    assert found == lonely


def test_few_candidates_are_kept_in_mind_of_any_number() -> None:
    witnesses, generator = partners._Witnesses(), np.random.default_rng(0)
    for kinds in (1, 2, 3):
        documents = np.sort(generator.integers(kinds, size=3000))
        texts = generator.integers(kinds, size=3000).astype(np.uint64)
        witnesses.hear(documents, texts)
        assert len(witnesses._heard) <= 6


def test_a_text_is_hashed_the_same_in_runs_of_any_length() -> None:
    corpus = corpus_of([[[5, 6, 7], [8], [5, 6, 7]], [[7, 6, 5], [9, 9, 9, 9, 9, 9]]])
    pieces = cut_sentences(corpus, room=100)
    whole = hash_texts(corpus, pieces).tolist()
    assert whole[0] == whole[2]
    assert len(set(whole)) == 4
    for tokens in (1, 2, 3, 7):
        with mock.patch.object(partners, "_HASH_TOKENS", tokens):
            assert hash_texts(corpus, pieces).tolist() == whole
