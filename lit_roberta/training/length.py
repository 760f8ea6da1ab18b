"""How long a run is, in updates: from updates, epochs, hours or a default, as was asked for."""

from __future__ import annotations

import logging

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.errors import must
from lit_roberta.training.hours import Hours

logger = logging.getLogger(__name__)

DEFAULT_PASSES = 40
"""Passes over the training text; BERT made about 40 (Devlin et al. 2019, appendix A.2)."""


def run_length(
    data: PretrainingDataModule,
    *,
    max_updates: int | None,
    max_epochs: int | float | None,
    hours: Hours | None = None,
) -> int:
    """Compute the length of a run.

    Epochs become updates at once. Inside, there are no epochs: an epoch's end means nothing to
    a stream that a batch may cross, and Lightning restarts a resumed run that has `max_epochs`
    from update 0.

    Args:
        data: Tells how many updates an epoch, or a number of tokens, makes.
        max_updates: Updates, as asked for. None or -1: not asked for.
        max_epochs: Passes over the examples, as asked for. None or -1: not asked for.
        hours: What a time, as asked for, came to. None: not asked for.

    Returns:
        The shortest of them; or as many updates as 40 passes over the training text have tokens.

    Raises:
        UserError: If a length is 0 or negative.
    """
    lengths = []
    if max_updates is not None and max_updates != -1:
        _check_positive("trainer.max_steps", max_updates)
        lengths.append(max_updates)
    if max_epochs is not None and max_epochs != -1:
        _check_positive("trainer.max_epochs", max_epochs)
        lengths.append(data.updates_for("epochs", float(max_epochs)))
    if hours is not None:
        lengths.append(hours.updates)
        if min(lengths) < hours.updates:
            logger.info("The run is shorter than its hours: %s updates.", f"{min(lengths):,}")
    if lengths:
        return min(lengths)
    updates = data.updates_for("tokens", DEFAULT_PASSES * data.parts.train.num_tokens)
    logger.info(
        "No length was asked for (--trainer.max_steps, --trainer.max_epochs, --max_hours): "
        "training for %d updates, as many tokens as %d passes over the training text have.",
        updates,
        DEFAULT_PASSES,
    )
    return updates


def _check_positive(name: str, amount: int | float) -> None:
    if amount <= 0:
        raise must(name, "be 1 or more", amount, "Leave it out for the default length.")
