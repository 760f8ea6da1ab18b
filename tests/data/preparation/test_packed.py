"""Packed examples that are too many for memory: kept once, shared, whole or not there."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.columns import Columns
from lit_roberta.data.examples.packing import Examples, Format, PackingConfig, pack
from lit_roberta.data.preparation import packed
from lit_roberta.data.preparation.packed import packed_examples
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import UserError
from tests.data.corpora import FORMATS, even_corpus
from tests.data.examples.test_blocks import contents
from tests.data.preparation.test_preparing import write_corpus

CONFIG = PackingConfig(format="segment-pair", max_length=24)


def written(folder: Path, corpus: TokenizedCorpus) -> TokenizedCorpus:
    """Write a corpus to disk, as preparing does, and open it there."""
    folder.mkdir()
    for name in ("tokens", "word_starts", "sentence_offsets", "document_offsets"):
        (folder / name).write_bytes(getattr(corpus, name).tobytes())
    return TokenizedCorpus.open(folder, corpus.tokens.dtype)


@pytest.fixture
def corpus(tmp_path: Path) -> TokenizedCorpus:
    return written(tmp_path / "text", even_corpus(12))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, for examples of any number."""
    monkeypatch.setenv("LIT_ROBERTA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(packed, "_IN_MEMORY", 0)
    return tmp_path / "cache/packed"


@pytest.fixture
def packings(monkeypatch: pytest.MonkeyPatch) -> list[Path | None]:
    """The folder of each packing that is made, None for memory."""
    packings: list[Path | None] = []

    def note(*arguments: Any, folder: Path | None = None, **options: Any) -> Examples:
        packings.append(folder)
        return pack(*arguments, folder=folder, **options)

    monkeypatch.setattr(packed, "pack", note)
    return packings


def packed_as(
    corpus: TokenizedCorpus,
    config: PackingConfig = CONFIG,
    *,
    seed: int = 0,
    identity: str | None = "a text",
) -> Examples:
    return packed_examples(corpus, config, seed=seed, identity=identity)


def kept(cache: Path) -> list[Path]:
    """List what is kept, without the locks, which stay."""
    return sorted(path for path in cache.glob("*") if path.suffix != ".lock")


@pytest.mark.parametrize("format", FORMATS)
def test_kept_examples_are_those_of_memory_and_are_packed_once(
    format: Format, corpus: TokenizedCorpus, cache: Path, packings: list[Path | None]
) -> None:
    config = PackingConfig(format=format, max_length=24)
    expected = contents(packed_as(corpus, config, identity=None))
    assert packings == [None]
    for _ in range(3):
        found = packed_as(corpus, config)
        assert contents(found) == expected
        assert [found.folder] == kept(cache)
        assert not found.starts.flags.owndata
    assert len(packings) == 2


@pytest.mark.parametrize("format", ["full-sentences", "sentence-pair"])
def test_training_reads_what_is_kept_and_gets_the_same_updates(
    format: Format, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = write_corpus(tmp_path / "a.txt", rare=1)

    def module() -> PretrainingDataModule:
        return PretrainingDataModule(text, format=format, max_length=32, batch_size=8)

    mapped = module()
    assert [mapped.examples.folder] == kept(cache)
    monkeypatch.setattr(packed, "_IN_MEMORY", 1 << 30)
    held = module()
    assert held.examples.folder is None
    for number in range(4):
        one, other = mapped.stream(total=4)[number], held.stream(total=4)[number]
        assert torch.equal(one.input_ids, other.input_ids)
        assert torch.equal(one.labels, other.labels)
        assert one.num_tokens == other.num_tokens


def test_few_examples_stay_in_memory(
    corpus: TokenizedCorpus, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("LIT_ROBERTA_CACHE", str(cache.parent))
    assert packed_as(corpus).folder is None
    assert not cache.parent.exists()


CHANGES: dict[str, Callable[[TokenizedCorpus], Examples]] = {
    "text": lambda corpus: packed_as(corpus, identity="another"),
    "seed": lambda corpus: packed_as(corpus, seed=1),
    "length": lambda corpus: packed_as(corpus, replace(CONFIG, max_length=25)),
    "format": lambda corpus: packed_as(corpus, replace(CONFIG, format="sentence-pair")),
    "short": lambda corpus: packed_as(corpus, replace(CONFIG, short_sequence_probability=0.5)),
    "first": lambda corpus: packed_as(corpus, replace(CONFIG, nsp_first_sentences=True)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_decides_the_examples_decides_their_place(
    change: str, corpus: TokenizedCorpus, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed_as(corpus)
    found = CHANGES[change](corpus)
    assert len(kept(cache)) == 2
    monkeypatch.setattr(packed, "_IN_MEMORY", 1 << 30)
    assert contents(found) == contents(CHANGES[change](corpus))


def test_a_seed_that_draws_nothing_asks_for_nothing_new(
    corpus: TokenizedCorpus, cache: Path, packings: list[Path | None]
) -> None:
    config = PackingConfig(format="full-sentences", max_length=24)
    for seed in range(3):
        packed_as(corpus, config, seed=seed)
    assert len(packings) == 1
    drawn = replace(config, short_sequence_probability=0.5)
    for seed in range(3):
        packed_as(corpus, drawn, seed=seed)
    assert len(packings) == 4


def test_many_at_once_pack_once(
    corpus: TokenizedCorpus, cache: Path, packings: list[Path | None]
) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: contents(packed_as(corpus)), range(8)))
    assert len(packings) == 1
    assert all(each == found[0] for each in found)
    assert len(kept(cache)) == 1


def _truncate(folder: Path) -> None:
    with (folder / "starts").open("r+b") as file:
        file.truncate(8)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": _truncate,
    "missing": lambda folder: (folder / "texts").unlink(),
    "unsaid": lambda folder: (folder / "sizes.json").unlink(),
    "nonsense": lambda folder: (folder / "sizes.json").write_text("[{"),
    "too much": lambda folder: (folder / "more").touch(),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_packed_anew(
    damage: str,
    corpus: TokenizedCorpus,
    cache: Path,
    packings: list[Path | None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    expected = contents(packed_as(corpus))
    DAMAGES[damage](kept(cache)[0])
    assert contents(packed_as(corpus)) == expected
    assert "is packed anew: " in caplog.text
    assert len(packings) == 2
    assert contents(packed_as(corpus)) == expected
    assert len(packings) == 2


@pytest.mark.parametrize("moment", range(0, 18, 3))
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")]
)
def test_an_end_in_the_middle_leaves_nothing_half(
    moment: int,
    error: BaseException,
    corpus: TokenizedCorpus,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    add, adds = Columns.add, iter(range(10**6))

    def fail(columns: Columns, name: str, values: np.ndarray) -> None:
        if columns._folder is not None and next(adds) == moment:
            raise error
        add(columns, name, values)

    monkeypatch.setattr(packed, "pack", packing_small_blocks)
    monkeypatch.setattr(Columns, "add", fail)
    expected = contents(packed_as(corpus, identity=None))
    if isinstance(error, OSError):
        assert contents(packed_as(corpus)) == expected
        assert "are not kept, and take up to 0 MB of memory in each process: " in caplog.text
    else:
        with pytest.raises(KeyboardInterrupt):
            packed_as(corpus)
    assert kept(cache) == []
    assert contents(packed_as(corpus)) == expected
    assert len(kept(cache)) == 1


def packing_small_blocks(*arguments: Any, **options: Any) -> Examples:
    return pack(*arguments, **options, sentences=20)


def test_what_a_killed_process_has_left_is_in_nobodys_way(
    corpus: TokenizedCorpus, cache: Path
) -> None:
    expected = contents(packed_as(corpus))
    (folder,) = kept(cache)
    _truncate(folder)
    folder.rename(folder.with_name(f".{folder.name}.part"))
    assert contents(packed_as(corpus)) == expected
    assert kept(cache) == [folder]


def test_a_cache_that_can_not_be_written_is_done_without(
    corpus: TokenizedCorpus,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    expected = contents(packed_as(corpus))
    (cache / "file").touch()
    monkeypatch.setenv("LIT_ROBERTA_CACHE", str(cache / "file/cache"))
    with caplog.at_level(logging.WARNING):
        assert contents(packed_as(corpus)) == expected
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_text_that_gives_no_examples_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    corpus = written(tmp_path / "single", even_corpus(5, sentences=1))
    with pytest.raises(UserError, match="hold a document of two sentences"):
        packed_as(corpus)
    assert kept(cache) == []
