from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lit_roberta.data.corpus import runs
from lit_roberta.data.corpus.split import DROPPED, TEST, TRAIN
from lit_roberta.data.preparation import encoding
from lit_roberta.data.preparation.encoding import Shelf, encode_shelves
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from tests.data.corpus.on_disk import written

LINES = ["the ship", "the old ship left", "harbour", "\u0301"]
"""The last leaves no token."""
TOKENIZER = Tokenizer.train(LINES[:3], TokenizerConfig(min_frequency=1, strip_accents=True))


class StoppedError(Exception):
    """Ends the work from within."""


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    documents=st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=30), min_size=1),
    block=st.integers(5, 200),
    data=st.data(),
)
def test_long_documents_are_whole_wherever_work_was_stopped(
    documents: list[list[str]],
    block: int,
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = data.draw(
        st.lists(
            st.sampled_from([TRAIN, TEST, DROPPED]),
            min_size=len(documents),
            max_size=len(documents),
        )
    )
    stop = data.draw(st.integers(1, 1 + sum(map(len, documents))))
    monkeypatch.setattr(runs, "_BLOCK", block)
    monkeypatch.setattr(encoding, "_BLOCKS_SAVED", 2)
    folder = tmp_path_factory.mktemp("text")
    shelves = [Shelf(written(folder, documents), np.array(parts, np.uint8), 3)] * 2
    left = stop

    def stopping(size: int) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise StoppedError

    try:
        encode_shelves(shelves, TOKENIZER, folder / "out", workers=0, on_progress=stopping)
    except StoppedError:
        encode_shelves(
            shelves, TOKENIZER, folder / "out", workers=0, on_progress=lambda size: None
        )
    for part, name in ((TRAIN, "train"), (TEST, "test")):
        chosen = [one for one, its in zip(documents, parts, strict=True) if its == part] * 2
        expected = TOKENIZER.encode_corpus(chosen)
        found = TokenizedCorpus.open(folder / "out" / name, np.dtype(TOKENIZER.dtype))
        for array in ("tokens", "word_starts", "sentence_offsets", "document_offsets"):
            assert getattr(found, array).tolist() == getattr(expected, array).tolist()
            assert list(chain(*found.blocks(array))) == getattr(expected, array).tolist()
        assert found.sources is not None
        assert found.sources.tolist() == [3] * expected.num_documents
