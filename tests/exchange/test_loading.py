"""A model is named by where it lies, here or on the hub; what is no model is said in one line."""

from __future__ import annotations

import shutil
import signal
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange import import_cli
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.loading import load_pretrained
from tests.exchange.folders import same_model, their_weights, tiny_pretrained, write_folder


class Hub:
    """A hub of one model, in a folder; it hands out what is asked for, and keeps a list."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.asked: list[tuple[str, str | None]] = []

    def snapshot_download(
        self, name: str, *, revision: str | None, allow_patterns: list[str]
    ) -> str:
        self.asked.append((name, revision))
        self.cache.mkdir(exist_ok=True)
        for path in self.folder.iterdir():
            if any(fnmatch(path.name, pattern) for pattern in allow_patterns):
                shutil.copy(path, self.cache)
        return str(self.cache)

    @property
    def files(self) -> set[str]:
        return {path.name for path in self.cache.iterdir()}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    monkeypatch.chdir(tmp_path)
    folder = write_folder(tmp_path / "remote")
    for name in ("modeling_custom.py", "tf_model.h5", "README.md"):
        (folder / name).write_text("not asked for")
    torch.save(their_weights(tiny_pretrained()), folder / "pytorch_model.bin")
    hub = Hub(folder, tmp_path / "cache")
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub.snapshot_download)
    return hub


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("owner/name", ("owner/name", None)),
        ("name", ("name", None)),
        ("owner/na-me_1.5@refs/pr/3", ("owner/na-me_1.5", "refs/pr/3")),
    ],
)
def test_a_name_is_looked_up_on_the_hub(
    source: str, asked: tuple[str, str | None], hub: Hub
) -> None:
    found = load_pretrained(source)
    assert hub.asked == [asked]
    assert found.source == source
    assert same_model(found, load_pretrained(str(hub.folder)))
    assert hub.files == {"config.json", "model.safetensors"}  # no code, and no weights twice


def test_a_pickle_is_brought_where_there_is_nothing_better(hub: Hub) -> None:
    (hub.folder / "model.safetensors").unlink()
    assert same_model(load_pretrained("owner/name"), load_pretrained(str(hub.folder)))
    assert hub.files == {"config.json", "pytorch_model.bin"}


def test_what_lies_here_goes_before_the_hub(hub: Hub) -> None:
    write_folder(Path("owner/name"))
    load_pretrained("owner/name")
    assert not hub.asked


@pytest.mark.parametrize("source", ["a/b/c", "../x", "x.ckpt", "a/x.pt", "/no/where", "", "a b"])
def test_what_can_be_no_name_is_not_looked_up(source: str, hub: Hub) -> None:
    with pytest.raises(UserError, match=r"OWNER/NAME|config\.json"):
        load_pretrained(source)
    assert not hub.asked


def cached(cache: Path, file: str) -> Path:
    """Lay a model out as the hub's own cache does."""
    snapshot = cache / "models--owner--name" / "snapshots" / ("0" * 40)
    write_folder(snapshot)
    if file != "model.safetensors":
        (snapshot / "model.safetensors").unlink()
        torch.save(their_weights(tiny_pretrained()), snapshot / file)
    (cache / "models--owner--name" / "refs").mkdir()
    (cache / "models--owner--name" / "refs" / "main").write_text("0" * 40)
    return snapshot


@pytest.mark.parametrize("file", ["model.safetensors", "pytorch_model.bin"])
def test_without_a_network_the_cache_is_read(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants: Any = huggingface_hub.constants
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    snapshot = cached(tmp_path, file)
    assert same_model(load_pretrained("owner/name"), load_pretrained(str(snapshot)))
    with pytest.raises(UserError, match="hub within reach, got 'owner/other'") as error:
        load_pretrained("owner/other")
    assert "\n" not in str(error.value)


def test_whatever_the_hub_says_is_one_line(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> str:
        raise OSError("401 Client Error.\n\nRepository Not Found for url: x\n" + "y " * 500)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fail)
    with pytest.raises(UserError, match=r"got 'owner/name'.* Repository Not Found") as error:
        load_pretrained("owner/name")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


# ---- checkpoints


def test_a_checkpoint_is_read_back_whole(tmp_path: Path) -> None:
    drawn = load_pretrained(str(write_folder(tmp_path / "it")))
    path = tmp_path / "new" / "it.ckpt"
    write_checkpoint(drawn, path)
    found = load_pretrained(str(path))
    assert same_model(drawn, found)
    assert found.config == drawn.config
    assert list(found.notices) == list(drawn.notices)


def test_a_pooler_without_its_head_is_kept(tmp_path: Path) -> None:
    weights = {
        name: weight
        for name, weight in their_weights(tiny_pretrained()).items()
        if "seq_relationship" not in name
    }
    drawn = load_pretrained(str(write_folder(tmp_path / "it", weights=weights)))
    write_checkpoint(drawn, tmp_path / "it.ckpt")
    found = load_pretrained(str(tmp_path / "it.ckpt"))
    assert same_model(drawn, found)
    assert found.has_pooler
    assert not found.has_next_sentence_head


def test_no_file_is_written_over_and_none_is_left_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "it.ckpt"
    path.write_text("precious")
    with pytest.raises(UserError, match="new file"):
        write_checkpoint(tiny_pretrained(), path)
    assert path.read_text() == "precious"

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(UserError, match="No space left"):
        write_checkpoint(tiny_pretrained(), tmp_path / "new.ckpt")
    assert [each.name for each in tmp_path.iterdir()] == ["it.ckpt"]


@pytest.mark.parametrize("text", [b"", b"PK\x03\x04", b"hello", b"\x80\x02}q\x00."])
def test_a_file_that_is_no_checkpoint_is_said(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "it.ckpt"
    path.write_bytes(text)
    with pytest.raises(UserError, match="be a checkpoint of this package"):
        load_pretrained(str(path))


@pytest.mark.parametrize("source", ["", "x" * 5000, "x/" * 3000, "a\0b", "\n", "~", "/dev/null"])
def test_a_strange_name_is_said_in_one_line(source: str) -> None:
    with pytest.raises(UserError, match="the model") as caught:
        load_pretrained(source)
    assert "\n" not in str(caught.value)


def test_of_two_imports_to_one_name_the_first_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, save = tmp_path / "it.ckpt", torch.save

    def save_slowly(contents: Any, file: Any) -> None:
        path.write_bytes(b"of another process")
        save(contents, file)

    monkeypatch.setattr(torch, "save", save_slowly)
    with pytest.raises(UserError, match="a new file"):
        write_checkpoint(tiny_pretrained(), path)
    assert path.read_bytes() == b"of another process"
    assert list(tmp_path.iterdir()) == [path]


def test_where_a_text_is_cut_travels_along(tmp_path: Path) -> None:
    first = tiny_pretrained()
    cut = replace(first, cut_at=first.longest_text - 3)
    write_checkpoint(cut, tmp_path / "it.ckpt")
    again = load_pretrained(str(tmp_path / "it.ckpt"))
    assert again.longest_text == cut.longest_text == first.longest_text - 3


def test_a_request_to_end_in_the_middle_of_an_import_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save_half(contents: Any, file: Any) -> None:
        file.write(b"half")
        signal.raise_signal(signal.SIGTERM)

    write_folder(tmp_path / "source")
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(torch, "save", save_half)
    with pytest.raises(SystemExit) as ended:
        import_cli.main([str(tmp_path / "source"), str(tmp_path / "it.ckpt")])
    assert ended.value.code == 143
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
    assert signal.getsignal(signal.SIGTERM) == before
