"""Pickles of any kind: plain data or an error of one line, and nothing is said beside it."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange.checkpoint import read_checkpoint
from lit_roberta.exchange.fairseq import read_fairseq
from lit_roberta.exchange.pickles import load_plain
from lit_roberta.exchange.weight_files import open_weights


@pytest.mark.parametrize("reader", [read_checkpoint, read_fairseq, open_weights])
@pytest.mark.parametrize("is_torch", [True, False])
@pytest.mark.parametrize("protocol", range(2, 6))
def test_no_reader_says_more_than_its_line(
    tmp_path: Path, reader: Any, is_torch: bool, protocol: int
) -> None:
    path = tmp_path / "pytorch_model.bin"
    if is_torch:
        torch.save({"weight": [1, 2]}, path, pickle_protocol=protocol)
    else:
        path.write_bytes(pickle.dumps({"weight": [1, 2]}, protocol=protocol))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(UserError) as error:
            reader(tmp_path if reader is open_weights else path)
    assert not said
    assert len(str(error.value).splitlines()) == 1


def test_what_is_plain_is_read_and_what_is_not_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "it.pt"
    torch.save({"weight": torch.arange(3)}, path)
    assert load_plain(path)["weight"].tolist() == [0, 1, 2]
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    torch.save({"weight": path.unlink}, path)
    with pytest.raises((pickle.UnpicklingError, RuntimeError)):
        load_plain(path)
    assert path.exists()
