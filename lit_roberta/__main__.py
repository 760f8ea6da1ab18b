"""`lit-roberta`, and `python -m lit_roberta`: the commands of the package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

_COMMANDS = {
    "train": (
        "lit_roberta.finetuning.train_cli",
        "pretrain or fine-tune: fit, validate, ...",
    ),
    "prepare": ("lit_roberta.corpora.cli", "turn raw text into a folder to train on"),
    "tokenizer": ("lit_roberta.corpora.tokenizer_cli", "train a tokenizer of its own"),
    "import": ("lit_roberta.exchange.import_cli", "turn a model from elsewhere into a checkpoint"),
    "evaluate": (
        "lit_roberta.finetuning.evaluation.evaluate_cli",
        "fine-tune for tasks with several seeds, and report",
    ),
    "plan": ("lit_roberta.planning.cli", "say what a run would take, without making it"),
    "export": ("lit_roberta.exchange.export_cli", "write a model for transformers"),
    "diff": ("lit_roberta.comparison.diff_cli", "name the switches between two recipes"),
    "compare": ("lit_roberta.comparison.cli", "train recipes under one budget and report"),
    "report": ("lit_roberta.comparison.report_cli", "write a comparison's report anew"),
    "predict": (
        "lit_roberta.finetuning.predict_cli",
        "say what a fine-tuned model makes of texts",
    ),
    "fill-mask": ("lit_roberta.inference.fill_mask_cli", "say what stands behind a mask"),
    "encode": ("lit_roberta.inference.encode_cli", "turn texts into vectors"),
    "score": ("lit_roberta.inference.score_cli", "say how likely a model finds texts"),
    "probe": ("lit_roberta.probing.probe_cli", "say what a model knows without fine-tuning"),
}
"""By name: the module whose `main` takes the rest of the arguments, and what it does."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 2 for a command that does not exist, else the command's.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.stdout.write(_usage())
        return 0 if arguments else 2
    name, *rest = arguments
    if name not in _COMMANDS:
        known = ", ".join(_COMMANDS)
        sys.stderr.write(f"The command must be one of {known}, got {name!r}. Try --help.\n")
        return 2
    try:
        # Only what is asked for is imported: torch alone takes seconds.
        status: int = importlib.import_module(_COMMANDS[name][0]).main(rest)
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted before anything began.\n")
        return 130
    return status


def _usage() -> str:
    lines = [f"  {name:<11}{what}" for name, (_, what) in _COMMANDS.items()]
    return "\n".join(["usage: lit-roberta COMMAND ...", "", *lines, ""])


if __name__ == "__main__":
    sys.exit(main())
