"""What a person at the terminal sees of Lightning: what matters."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_TALKATIVE = ("pytorch_lightning", "lightning_fabric", "lightning")
_ASKED_FOR = "pytorch_lightning.profilers"  # these report only to who asked for one
_BESIDE_THE_POINT = (
    ".*does not have many workers.*",  # the number of workers is the user's
    ".*isinstance.treespec.*",  # raised inside Lightning, by its own use of torch
    ".*your dataloader is not resumable.*",  # it follows from the number of updates
    ".*FSDP2-wrapped module.*returned a view.*",  # nothing of ours changes logits in place
    ".*`srun` command is available.*",  # a process started by hand where there is a cluster
    ".*sync_dist=True.*",  # what is logged has been added up over all ranks before
)


@contextmanager
def without_small_talk() -> Iterator[None]:
    """Keep Lightning from saying, for a while, what no user can change or needs to know."""
    loggers = [logging.getLogger(name) for name in (*_TALKATIVE, _ASKED_FOR)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.INFO if logger.name == _ASKED_FOR else logging.WARNING)
    try:
        with warnings.catch_warnings():
            for message in _BESIDE_THE_POINT:
                warnings.filterwarnings("ignore", message)
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
