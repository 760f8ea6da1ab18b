"""A resumed run goes on with its CSV table.

Lightning's `CSVLogger` empties a folder that it finds used, and with it what the run had logged
before. Rows up to the checkpoint are kept here; later ones belong to updates that are made again.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterable
from pathlib import Path

from pytorch_lightning.loggers import CSVLogger, Logger

_TABLE = "metrics.csv"


def continue_tables(loggers: Iterable[Logger], *, update: int) -> None:
    """Take over the tables that lie where loggers are about to write.

    Must be called before a logger has opened its folder.

    Args:
        loggers: The trainer's; only those of CSV files are touched.
        update: Updates that the checkpoint has seen.
    """
    for logger in loggers:
        if isinstance(logger, CSVLogger):
            _continue_table(logger, update=update)


def _continue_table(logger: CSVLogger, *, update: int) -> None:
    table = Path(logger.log_dir) / _TABLE
    if not table.is_file():
        return
    logger._experiment = None  # a run that goes back has the file open
    # A kill can cut off a line, which then lies behind the checkpoint.
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = [line for line in lines if line.endswith("\n")]
    rows = [row for row in csv.DictReader(whole) if int(row["step"]) <= update]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*will be deleted.*")  # it is about to be written again
        writer = logger.experiment
    for row in rows:
        values = {name: float(value) for name, value in row.items() if value and name != "step"}
        writer.log_metrics(values, int(row["step"]))
    writer.save()
