from __future__ import annotations

import argparse
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange.fairseq import read_fairseq
from tests.exchange.fairseq_files import (
    NEW,
    STYLES,
    in_style,
    tiny_settings,
    tiny_weights,
    write,
    write_dictionary,
)


class Payload:
    """Makes a folder when it is unpickled: what an attacker would do worse."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        return os.mkdir, (str(self.place),)


class ByCall(Payload):
    """The same by way of the one class that is allowed."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return getattr, (argparse.Namespace(run=os.mkdir), "run")


def hide(checkpoint: dict[str, Any], where: str, payload: object) -> object:
    """Put a payload somewhere into a checkpoint."""
    if where == "instead":
        return payload
    if where == "settings":
        checkpoint["cfg"]["model"].hidden = payload
    elif where == "weights":
        checkpoint["model"]["encoder.hidden"] = payload
    else:
        checkpoint[where] = payload
    return checkpoint


@pytest.mark.parametrize("is_archive", [True, False])
@pytest.mark.parametrize("where", ["instead", "settings", "weights", "args", "extra_state"])
@pytest.mark.parametrize("kind", [Payload, ByCall])
def test_code_in_a_file_is_refused_and_does_not_run(
    tmp_path: Path, kind: type[Payload], where: str, is_archive: bool
) -> None:
    place = tmp_path / "ran"
    checkpoint = in_style(tiny_weights(), tiny_settings(), NEW)
    path = write(tmp_path, hide(checkpoint, where, kind(place)), is_archive=is_archive)
    with pytest.raises(UserError, match="It wants to load") as caught:
        read_fairseq(path)
    assert "\n" not in str(caught.value)
    assert not place.exists()
    if kind is Payload:
        torch.load(path, weights_only=False)
        assert place.exists()  # so it would have run


def test_a_plain_pickle_is_refused_and_does_not_run(tmp_path: Path) -> None:
    write_dictionary(tmp_path)
    (tmp_path / "model.pt").write_bytes(pickle.dumps(Payload(tmp_path / "ran")))
    with pytest.raises(UserError, match="be a fairseq checkpoint"):
        read_fairseq(tmp_path / "model.pt")
    assert not (tmp_path / "ran").exists()


class Unknown:
    """Stands for a class of the program that trained the model."""


def test_a_class_that_a_file_wants_is_named(tmp_path: Path) -> None:
    checkpoint = in_style(tiny_weights(), tiny_settings(), NEW)
    path = write(tmp_path, checkpoint | {"cfg": Unknown()})
    with pytest.raises(UserError, match=r"load tests\.exchange\.test_fairseq_files\.Unknown,"):
        read_fairseq(path)


def test_what_is_allowed_for_one_file_is_not_for_the_next(tmp_path: Path) -> None:
    path = write(tmp_path, in_style(tiny_weights(), tiny_settings(), NEW))
    read_fairseq(path)
    assert argparse.Namespace not in torch.serialization.get_safe_globals()
    with pytest.raises(pickle.UnpicklingError, match="Namespace"):
        torch.load(path, weights_only=True)


@pytest.mark.parametrize("is_archive", [True, False])
@pytest.mark.parametrize("style", STYLES)
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, style: str, is_archive: bool) -> None:
    whole = write(
        tmp_path, in_style(tiny_weights(), tiny_settings(), style), is_archive=is_archive
    )
    content = whole.read_bytes()
    for length in {0, 1, 2, 10, *range(0, len(content), len(content) // 23), len(content) - 1}:
        whole.write_bytes(content[:length])
        with pytest.raises(UserError, match="be a fairseq checkpoint") as caught:
            read_fairseq(whole)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [None, 3, "x", [], {}, {"model": 1}, {"model": {}}])
def test_what_is_no_fairseq_checkpoint_is_refused(tmp_path: Path, name: object) -> None:
    with pytest.raises(UserError, match="be a fairseq checkpoint"):
        read_fairseq(write(tmp_path, name))


@pytest.mark.parametrize("weight", [1, "x", None, torch.ones(2, 2).to_sparse(), [torch.ones(1)]])
def test_what_is_no_plain_tensor_is_refused(tmp_path: Path, weight: object) -> None:
    checkpoint = in_style(tiny_weights(), tiny_settings(), NEW)
    checkpoint["model"]["encoder.lm_head.bias"] = weight
    with pytest.raises(UserError, match=r"lm_head\.bias"):
        read_fairseq(write(tmp_path, checkpoint))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.pt"):
        read_fairseq(tmp_path / "nowhere.pt")
