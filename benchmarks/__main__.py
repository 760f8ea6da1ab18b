"""Run all benchmarks, or the one that is named: `python -m benchmarks [NAME [options]]`."""

from __future__ import annotations

import sys

from benchmarks import (
    batches,
    encoder,
    finetuning,
    importing,
    inference,
    lightning_overhead,
    loading,
    packing,
    prepare,
    resume,
)

BENCHMARKS = {
    "encoder": encoder.main,
    "batches": batches.main,
    "lightning": lightning_overhead.main,
    "prepare": prepare.main,
    "packing": packing.main,
    "loading": loading.main,
    "resume": resume.main,
    "import": importing.main,
    "encode": inference.main,
    "finetuning": finetuning.main,
}

_NEED_DATA = ("finetuning",)
"""Those that need a model and files of a user's, and so have to be named."""


def main(arguments: list[str]) -> None:
    """Run what was asked for."""
    if not arguments:
        for name, run in BENCHMARKS.items():
            if name not in _NEED_DATA:
                print(f"== {name}")
                run()
        return
    name, *rest = arguments
    if name not in BENCHMARKS:
        sys.exit(f"benchmark must be one of {', '.join(BENCHMARKS)}, got {name!r}.")
    BENCHMARKS[name](rest)


if __name__ == "__main__":
    main(sys.argv[1:])
