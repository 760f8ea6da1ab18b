"""What a run says of its updates: how many, how large, and what of it the run is too short for."""

from __future__ import annotations

from collections.abc import Iterator

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.sizes import UpdateSizes


def describe_updates(data: PretrainingDataModule, total: int) -> Iterator[str]:
    """Say what the updates of a run are, a line each.

    Where there are stages of length, nothing is said that a later stage would have to be packed
    for.

    Args:
        data: Tells what an update is.
        total: Updates of the run.
    """
    sizes = data.sizes(total)
    if len(sizes.stages) == 1:
        yield (
            f"Training: {total:,} updates of {_batch(sizes, data, 0)} (some "
            f"{data.sequences_per_update * data.tokens_per_sequence:,.0f} tokens), "
            f"{data.training.passes(total)[0]:.1f} passes over {data.num_examples:,} examples."
        )
    else:
        yield f"Training: {total:,} updates in {len(sizes.stages)} stages of length."
        yield from _describe_stages(sizes, data, total)
        if sizes.stages != data.training.sizes(total).stages:
            yield "Stages start where they were to start at first, not at shares of this length."
    yield from _describe_ramp(sizes, total)


def _batch(sizes: UpdateSizes, data: PretrainingDataModule, stage: int) -> str:
    at_once = data.batch.micro_batch_size
    limit = "" if at_once is None else f", at most {at_once:,} at once"
    return f"{sizes.stages[stage].batch_size:,} sequences{limit}"


def _describe_stages(sizes: UpdateSizes, data: PretrainingDataModule, total: int) -> Iterator[str]:
    numbers = dict(sizes.by_stage(range(total)))
    for stage, (_, max_length, _) in enumerate(sizes.stages):
        if stage not in numbers:
            yield f"Length {max_length:,}: no update, because the run is too short for its share."
            continue
        span = f"updates {numbers[stage].start + 1:,} to {numbers[stage].stop:,}"
        yield f"Length {max_length:,}: {span} of {_batch(sizes, data, stage)}."


def _describe_ramp(sizes: UpdateSizes, total: int) -> Iterator[str]:
    ramp = sizes.ramp
    if ramp.start is None:
        return
    yield f"The batch grows from {ramp.start:,} sequences in the first {ramp.length:,} updates."
    if total < ramp.length:
        reached = sizes.at(total - 1).batch_size
        yield f"The run ends before the batch is full: at {reached:,} sequences."
