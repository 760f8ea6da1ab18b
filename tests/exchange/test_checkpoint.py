"""Checkpoints whose weights are not those of their settings: one line, and nothing is drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.loading import load_pretrained
from tests.exchange.models import tiny_pretrained


def changed(folder: Path, architecture: str, change: Callable[[dict[str, Any]], object]) -> str:
    """Write a checkpoint, and another one that differs."""
    path, other = folder / "it.ckpt", folder / "other.ckpt"
    if not path.exists():
        write_checkpoint(tiny_pretrained(architecture), path)
    checkpoint = torch.load(path, weights_only=True)
    change(checkpoint)
    torch.save(checkpoint, other)
    return str(other)


@pytest.mark.parametrize("architecture", ["BertForPreTraining", "BertModel"])
def test_any_weight_that_is_missing_or_of_another_shape_is_named(
    architecture: str, tmp_path: Path
) -> None:
    path = changed(tmp_path, architecture, lambda checkpoint: None)
    assert load_pretrained(path).weights
    whole = torch.load(path, weights_only=True)
    for part in ("state_dict", "spare_weights"):
        for name in whole[part]:

            def take(checkpoint: dict[str, Any], name: str = name, part: str = part) -> None:
                del checkpoint[part][name]

            def stretch(checkpoint: dict[str, Any], name: str = name, part: str = part) -> None:
                checkpoint[part][name] = torch.cat([checkpoint[part][name]] * 2)

            for change in (take, stretch):
                with pytest.raises(UserError, match="must hold") as error:
                    load_pretrained(changed(tmp_path, architecture, change))
                assert len(str(error.value).splitlines()) == 1


def test_what_the_settings_do_not_name_is_refused(tmp_path: Path) -> None:
    def add(checkpoint: dict[str, Any]) -> None:
        checkpoint["state_dict"]["model.extra.weight"] = torch.ones(2)

    with pytest.raises(UserError, match=r"hold what its settings name, got 'extra\.weight'"):
        load_pretrained(changed(tmp_path, "RobertaForMaskedLM", add))
