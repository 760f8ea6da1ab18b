"""What a run of fine-tuning refuses before anything is computed.

In: its settings, and its data. Out: nothing, or one line. What a trainer of any kind refuses is in
`lit_roberta.training.trainer_flags`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.labelling import require_labels
from lit_roberta.finetuning.loaders import PARTS, HeldOutPart

_PARTS: Mapping[str, HeldOutPart] = {"validate": "validation", "test": "test", "predict": "test"}
"""By the subcommand that is about one."""
_LIMITS = ("limit_val_batches", "limit_test_batches", "limit_predict_batches")
_WHOLE = (None, 1.0)
_NONE = (None, 0, 1.0)


def refuse_partial_judging(trainer: Mapping[str, Any]) -> None:
    """Refuse to judge some batches of a part: the longest texts come first, and are no sample.

    Args:
        trainer: The trainer's settings, as parsed.

    Raises:
        UserError: Names the flag.
    """
    for flag in _LIMITS:
        value = trainer.get(flag)
        allowed = _NONE if flag == "limit_val_batches" else _WHOLE
        # 1 is one batch, and 1.0 all of them.
        if value not in allowed or (value == 1 and isinstance(value, int)):
            remedy = "A part is judged whole: name a smaller file, as --data.validation FILE."
            raise must(f"trainer.{flag}", "be left out", value, remedy)


def check_labels(data: FinetuningDataModule) -> None:
    """See that what is held out has the labels that are learned: said before anything is trained.

    Raises:
        UserError: If an example has another one. Names its place.
    """
    for part in PARTS:
        for examples in data.examples(part).values():
            data.task.check_labels(examples)


def require_examples(data: FinetuningDataModule, subcommand: str) -> HeldOutPart:
    """See that the part that a subcommand is about is there.

    Args:
        data: The run's.
        subcommand: fit, validate, test or predict.

    Returns:
        The part; for `fit` the validation part, which may be empty.

    Raises:
        UserError: If it has no example, or none to judge by.
    """
    part = _PARTS.get(subcommand)
    if part is None:
        return "validation"
    if not any(data.examples(part).values()):
        remedy = f"Name its file: --data.{part} FILE."
        raise must(f"data.{part}", f"hold examples to {subcommand}", "none", remedy)
    if subcommand != "predict":
        remedy = "What a model makes of unlabelled text, predict says."
        require_labels(part, data.examples(part), remedy=remedy)
    return part
