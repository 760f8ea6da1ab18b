from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lit_roberta.training.checkpoint_files import last_checkpoint
from tests.properties.running import Run, train_in_process

LOAD = """
import sys, torch
from lit_roberta import PretrainingModule
from lit_roberta.data.tokens.tokenizer import Tokenizer
stored = torch.load(sys.argv[1], weights_only=True)
module = PretrainingModule.load_from_checkpoint(sys.argv[1], weights_only=True)
weights = module.state_dict()
assert stored["state_dict"].keys() == weights.keys()
assert all(torch.equal(value, weights[name]) for name, value in stored["state_dict"].items())
assert Tokenizer.from_json(stored["tokenizer"]).vocab_size == module.model.config.vocab_size
assert module.model.config.hidden_size == 16
assert module.optimizer_config.betas == (0.9, 0.98)
assert module.history.mlm_loss_per_epoch
"""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loading") / "run"
    assert train_in_process(Run(folder=folder, updates=2)) == 0
    path = last_checkpoint(folder)
    assert path is not None
    return path


@pytest.mark.slow
def test_another_process_loads_module_and_tokenizer_from_the_file_alone(checkpoint: Path) -> None:
    # The module was built by hand here, with settings that are classes and not plain data.
    moved = checkpoint.rename(checkpoint.parent.parent.parent / "moved.ckpt")
    subprocess.run([sys.executable, "-c", LOAD, str(moved)], check=True, timeout=120)
