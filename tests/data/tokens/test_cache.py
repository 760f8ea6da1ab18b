from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest

from lit_roberta.data.tokens import cache
from lit_roberta.data.tokens.cache import cached_tokenizer
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig

DOCUMENTS = [["The cat saw the dog.", "The dog saw the cat."]] * 3
CONFIG = TokenizerConfig()


def cached_file(folder: Path) -> Path:
    (path,) = (folder / "tokenizers").glob("*.json")
    return path


def test_it_is_trained_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached_tokenizer(DOCUMENTS, CONFIG, folder=tmp_path)
    monkeypatch.setattr(Tokenizer, "train", None)
    assert cached_tokenizer(DOCUMENTS, CONFIG, folder=tmp_path).to_json() == first.to_json()


def _without(key: str, text: str) -> str:
    state = json.loads(text)
    del state[key]
    return json.dumps(state)


@pytest.mark.parametrize("kind", range(8))
def test_a_damaged_file_is_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: int
) -> None:
    first = cached_tokenizer(DOCUMENTS, CONFIG, folder=tmp_path)
    path = cached_file(tmp_path)
    whole = path.read_text(encoding="utf-8")
    path.write_bytes(
        [
            b"",
            b"\x00" * 512,
            b"\xff\xfe",
            whole[: len(whole) // 2].encode(),
            b"[1]",
            _without("backend", whole).encode(),
            json.dumps(json.loads(whole) | {"backend": {}}).encode(),
            json.dumps(json.loads(whole) | {"config": {"min_frequency": 0}}).encode(),
        ][kind]
    )
    with caplog.at_level(logging.WARNING):
        again = cached_tokenizer(DOCUMENTS, CONFIG, folder=tmp_path)
    assert again.to_json() == first.to_json()
    assert path.read_text(encoding="utf-8") == whole
    (record,) = caplog.records
    assert f"The cached tokenizer {path} is damaged and is trained anew: " in record.message
    assert "\n" not in record.message


def test_it_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def fsync(descriptor: int) -> None:
        seen.append([path.suffix for path in sorted((tmp_path / "tokenizers").iterdir())])

    monkeypatch.setattr(os, "fsync", fsync)
    cached_tokenizer(DOCUMENTS, CONFIG, folder=tmp_path)
    assert seen == [[".lock", ".part"]]


def test_a_folder_that_takes_no_file_costs_only_the_cache(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    tokenizer = cached_tokenizer(DOCUMENTS, CONFIG, folder=tmp_path / "file")
    assert tokenizer.vocab_size > 5
    assert "The tokenizer is not cached" in caplog.text


def test_the_folder_is_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIT_ROBERTA_CACHE", "/somewhere")
    assert cache.cache_folder() == Path("/somewhere")
