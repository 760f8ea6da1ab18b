"""What a stage holds does not grow with the text, nor with a single document."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lit_roberta.data.corpus import runs
from lit_roberta.data.corpus.overlap import measure_overlap
from lit_roberta.data.corpus.split import TEST, TRAIN
from lit_roberta.data.corpus.units import rank_files
from lit_roberta.data.preparation import encoding
from lit_roberta.data.preparation.encoding import Shelf, encode_shelves, text_digest
from lit_roberta.data.preparation.prepared import count_tokens
from lit_roberta.data.preparation.reading import ReadText
from lit_roberta.data.tokens import counting, store
from lit_roberta.data.tokens.counting import count_words
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from tests.data.corpus.on_disk import written

SENTENCES = 300
"""Of the smaller text; the larger one has eight times as many."""
HELD_OUT = 10
"""Documents."""


def sentences(count: int) -> list[str]:
    words = np.random.default_rng(0).integers(200, size=(count, 12))
    return [" ".join(f"w{number}" for number in line) for line in words.tolist()]


def text_of(folder: Path, count: int, *, in_one: bool) -> ReadText:
    """Write some documents that are held out, and training text in many documents or in one."""
    folder.mkdir()
    lines = sentences(count)
    train = [lines] if in_one else [lines[n : n + 3] for n in range(0, count, 3)]
    documents = written(folder, [*([line] for line in sentences(HELD_OUT)), *train])
    parts = np.full(len(documents), TRAIN, np.uint8)
    parts[:HELD_OUT] = TEST
    return ReadText(shelves=[Shelf(documents, parts, 0)], notes=[], corpora=[], num_copies=0)


def encode(text: ReadText, folder: Path, tokenizer: Tokenizer) -> None:
    encode_shelves(text.shelves, tokenizer, folder, workers=0, on_progress=lambda size: None)


def count(text: ReadText, folder: Path, tokenizer: Tokenizer) -> None:
    corpus = TokenizedCorpus.open(folder / "train", np.dtype(tokenizer.dtype))
    count_tokens(corpus, tokenizer.vocab_size)
    for _ in corpus.blocks("sentence_offsets"):
        pass


STAGES: dict[str, Callable[[ReadText, Path, Tokenizer], object]] = {
    "comparing": lambda text, folder, tokenizer: measure_overlap(
        text.passages(TRAIN), text.passages(TEST)
    ),
    "ranking files": lambda text, folder, tokenizer: rank_files(text.shelves[0].documents),
    "counting words": lambda text, folder, tokenizer: count_words(
        text.sentences(TRAIN), tokenizer._backend, vocab_size=None
    ),
    "encoding": encode,
    "counting tokens": count,
    "hashing": lambda text, folder, tokenizer: text_digest(text.shelves),
}


@pytest.mark.parametrize("in_one", [False, True], ids=["many documents", "one document"])
def test_what_a_stage_holds_does_not_grow(
    in_one: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, name, value in (
        (runs, "_BLOCK", 4000),
        (encoding, "_BATCH", 50),
        (counting, "_BATCH", 50),
        (store, "_BLOCK", 1000),
    ):
        monkeypatch.setattr(place, name, value)
    tokenizer = Tokenizer.train(sentences(SENTENCES), TokenizerConfig())
    peaks: dict[str, list[int]] = {name: [] for name in STAGES}
    # The first text fills what is made once, and is not looked at.
    for number, size in enumerate([SENTENCES, SENTENCES, 8 * SENTENCES]):
        text = text_of(tmp_path / f"text{number}", size, in_one=in_one)
        for name, stage in STAGES.items():
            tracemalloc.start()
            stage(text, tmp_path / f"tokens{number}", tokenizer)
            peaks[name].append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    for name, (_, small, large) in peaks.items():
        assert large < 1.2 * small + 10_000, name
