"""How long the updates of a run take: a few of each stage of length are made on one device.

In: a run that was built and not started. Out: a pace, from which any length of run follows. Where
the batch grows, its smallest update is timed besides the full one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from lit_roberta.planning.available import forget_peak, resident_now, resident_peak
from lit_roberta.planning.room import Room
from lit_roberta.planning.saving import seconds_to_write
from lit_roberta.planning.trial import time_updates, time_validation
from lit_roberta.planning.unstarted import UnstartedRun
from lit_roberta.training.pace import Pace, StagePace


@dataclass(frozen=True, kw_only=True)
class Timing:
    """What a trial gave."""

    pace: Pace
    updates: int
    """That were timed; 0 where one took too long and was given up between micro-batches."""
    peak_bytes: int | None
    """The most that the trial held: weights, moments, gradients and graphs. None: not known."""


def time_run(run: UnstartedRun, room: Room, *, seconds: int | float, updates: int) -> Timing:
    """Try a few updates of each stage, a validation and the writing of a file.

    Args:
        run: Not started.
        room: Tells how many sequences fit at once.
        seconds: About how long updates may be tried, at the most.
        updates: How many are tried of each kind, besides one that warms up.
    """
    text = run.datamodule.training
    kinds = [
        (stage, batch_size)
        for stage in range(text.num_stages)
        for batch_size in _batches(run, stage)
    ]
    before = _start_to_measure(run)
    points: dict[int, list[tuple[int, float]]] = {}
    tried = 0
    for stage, batch_size in kinds:
        alone = run.datamodule.alone(stage, batch_size=batch_size)
        batch = replace(alone.training.batch, micro_batch_size=room.usable_micro_batch_size)
        alone.training = replace(alone.training, batch=batch)
        result = time_updates(run, alone, seconds=seconds / len(kinds), updates=updates)
        points.setdefault(stage, []).append((batch_size, result.seconds_per_update))
        tried += result.updates
    pace = Pace(
        stages=[StagePace.through(*points[stage]) for stage in sorted(points)],
        validation=time_validation(run),
        save=seconds_to_write(run.checkpoint_bytes),
    )
    return Timing(pace=pace, updates=tried, peak_bytes=_peak_since(run, before))


def _batches(run: UnstartedRun, stage: int) -> list[int]:
    """Choose the batches to time: the smallest of the ramp, if there is one, and the full one."""
    start = run.datamodule.batch_ramp.start
    full = run.datamodule.training.full_batch(stage)
    return [full] if start is None or start >= full else [start, full]


def _start_to_measure(run: UnstartedRun) -> int | None:
    """Forget earlier peaks; give what is held already, besides the weights."""
    if run.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(run.device)
        return 0
    now = resident_now() if forget_peak() else None
    weights = sum(each.numel() * each.element_size() for each in run.model.parameters())
    return None if now is None else now - weights


def _peak_since(run: UnstartedRun, before: int | None) -> int | None:
    if run.device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(run.device))
    peak = resident_peak()
    return None if peak is None or before is None else peak - before
