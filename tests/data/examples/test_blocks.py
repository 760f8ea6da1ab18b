"""Packing in blocks: the same, however small they are, and in memory that does not grow."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.examples import packing, partners
from lit_roberta.data.examples.blocks import blocks_of
from lit_roberta.data.examples.packing import PAIR_FORMATS, Examples, Format, PackingConfig, pack
from lit_roberta.data.examples.pieces import cut_sentences
from lit_roberta.data.tokens.store import TokenizedCorpus
from tests.data.corpora import FORMATS, even_corpus, numbered, shapes

# Sentences of up to 40 tokens, where an example has room for 3 to 20: some are cut in many pieces.
long_shapes = shapes(min_documents=2, longest=40)


def contents(examples: Examples) -> dict[str, Any]:
    """Take all that examples say, apart from where they lie."""
    found = {name: value for name, value in vars(examples).items() if name != "folder"}
    if examples.partners is not None:
        found |= vars(examples.partners)
    del found["partners"]
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in found.items()
    }


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=25, deadline=None)
@given(shape=long_shapes, data=st.data())
def test_blocks_of_any_size_give_the_same_examples(
    format: Format, shape: list[list[int]], data: st.DataObject
) -> None:
    fills = format not in ("sentence", "sentence-pair")
    config = PackingConfig(
        format=format,
        max_length=data.draw(st.integers(5, 22)),
        short_sequence_probability=data.draw(st.sampled_from([0.0, 0.5])) if fills else 0.0,
        nsp_first_sentences=format in PAIR_FORMATS and data.draw(st.booleans()),
    )
    corpus = numbered([[2, 2], *shape, [2, 2]])  # so that there are pairs, and partners
    whole = contents(pack(corpus, config, seed=1))
    sentences = data.draw(st.integers(1, 9))
    assert contents(pack(corpus, config, seed=1, sentences=sentences)) == whole
    with TemporaryDirectory() as folder, mock.patch.object(packing, "_DOCUMENTS", sentences):
        written = pack(corpus, config, seed=1, sentences=sentences, folder=Path(folder))
        assert contents(written) == whole
        sent = pickle.dumps(written)
        assert len(sent) < 1000  # the place of the files, not what is in them
        assert contents(pickle.loads(sent)) == whole


@settings(max_examples=25, deadline=None)
@given(shape=long_shapes, room=st.integers(1, 12), sentences=st.integers(1, 9))
def test_blocks_hold_each_piece_once_and_show_what_lies_behind(
    shape: list[list[int]], room: int, sentences: int
) -> None:
    corpus, reach = numbered(shape), 2 * room + 3
    pieces = cut_sentences(corpus, room=room)
    blocks = list(blocks_of(corpus, room=room, reach=reach, sentences=sentences))
    own = [block.pieces.offsets[: block.size].tolist() for block in blocks]
    assert [offset for some in own for offset in some] == pieces.offsets[:-1].tolist()
    assert [block.first for block in blocks] == np.cumsum([0, *map(len, own[:-1])]).tolist()
    for block in blocks:
        shown = block.pieces.offsets
        assert shown[-1] == corpus.num_tokens or shown[-1] >= shown[block.size] + reach
        known = pieces.documents[block.first : block.first + len(block.pieces)]
        assert np.diff(block.pieces.documents).tolist() == np.diff(known).tolist()
        held = np.searchsorted(corpus.sentence_offsets, shown[[0, block.size]])
        assert np.diff(held) <= sentences
        assert np.diff(held) == 1 or block.size <= 2 * sentences


@pytest.mark.parametrize("format", ["doc-sentences", "full-sentences"])
@settings(max_examples=40, deadline=None)
@given(shape=shapes(longest=5), max_length=st.integers(7, 20), sentences=st.integers(1, 9))
def test_a_run_takes_every_sentence_that_fits(
    format: Format, shape: list[list[int]], max_length: int, sentences: int
) -> None:
    """Packed by hand: one sentence after the other, until the next does not fit."""
    corpus = numbered(shape)
    config = PackingConfig(format=format, max_length=max_length)
    examples = pack(corpus, config, seed=0, sentences=sentences)
    assert examples.starts.tolist() == list(by_hand(corpus, config))
    assert examples.stops.tolist() == [*examples.starts[1:].tolist(), corpus.num_tokens]


def by_hand(corpus: TokenizedCorpus, config: PackingConfig) -> Iterator[int]:
    opens = set(corpus.document_token_offsets.tolist())
    length = config.max_length  # full, so that the first sentence opens an example
    for start, stop in pairwise(corpus.sentence_offsets.tolist()):
        separator = int(start in opens)
        fits = length + separator + stop - start <= config.max_length
        if fits and not (separator and config.format == "doc-sentences"):
            length += separator + stop - start
        else:
            yield start
            length = 2 + stop - start


@pytest.mark.parametrize("format", FORMATS)
def test_packing_into_files_takes_the_same_memory_for_a_text_of_any_size(
    format: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packing, "_DOCUMENTS", 50)
    monkeypatch.setattr(partners, "_BLOCK", 200)
    config = PackingConfig(format=format, max_length=20)
    peaks = []
    for num_documents in (100, 1000):
        corpus = even_corpus(num_documents, sentences=20, length=4)
        folder = tmp_path / str(num_documents)
        folder.mkdir()
        tracemalloc.start()
        examples = pack(corpus, config, seed=0, sentences=200, folder=folder)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert len(examples) > 3 * num_documents
    small, large = peaks
    assert large < 1.3 * small + 10_000
