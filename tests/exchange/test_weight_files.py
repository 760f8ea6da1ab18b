"""Weights come from files as they are; whatever is wrong with a file is one line; no code runs."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from lit_roberta.errors import UserError
from lit_roberta.exchange import weight_files
from lit_roberta.exchange.weight_files import open_weights

WEIGHTS = {
    "a.weight": torch.randn(7, 5, generator=torch.Generator().manual_seed(0)),
    "a.bias": torch.arange(5, dtype=torch.bfloat16),
    "b.weight": torch.randn(300, 40, generator=torch.Generator().manual_seed(1)).half(),
}


def safetensors(folder: Path) -> None:
    save_file(WEIGHTS, folder / "model.safetensors")


def archive(folder: Path) -> None:
    torch.save(WEIGHTS, folder / "pytorch_model.bin")


def old_pickle(folder: Path) -> None:
    torch.save(WEIGHTS, folder / "pytorch_model.bin", _use_new_zipfile_serialization=False)


def in_shards(folder: Path, stem: str, save: Callable[[dict[str, Tensor], Path], object]) -> None:
    first, *rest = WEIGHTS
    parts = {
        f"{stem}-00001-of-00002": [first],
        f"{stem}-00002-of-00002": rest,
    }
    suffix = ".safetensors" if stem == "model" else ".bin"
    for file, names in parts.items():
        save({name: WEIGHTS[name] for name in names}, folder / (file + suffix))
    places = {name: file + suffix for file, names in parts.items() for name in names}
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (folder / f"{stem}{suffix}.index.json").write_text(json.dumps(index))


def sharded_safetensors(folder: Path) -> None:
    in_shards(folder, "model", save_file)


def sharded_archive(folder: Path) -> None:
    in_shards(folder, "pytorch_model", torch.save)


FORMS = [safetensors, archive, old_pickle, sharded_safetensors, sharded_archive]
Form = Callable[[Path], None]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mapped", [0, 10**9])
def test_every_form_gives_the_same_bits(
    form: Form, mapped: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weight_files, "_MOST_MAPPED", mapped)  # 0: mapped anew for each
    form(tmp_path)
    found = open_weights(tmp_path)
    assert {name: found.shape(name) for name in found} == {
        name: tuple(weight.shape) for name, weight in WEIGHTS.items()
    }
    for name, weight in WEIGHTS.items():
        assert torch.equal(found[name], weight)
        taken = found.pop(name)
        assert taken.dtype == weight.dtype
        assert torch.equal(taken, weight)
    assert not found


def test_safetensors_go_before_a_pickle(tmp_path: Path) -> None:
    safetensors(tmp_path)
    torch.save({"other": torch.zeros(1)}, tmp_path / "pytorch_model.bin")
    assert set(open_weights(tmp_path)) == set(WEIGHTS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_a_file_that_was_cut_short_is_said(form: Form, share: float, tmp_path: Path) -> None:
    form(tmp_path)
    path = max(tmp_path.glob("*[0-9l].[sb]*"), key=lambda each: each.stat().st_size)
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    with pytest.raises(UserError, match=re.escape(str(path))) as error:
        open_weights(tmp_path)
    assert "\n" not in str(error.value)


def test_a_flipped_byte_in_an_archive_is_found(tmp_path: Path) -> None:
    archive(tmp_path)
    path = tmp_path / "pytorch_model.bin"
    data = bytearray(path.read_bytes())
    data[data.index(WEIGHTS["a.weight"].numpy().tobytes()) + 5] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match="be as they were written"):
        open_weights(tmp_path)


@pytest.mark.parametrize("form", [sharded_safetensors, sharded_archive])
def test_a_shard_that_is_missing_is_named(form: Form, tmp_path: Path) -> None:
    form(tmp_path)
    shard = next(tmp_path.glob("*-00002-of-00002.*"))
    shard.rename(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=re.escape(shard.name)):
        open_weights(tmp_path)


def test_a_weight_that_two_shards_hold_is_refused_by_name(tmp_path: Path) -> None:
    sharded_safetensors(tmp_path)
    first, second = sorted(tmp_path.glob("*.safetensors"))
    both = load_file(first) | {name: weight + 1 for name, weight in load_file(second).items()}
    save_file(both, first)
    with pytest.raises(UserError, match=r"the weights must hold .* once"):
        open_weights(tmp_path)


@pytest.mark.parametrize("form", [sharded_safetensors, sharded_archive])
def test_an_index_is_not_followed_out_of_the_folder_nor_believed(
    form: Form, tmp_path: Path
) -> None:
    form(tmp_path)
    path = next(tmp_path.glob("*.index.json"))
    index = json.loads(path.read_text())
    first = index["weight_map"]["a.weight"]
    path.write_text(json.dumps({"weight_map": {**index["weight_map"], "c.weight": first}}))
    with pytest.raises(UserError, match=r"c\.weight"):
        open_weights(tmp_path)
    path.write_text(json.dumps({"weight_map": {"a.weight": f"../{tmp_path.name}/{first}"}}))
    with pytest.raises(UserError, match=r"\.\./"):
        open_weights(tmp_path)
    for wrong in ("{}", '{"weight_map": 3}', '{"weight_map": {"a": 3}}', "[]", "{", ""):
        path.write_text(wrong)
        with pytest.raises(UserError, match=r"index\.json"):
            open_weights(tmp_path)


class Payload:
    """What runs when its pickle is loaded without care."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return Path.touch, (self.mark,)


def as_archive(content: object, path: Path) -> None:
    torch.save(content, path)


def as_old_file(content: object, path: Path) -> None:
    torch.save(content, path, _use_new_zipfile_serialization=False)


def as_plain_pickle(content: object, path: Path) -> None:
    path.write_bytes(pickle.dumps(content))


@pytest.mark.parametrize("save", [as_archive, as_old_file, as_plain_pickle])
def test_a_pickle_that_wants_to_run_code_does_not(
    save: Callable[[object, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    mark, path = tmp_path / "mark", tmp_path / "pytorch_model.bin"
    save({"a": torch.zeros(2).tolist(), "b": Payload(mark)}, path)
    with pytest.raises(UserError, match=r"which was not run|no file of weights") as error:
        open_weights(tmp_path)
    assert not mark.exists()
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    pickle.loads(pickle.dumps(Payload(mark)))  # it would have
    assert mark.exists()


@pytest.mark.parametrize(
    "content",
    [
        [1, 2],
        {"a": 3},
        {"model": {"a": torch.zeros(1)}},
        {1: torch.zeros(1)},
        {("a", "b"): torch.zeros(1)},
        {"a": torch.zeros(2, 2).to_sparse()},
        {"a": torch.zeros(2, 2, device="meta")},
    ],
)
def test_a_file_of_something_else_is_refused(content: object, tmp_path: Path) -> None:
    torch.save(content, tmp_path / "pytorch_model.bin")
    with pytest.raises(UserError, match="tensors by name"):
        open_weights(tmp_path)


def test_a_folder_without_weights_says_what_would_be_some(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"model\.safetensors or pytorch_model\.bin"):
        open_weights(tmp_path)


@pytest.mark.parametrize("file", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("kind", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_numbers_of_8_bits_are_refused(kind: torch.dtype, file: str, tmp_path: Path) -> None:
    save = save_file if file.endswith("safetensors") else torch.save
    save({"a": torch.zeros(3).to(kind)}, tmp_path / file)
    with pytest.raises(UserError, match=r"be floats of 16 bits or more in a, got '.*[fF](loat)?8"):
        open_weights(tmp_path)


@pytest.mark.parametrize("name", ["", ".", "..", "../it/a.safetensors", "x" * 5000, "a\0b", "/"])
def test_whatever_an_index_names_is_looked_for_beside_it_alone(name: str, tmp_path: Path) -> None:
    index = {"weight_map": {"a": name}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    with pytest.raises(UserError, match="must hold"):
        open_weights(tmp_path)
