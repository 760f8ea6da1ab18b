"""What a person at the terminal sees: our notices, and Lightning's only where they matter."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_TALKATIVE = ("pytorch_lightning", "lightning_fabric", "lightning")
_BESIDE_THE_POINT = (
    ".*does not have many workers.*",  # the number of workers is the user's
    ".*isinstance.treespec.*",  # raised inside Lightning, by its own use of torch
    ".*fast_dev_run.*",
    ".*Checkpoint directory .* exists and is not empty.*",  # a resumed run's is its own
)


@contextmanager
def notices_on_stderr() -> Iterator[None]:
    """Send the package's notices to stderr for a while, and keep Lightning's small talk off it."""
    ours = logging.getLogger("lit_roberta")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    levels = [logger.level for logger in (ours, *loggers)]
    ours.addHandler(handler)
    ours.setLevel(min(logging.INFO, ours.level or logging.INFO))
    for logger in loggers:
        logger.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            for message in _BESIDE_THE_POINT:
                warnings.filterwarnings("ignore", message)
            _ignore_deprecations_of_jsonargparse()
            yield
    finally:
        ours.removeHandler(handler)
        for logger, level in zip((ours, *loggers), levels, strict=True):
            logger.setLevel(level)


def _ignore_deprecations_of_jsonargparse() -> None:
    """Lightning calls it in a way that it no longer likes, which no user can change."""
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="jsonargparse")
    warnings.filterwarnings("ignore", category=DeprecationWarning, module="pytorch_lightning")
