from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

from lit_roberta.training.history import History


def history(*updates: tuple[int, float, int], on_device: bool = False) -> History:
    """Make a history from epochs, sums of losses and counts."""
    result = History()
    for epoch, loss_sum, num_labels in updates:
        number = torch.tensor(loss_sum) if on_device else loss_sum
        result.add(epoch, loss_sum=number, num_labels=num_labels)
    return result


def test_epochs_loss_is_the_mean_over_its_tokens_and_not_over_its_updates() -> None:
    result = history((0, 2.0, 2), (0, 80.0, 40), (1, 9.0, 3))
    assert result.mlm_loss_per_epoch == pytest.approx([82 / 42, 3.0])


def test_epoch_in_which_no_update_starts_is_nan() -> None:
    losses = history((0, 2.0, 2), (2, 3.0, 1)).mlm_loss_per_epoch
    assert losses[0] == 1.0
    assert math.isnan(losses[1])
    assert losses[2] == 3.0


def test_loss_that_is_not_finite_hides_no_other() -> None:
    assert history((0, 2.0, 2), (0, math.nan, 5), (0, math.inf, 5)).mlm_loss_per_epoch == [1.0]


def test_host_and_device_add_up_the_same() -> None:
    losses = [1e4 * 1.01**number for number in range(60)]
    updates = [(n // 20, float(torch.tensor(loss)), n + 1) for n, loss in enumerate(losses)]
    updates.insert(30, (1, math.nan, 5))
    one, other = history(*updates), history(*updates, on_device=True)
    assert one.state_dict() == other.state_dict()


def test_history_goes_on_from_plain_numbers() -> None:
    first = history((0, 2.0, 2), (1, 4.0, 1))
    second = History()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    second.to(torch.device("cpu"))
    second.add(1, loss_sum=torch.tensor(2.0), num_labels=2)
    assert second.mlm_loss_per_epoch == [1.0, 2.0]


def test_history_is_written_as_json(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    history((0, 2.0, 2), (2, 3.0, 1)).write(path)
    assert json.loads(path.read_text()) == {"mlm_loss_per_epoch": [1.0, None, 3.0]}
    assert list(tmp_path.iterdir()) == [path]
