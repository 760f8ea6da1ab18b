"""On what a comparison was made: it moves seconds, and the last digits of losses."""

from __future__ import annotations

import platform
from typing import Any

import torch

import lit_roberta
from lit_roberta.machine import available_cores


def describe_environment(jobs: int) -> dict[str, Any]:
    """Name versions and device, with the number of runs made at once."""
    device = "CPU"
    if torch.accelerator.is_available():
        kind = str(torch.accelerator.current_accelerator())
        device = torch.cuda.get_device_name() if torch.cuda.is_available() else kind
    return {
        "lit_roberta": lit_roberta.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "device": device,
        "cores": available_cores(),
        "runs at once": jobs,
    }
