"""What a run would take, put together from counts, estimates and a trial.

In: a run that was built and not started. Out: a plan, as plain data.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from lit_roberta.advice.copies import say_whether_copies_matter
from lit_roberta.planning.counting import Feed, count_feed
from lit_roberta.planning.room import Room, find_room
from lit_roberta.planning.timing import Timing, time_run
from lit_roberta.planning.unstarted import UnstartedRun
from lit_roberta.training.pace import count_validations


@dataclass(frozen=True, kw_only=True)
class TimePlan:
    """How long a run takes. Seconds of wall time."""

    seconds_per_update: float
    """Mean over the run."""
    tokens_per_second: float
    """Non-padding, while training, over all devices."""
    trial_updates: int
    """Updates that were made to measure it; 0 where one took too long and was given up."""
    training_seconds: int | float
    validations: int
    seconds_per_validation: float
    """From a few of its batches."""
    saves: int
    """Checkpoints, at the most."""
    seconds_per_save: float
    """Estimated, from the size and from how fast a file was written to the temporary folder."""
    total_seconds: int | float
    remaining_seconds: int | float
    """Without what the checkpoint has already."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run would take."""

    feed: Feed
    finished_updates: int
    """That the checkpoint has already."""
    sequences_per_update: int
    """The largest batch."""
    epochs: float
    """Passes over the examples."""
    text_passes: float
    """Passes over the training text, in its tokens."""
    flops_per_update: float
    """Mean over the run."""
    copies: str
    """What the number of masking copies means at so many passes."""
    parameters: int
    room: Room
    peak_bytes: int | None
    """What the trial held at the most, besides the program itself. None: not known."""
    checkpoint_bytes: int
    time: TimePlan
    device: str
    devices: int
    precision: str
    notes: tuple[str, ...]


def make_plan(run: UnstartedRun, *, trial_seconds: int | float, trial_updates: int) -> Plan:
    """Plan a run.

    Args:
        run: Not started.
        trial_seconds: About how long updates may be tried, at the most.
        trial_updates: How many of each kind are tried, besides one that warms up.

    Raises:
        UserError: If not even one sequence fits into memory.
    """
    data, room = run.datamodule, find_room(run)
    timing = time_run(run, room, seconds=trial_seconds, updates=trial_updates)
    total = run.length(timing.pace)
    feed = count_feed(data, run.model.model.config, total=total)
    passes = data.training.passes(total)
    return Plan(
        feed=feed,
        finished_updates=min(run.finished_updates, total),
        sequences_per_update=data.sequences_per_update,
        epochs=sum(passes),
        text_passes=feed.text_tokens / data.parts.train.num_tokens,
        flops_per_update=feed.flops / feed.updates,
        copies=say_whether_copies_matter(max(passes), data.masking.copies),
        parameters=run.num_parameters,
        room=room,
        peak_bytes=timing.peak_bytes,
        checkpoint_bytes=run.checkpoint_bytes,
        time=_time_plan(run, feed, timing),
        device=_name_device(run),
        devices=run.trainer.world_size,
        precision=str(run.trainer.precision),
        notes=_notes(run, room),
    )


def _time_plan(run: UnstartedRun, feed: Feed, timing: Timing) -> TimePlan:
    """Add up what updates, validations and saves take."""
    pace, sizes, total = timing.pace, run.datamodule.sizes(feed.updates), feed.updates
    training = pace.seconds(sizes, total, validations=0, saves=-1)
    validations = count_validations(run.asked["val_check_interval"], total=total, seconds=training)
    saves = total // run.save_every
    whole = pace.seconds(sizes, total, validations=validations, saves=saves)
    return TimePlan(
        seconds_per_update=training / total,
        tokens_per_second=feed.tokens / training,
        trial_updates=timing.updates,
        training_seconds=training,
        validations=validations,
        seconds_per_validation=pace.validation,
        saves=1 + validations + saves,
        seconds_per_save=pace.save,
        total_seconds=whole,
        remaining_seconds=whole * (1 - min(run.finished_updates, total) / total),
    )


def _name_device(run: UnstartedRun) -> str:
    device = run.device
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type}, {torch.get_num_threads()} threads"


def _notes(run: UnstartedRun, room: Room) -> tuple[str, ...]:
    """Say what the figures leave out, and what would not work."""
    notes = []
    if not room.fits:
        notes.append(
            f"A micro-batch of {room.micro_batch_size:,} does not fit: the time was measured with "
            f"--data.micro_batch_size {room.usable_micro_batch_size}."
        )
    if run.trainer.world_size > 1:
        notes.append("Tried on one device with its share: the devices' exchange comes on top.")
    if not room.tried and room.largest_micro_batch_size is None:
        notes.append("The system does not say how much memory is free.")
    if room.memory.validation > room.memory.activations:
        notes.append("A batch of validation takes more memory than a micro-batch of training.")
    return tuple(notes)
