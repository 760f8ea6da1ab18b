"""How long a text may be to a model, and what a model must have to be used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.run_facts import RunFacts
from lit_roberta.inference import text_model
from lit_roberta.inference.encoding import encode
from lit_roberta.inference.text_model import load_model
from tests.inference.models import LENGTH, TEXTS, write_model


def trained(pretrained: Pretrained, *, max_length: int) -> Pretrained:
    """Say that a model was trained on examples of some length."""
    run = RunFacts(
        updates=1,
        total_updates=1,
        num_sequences=1,
        num_tokens=1,
        conditions={"data.max_length": max_length},
        settings={},
        text={},
        training_loss=None,
        validated={},
        config=None,
    )
    return replace(pretrained, run=run)


@pytest.mark.parametrize(
    ("max_length", "named", "longest"),
    [
        (None, None, LENGTH),
        (20, None, 20),
        (99, None, LENGTH),
        (None, 16, 16),
        (20, 16, 16),
        (12, 16, 12),
    ],
)
def test_a_row_is_as_long_as_positions_training_and_tokenizer_agree_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    max_length: int | None,
    named: int | None,
    longest: int,
) -> None:
    pretrained = load_pretrained(str(write_model(tmp_path / "model.ckpt")))
    if max_length is not None:
        pretrained = trained(pretrained, max_length=max_length)
    if named is not None:
        pretrained = replace(pretrained, cut_at=named)
    monkeypatch.setattr(text_model, "load_pretrained", lambda source: pretrained)
    model = load_model("anything")
    assert model.longest == longest
    assert model.room == longest - 2
    assert len(model.row([5] * model.room)) == longest


def test_what_is_said_of_a_model_is_said_when_it_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    pretrained = load_pretrained(str(write_model(tmp_path / "model.ckpt")))
    told = replace(pretrained, notices=["the pooler was left out"])
    monkeypatch.setattr(text_model, "load_pretrained", lambda source: told)
    load_model("anything")
    assert "the pooler was left out" in caplog.text


def test_vectors_need_no_head_and_predictions_do(tmp_path: Path) -> None:
    path = write_model(tmp_path / "model.ckpt")
    whole = encode(load_model(str(path)), TEXTS)
    checkpoint = torch.load(path, weights_only=True)
    state = checkpoint["state_dict"]
    checkpoint["state_dict"] = {name: state[name] for name in state if "lm_head" not in name}
    torch.save(checkpoint, path)
    assert (encode(load_model(str(path)), TEXTS) == whole).all()
    with pytest.raises(UserError, match="the model must have a masked-language-model head"):
        load_model(str(path), predicts=True)


def test_a_device_that_computes_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--device must be a device that computes"):
        load_model(str(write_model(tmp_path / "model.ckpt")), device="meta")
