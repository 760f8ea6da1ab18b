"""Small corpora made by hand, for the tests of everything behind the tokenizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import strategies as st

from lit_roberta.data.examples.keys import visit_keys
from lit_roberta.data.examples.packing import Format, PackingConfig, pack
from lit_roberta.data.rows.building import BuiltRows, ExampleBuilder
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary

FORMATS: tuple[Format, ...] = (
    "sentence",
    "sentence-pair",
    "segment-pair",
    "doc-sentences",
    "full-sentences",
)
SINGLE_FORMATS: tuple[Format, ...] = ("sentence", "doc-sentences", "full-sentences")
PAIRS: tuple[Format, ...] = ("sentence-pair", "segment-pair")

PAD, UNK, CLS, SEP, MASK = range(5)

Documents = Sequence[Sequence[Sequence[int]]]

THREE_DOCUMENTS: Documents = [
    [[10, 11, 12], [13, 14], [15]],
    [[20, 21], [22, 23, 24, 25]],
    [[30]],
]


def vocabulary(size: int = 100) -> Vocabulary:
    return Vocabulary(
        size=size,
        pad_id=PAD,
        unk_id=UNK,
        cls_id=CLS,
        sep_id=SEP,
        mask_id=MASK,
        special_ids=frozenset(range(5)),
    )


def corpus_of(documents: Documents, *, pieces_per_word: int = 1) -> TokenizedCorpus:
    sentences = [sentence for document in documents for sentence in document]
    word_starts = [
        place % pieces_per_word == 0 for sentence in sentences for place in range(len(sentence))
    ]
    return TokenizedCorpus(
        tokens=np.array([token for sentence in sentences for token in sentence], dtype=np.int32),
        word_starts=np.array(word_starts, dtype=bool),
        sentence_offsets=np.cumsum([0, *map(len, sentences)]),
        document_offsets=np.cumsum([0, *map(len, documents)]),
    )


def numbered(shape: Sequence[Sequence[int]]) -> TokenizedCorpus:
    """Give every token of the corpus a number of its own, from 5 on; `shape` has the lengths."""
    corpus = corpus_of([[[0] * length for length in document] for document in shape])
    corpus.tokens[:] = 5 + np.arange(corpus.num_tokens)
    return corpus


def shapes(
    *, min_documents: int = 1, min_sentences: int = 1, longest: int = 14
) -> st.SearchStrategy[list[list[int]]]:
    """Draw lengths of sentences by document."""
    document = st.lists(st.integers(1, longest), min_size=min_sentences, max_size=6)
    return st.lists(document, min_size=min_documents, max_size=8)


def even_corpus(num_documents: int, sentences: int = 4, length: int = 6) -> TokenizedCorpus:
    return numbered([[length] * sentences] * num_documents)


def builder_of(
    corpus: TokenizedCorpus,
    format: Format,
    max_length: int,
    *,
    masking: MaskingConfig | None = None,
    seed: int = 0,
    segments: bool = True,
    size: int | None = None,
) -> ExampleBuilder:
    return ExampleBuilder(
        corpus=corpus,
        examples=pack(corpus, PackingConfig(format=format, max_length=max_length), seed=seed),
        vocabulary=vocabulary(size or int(corpus.tokens.max(initial=5)) + 1),
        masking=masking,
        segments=segments,
    )


def build(
    builder: ExampleBuilder, numbers: Iterable[int], *, visit: int = 0, seed: int = 0
) -> BuiltRows:
    chosen = np.array(list(numbers))
    return builder.build(chosen, visit_keys(chosen, np.array(visit), seed=seed))


def rows_of(built: BuiltRows) -> list[list[int]]:
    """List the rows without their padding."""
    return [
        row[:length].tolist()
        for row, length in zip(built.rows.input_ids, built.rows.lengths, strict=True)
    ]


def all_rows(builder: ExampleBuilder, *, visit: int = 0) -> list[list[int]]:
    """List every example's row, in the order of the examples (of their lengths, for pairs)."""
    rows = rows_of(build(builder, range(len(builder.examples)), visit=visit))
    if builder.examples.partners is not None:
        return rows
    order = np.argsort(-builder.examples.lengths, kind="stable")
    return [rows[place] for place in np.argsort(order)]
