from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lit_roberta
from lit_roberta.__main__ import main
from lit_roberta.errors import UserError
from lit_roberta.training import recipes
from lit_roberta.training.history import History
from lit_roberta.training.recipes import (
    effective_batch_size,
    train_bert_recipe,
    train_roberta_recipe,
)

TINY = {"encoder": {"hidden_size": 16, "num_hidden_layers": 1, "intermediate_size": 32}}
QUIET = {"enable_progress_bar": False, "accelerator": "cpu"}


def test_the_recipes_give_a_loss_for_each_epoch() -> None:
    trainer = {**QUIET, "val_check_interval": 1.0}
    bert = train_bert_recipe(model=TINY, trainer={**trainer, "max_epochs": 1})
    roberta = train_roberta_recipe(model=TINY, trainer={**trainer, "max_epochs": 3})
    assert len(bert.mlm_loss_per_epoch) == 1
    assert len(roberta.mlm_loss_per_epoch) == 3
    assert all(math.isfinite(loss) for loss in bert.mlm_loss_per_epoch)
    assert roberta.mlm_loss_per_epoch[2] < roberta.mlm_loss_per_epoch[0]


def test_a_run_is_kept_where_a_folder_is_named(tmp_path: Path) -> None:
    settings = {"trainer.max_steps": 1, "trainer.default_root_dir": str(tmp_path / "run")}
    train_roberta_recipe(model=TINY, trainer=QUIET, **settings)
    assert (tmp_path / "run" / "checkpoints" / "last.ckpt").is_file()


@pytest.mark.parametrize(("asked", "devices"), [({}, 1), ({"devices": 2}, 2)])
def test_a_run_has_one_device_unless_more_are_asked_for(
    asked: dict[str, int], devices: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def note(argv: Sequence[str]) -> Any:
        said.extend(argv)
        return SimpleNamespace(model=SimpleNamespace(history=History()))

    monkeypatch.setattr(recipes, "run", note)
    for train in (train_bert_recipe, train_roberta_recipe):
        said.clear()
        train(trainer={**QUIET, **asked})
        assert [word for word in said if "devices" in word] == [f"--trainer.devices={devices}"]


def test_an_unknown_override_is_refused() -> None:
    with pytest.raises(UserError, match="epochs"):
        train_bert_recipe(trainer={"epochs": 3})


def test_the_effective_batch_size_is_the_product() -> None:
    assert effective_batch_size(32, 8) == 256
    with pytest.raises(UserError, match="accumulation_steps must be 1 or more, got 0"):
        effective_batch_size(32, 0)


@pytest.mark.parametrize("name", lit_roberta.__all__)
def test_public_names_are_there(name: str) -> None:
    assert callable(getattr(lit_roberta, name))
    assert name in dir(lit_roberta)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, lit_roberta; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Bert'"):
        lit_roberta.Bert  # noqa: B018


def test_the_installed_command_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "train" in capsys.readouterr().out
    assert main(["tran"]) == 2
    assert "got 'tran'. Try --help." in capsys.readouterr().err
    assert main([]) == 2
    assert main(["train", "fit", "--data.batch_size=0"]) == 2
