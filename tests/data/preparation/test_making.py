"""What is on disk is what the pieces give in memory, however the work is cut up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lit_roberta.data.corpus import runs, writing
from lit_roberta.data.corpus.split import Parts
from lit_roberta.data.preparation import encoding
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.making import Making
from lit_roberta.data.preparation.preparing import prepare_into
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from tests.data.corpus.on_disk import read, split_corpus
from tests.data.preparation.killing import snapshot
from tests.data.preparation.test_preparing import write_corpus

KINDS: list[TokenizerConfig] = [
    TokenizerConfig(kind="word"),
    TokenizerConfig(kind="wordpiece", vocab_size=100),
    TokenizerConfig(kind="bytelevel-bpe", vocab_size=300),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of documents, some of them twice, and some that leave no token."""
    folder = tmp_path / "text"
    folder.mkdir()
    for number in range(14):
        path = folder / f"{number:02}.txt"
        write_corpus(path, rare=number % 3)
        path.write_text(
            path.read_text() + f"\n\nOnly file {number}.\n\n\u200b\n\nA  {number} copy."
        )
    return folder


def equal(one: TokenizedCorpus, other: TokenizedCorpus) -> None:
    assert one.tokens.dtype == other.tokens.dtype
    for name in ("tokens", "word_starts", "sentence_offsets", "document_offsets"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def in_memory(parts: Parts[list[list[str]]], config: TokenizerConfig) -> dict[str, Any]:
    train = [sentence for document in parts.train for sentence in document]
    tokenizer = Tokenizer.train(train, config)
    return {name: tokenizer.encode_corpus(part) for name, part in vars(parts).items()}


@pytest.mark.parametrize("tokenizer", KINDS, ids=lambda config: config.kind)
def test_the_parts_on_disk_are_those_in_memory(
    folder: Path, tmp_path: Path, tokenizer: TokenizerConfig
) -> None:
    config = TextConfig(corpus=str(folder), tokenizer=tokenizer)
    text = prepare_into(tmp_path / "out", Making(config=config))
    corpus = read(folder)
    expected = in_memory(split_corpus(corpus.documents, corpus.sources), tokenizer)
    for name, part in vars(text.parts).items():
        equal(part, expected[name])


def test_whole_files_are_held_out_as_in_memory(folder: Path, tmp_path: Path) -> None:
    config = TextConfig(corpus=str(folder), split_by="file")
    text = prepare_into(tmp_path / "out", Making(config=config))
    corpus = read(folder)
    parts = split_corpus(corpus.documents, corpus.sources, by="file")
    for name, part in vars(text.parts).items():
        equal(part, in_memory(parts, KINDS[0])[name])


def test_the_users_own_parts_are_as_in_memory(folder: Path, tmp_path: Path) -> None:
    for name in ("validation", "test"):
        write_corpus(tmp_path / f"{name}.txt", rare=5)
    config = TextConfig(
        corpus=str(folder),
        validation_corpus=str(tmp_path / "validation.txt"),
        test_corpus=str(tmp_path / "test.txt"),
    )
    text = prepare_into(tmp_path / "out", Making(config=config))
    parts = Parts(
        train=read(folder).documents,
        validation=read(tmp_path / "validation.txt").documents,
        test=read(tmp_path / "test.txt").documents,
    )
    for name, part in vars(text.parts).items():
        equal(part, in_memory(parts, KINDS[0])[name])


def test_copies_are_left_out_if_asked(folder: Path, tmp_path: Path) -> None:
    config = TextConfig(corpus=str(folder), deduplicate=True)
    text = prepare_into(tmp_path / "out", Making(config=config))
    seen: dict[tuple[str, ...], list[str]] = {}
    for document in read(folder).documents:
        seen.setdefault(tuple(document), document)
    expected = in_memory(split_corpus(list(seen.values())), KINDS[0])
    for name, part in vars(text.parts).items():
        equal(part, expected[name])
    assert any("equal to earlier ones left out" in note for note in text.notes)


def test_sources_are_one_behind_the_other_and_known_by_number(
    folder: Path, tmp_path: Path
) -> None:
    write_corpus(tmp_path / "other.txt", rare=4)
    corpora = {"zebra": str(folder), "ant": str(tmp_path / "other.txt")}
    text = prepare_into(tmp_path / "out", Making(config=TextConfig(corpus=corpora)))
    assert text.sources == ["ant", "zebra"]
    other, own = read(tmp_path / "other.txt"), read(folder)
    parts = split_corpus([*other.documents, *own.documents])
    for name, part in vars(text.parts).items():
        equal(part, in_memory(parts, KINDS[0])[name])
        assert part.sources is not None
        assert len(part.sources) == part.num_documents
    words = {tuple(document) for document in other.documents}
    expected = [0 if tuple(one) in words else 1 for one in parts.train]
    assert text.parts.train.sources is not None
    assert text.parts.train.sources.tolist() == expected


@pytest.mark.parametrize(
    "config",
    [
        TextConfig(deduplicate=True, tokenizer=KINDS[2]),
        pytest.param(TextConfig(), marks=pytest.mark.slow),
        pytest.param(TextConfig(split_by="file", tokenizer=KINDS[1]), marks=pytest.mark.slow),
    ],
    ids=["without copies", "documents", "files"],
)
def test_small_blocks_and_many_processes_change_no_byte(
    folder: Path, tmp_path: Path, config: TextConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(config, corpus=str(folder))
    prepare_into(tmp_path / "out", Making(config=config))
    for place, name, value in (
        (writing, "_BLOCK", 3000),
        (encoding, "_BATCH", 7),
        (encoding, "_BLOCKS_SAVED", 5),
        (writing, "_SAVED", 20_000),
    ):
        monkeypatch.setattr(place, name, value)
    for workers in (0, 2):
        # Most documents in parts, too.
        monkeypatch.setattr(runs, "_BLOCK", 4000 if workers else 60)
        prepare_into(tmp_path / f"with{workers}", Making(config=config, workers=workers))
        assert snapshot(tmp_path / f"with{workers}") == snapshot(tmp_path / "out")
