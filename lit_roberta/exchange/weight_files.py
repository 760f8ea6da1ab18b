"""Weights in a Hugging Face folder, read one at a time. Nothing in a file is executed.

In: a folder. Out: tensors by name, each read when it is asked for, so that a model does not stand
in memory twice on its way. It knows no names of weights.
"""

from __future__ import annotations

import json
import pickle
import re
import zipfile
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from lit_roberta.errors import UserError, must
from lit_roberta.exchange.pickles import load_plain
from lit_roberta.exchange.weights import is_plain

SAFETENSORS = "model.safetensors"
PICKLE = "pytorch_model.bin"
INDEX = ".index.json"
"""Behind either name: which of several files holds which weight."""

_MOST_MAPPED = 32 * 2**20
"""Bytes read from a mapped file before it is mapped anew: pages count as memory until then."""

_NARROW = re.compile(r"F[48]_.*|torch\.float[48]_.*")
"""What safetensors and torch call numbers that need a scale to mean something."""


class StoredWeights(MutableMapping[str, Tensor]):
    """Weights that lie in files. Taking one reads it, and setting one is not for files.

    Args:
        files: The files.

    Raises:
        UserError: If a file can't be read.
    """

    def __init__(self, files: list[_File]) -> None:
        self._places: dict[str, _File] = {}
        for file in files:
            twice = self._places.keys() & file.shapes.keys()
            if twice:
                remedy = "One of several files may be of another model: take the whole folder."
                raise must("the weights", f"hold {min(twice)} once", "two of it", remedy)
            self._places |= dict.fromkeys(file.shapes, file)

    def shape(self, name: str) -> tuple[int, ...]:
        """Tell a shape, without reading the weight."""
        return self._places[name].shapes[name]

    def __getitem__(self, name: str) -> Tensor:
        return self._places[name].read(name)

    def __delitem__(self, name: str) -> None:
        self._places.pop(name).forget(name)

    def __setitem__(self, name: str, weight: Tensor) -> None:
        raise TypeError("files are only read.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def open_weights(folder: Path) -> StoredWeights:
    """Open the weights of a folder: safetensors if there are any, else a pickle of weights.

    Raises:
        UserError: If there are none, if a file is missing, cut short or damaged, or if it holds
            something besides weights.
    """
    for name, kind in ((SAFETENSORS, _Safetensors), (PICKLE, _Pickle)):
        if (folder / name).is_file():
            return StoredWeights([kind(folder / name)])
        if (folder / (name + INDEX)).is_file():
            return _open_sharded(folder / (name + INDEX), kind)
    remedy = "Take the whole folder that save_pretrained writes."
    raise must("the model's folder", f"hold {SAFETENSORS} or {PICKLE}", str(folder), remedy)


def _open_sharded(index: Path, kind: Callable[[Path], _File]) -> StoredWeights:
    places = read_json(index).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(v, str) for v in places.values()):
        raise must(str(index), "hold a weight_map", "none", "Take the whole folder.")
    beside = {path.name for path in index.parent.iterdir() if path.is_file()}
    for name in sorted(set(places.values())):
        if name not in beside:
            remedy = "Its index names that file: take the whole folder."
            raise must("the model's folder", f"hold {name}", str(index.parent), remedy)
    stored = StoredWeights([kind(index.parent / name) for name in sorted(set(places.values()))])
    missing = places.keys() - stored.keys()
    if missing:
        name = min(missing)
        raise must(places[name], f"hold {name}", "none", "Its index says so: take it again.")
    return stored


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        UserError: If it can't be read, or is something else.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = f"It fails with: {' '.join(str(error).split())}."
        raise must(path.name, "be readable", str(path), reason) from error
    if not isinstance(found, dict):
        kind = type(found).__name__
        raise must(path.name, "hold a JSON object", kind, f"Repair {path} or take it again.")
    return found


class _File:
    """One file with weights."""

    shapes: Mapping[str, tuple[int, ...]]

    @abstractmethod
    def read(self, name: str) -> Tensor:
        """Read a weight."""

    def forget(self, name: str) -> None:
        """Let go of a weight that was taken."""


class _Safetensors(_File):
    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with safe_open(path, framework="pt") as file:
                slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
                self.shapes = {name: tuple(each.get_shape()) for name, each in slices.items()}
                kinds = {name: each.get_dtype() for name, each in slices.items()}
        except (SafetensorError, OSError) as error:
            remedy = f"It may be cut short ({' '.join(str(error).split())}): take it again."
            raise must("the weights", "be a whole safetensors file", str(path), remedy) from error
        _refuse_narrow(kinds)

    def read(self, name: str) -> Tensor:
        with safe_open(self._path, framework="pt") as file:
            weight: Tensor = file.get_tensor(name)
        return weight.clone()


class _Pickle(_File):
    """What `torch.save` wrote. Files before torch 1.6 are no archives, and are read at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_archive = zipfile.is_zipfile(path)
        if self._is_archive:
            self._check_sums()
        self._weights = self._open()
        self._read_bytes = 0
        self.shapes = {name: tuple(weight.shape) for name, weight in self._weights.items()}
        _refuse_narrow({name: str(weight.dtype) for name, weight in self._weights.items()})

    def read(self, name: str) -> Tensor:
        if not self._is_archive:
            return self._weights[name]
        weight = self._weights[name].clone()
        self._read_bytes += weight.nbytes
        if self._read_bytes > _MOST_MAPPED:
            self._weights, self._read_bytes = self._open(), 0
        return weight

    def forget(self, name: str) -> None:
        del self._weights[name]

    def _check_sums(self) -> None:
        try:
            damaged = zipfile.ZipFile(self._path).testzip()  # torch does not look at its own
        except (OSError, zipfile.BadZipFile, EOFError) as error:
            damaged = " ".join(str(error).split())
        if damaged:
            remedy = f"It is damaged ({damaged}): take it again."
            raise must("the weights", "be as they were written", str(self._path), remedy)

    def _open(self) -> dict[str, Tensor]:
        try:
            found = load_plain(self._path, mmap=self._is_archive)
        except pickle.UnpicklingError as error:
            raise _refusal(self._path, str(error)) from error
        except Exception as error:  # torch raises half a dozen kinds for a file that is cut short
            remedy = "It may be cut short, or be no file of weights: take it again."
            raise must("the weights", "be readable", str(self._path), remedy) from error
        if not isinstance(found, dict) or not all(
            isinstance(name, str) and is_plain(weight) for name, weight in found.items()
        ):
            remedy = "Take the pytorch_model.bin that save_pretrained writes."
            rule = "be plain tensors by name, and nothing else"
            raise must("the weights", rule, str(self._path), remedy)
        return dict(found)


def _refuse_narrow(kinds: Mapping[str, str]) -> None:
    """Refuse numbers of 4 and 8 bits, by name and kind."""
    for name, kind in kinds.items():
        if _NARROW.fullmatch(kind):
            remedy = "Without a scale they mean nothing: take another file."
            raise must("the weights", f"be floats of 16 bits or more in {name}", kind, remedy)


def _refusal(path: Path, message: str) -> UserError:
    """Say what a pickle holds besides weights."""
    wanted = re.search(r"GLOBAL ([\w.]+)", message)
    if wanted is None:
        remedy = "It may be cut short, or be no file of weights: take it again."
        return must("the weights", "be readable", str(path), remedy)
    remedy = f"It asks for {wanted[1]}, which was not run. Take safetensors from its author."
    return must("the weights", "hold nothing but weights", str(path), remedy)
