"""A plan, to be read by a person and by a machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from lit_roberta.planning.plan import Plan

FORMAT = 1
"""Of the JSON: it rises when a key changes its name or its meaning."""

Row = tuple[str, str, str]
"""What, how much with its unit, and where that comes from."""


def as_json(plan: Plan) -> str:
    """Write a plan for machines: bytes, seconds and operations as plain numbers."""
    memory, room = plan.room.memory, plan.room
    values: dict[str, Any] = {
        "format": FORMAT,
        **asdict(plan.feed),
        "finished_updates": plan.finished_updates,
        "sequences_per_update": plan.sequences_per_update,
        "epochs": plan.epochs,
        "text_passes": plan.text_passes,
        "flops_per_update": plan.flops_per_update,
        "copies": plan.copies,
        "parameters": plan.parameters,
        "checkpoint_bytes": plan.checkpoint_bytes,
        "memory": {
            **{f"{name}_bytes": size for name, size in asdict(memory).items()},
            "measured_peak_bytes": plan.peak_bytes,
            "available_bytes": room.available,
            "share": room.share,
            "longest_sequence": room.seq,
            "micro_batch_size": room.micro_batch_size,
            "largest_micro_batch_size": room.largest_micro_batch_size,
            "largest_was_tried": room.tried,
        },
        "time": asdict(plan.time),
        "device": plan.device,
        "devices": plan.devices,
        "precision": plan.precision,
        "notes": list(plan.notes),
    }
    return json.dumps(values, indent=1, allow_nan=False)


def as_table(plan: Plan) -> Group:
    """Lay out a plan for a person."""
    table = Table("", "", "", show_header=False, box=None, pad_edge=False)
    table.columns[1].justify = "right"
    for title, rows in (
        ("Length", _length(plan)),
        ("Work", _work(plan)),
        ("Memory of one device", _memory(plan)),
        ("Time", _time(plan)),
    ):
        table.add_row(Text(title, style="bold"))
        for name, figure, source in rows:
            table.add_row(Text(f"  {name}"), Text(figure), Text(source, style="dim"))
    return Group(table, *(Text(line) for line in (plan.copies, *plan.notes)))


def _length(plan: Plan) -> Iterator[Row]:
    feed = plan.feed
    counted = "counted" if feed.exact else f"from {feed.updates_counted:,} of them, evenly spread"
    done = f"{plan.finished_updates:,} of them done" if plan.finished_updates else ""
    yield "updates", f"{feed.updates:,}", done
    yield "sequences", f"{feed.sequences:,}", f"up to {plan.sequences_per_update:,} an update"
    yield "tokens", f"{feed.tokens:,.0f}", f"without padding; {counted}"
    yield "predictions", f"{feed.predictions:,.0f}", "masked tokens"
    yield "epochs", f"{plan.epochs:,.2f}", "passes over the examples"
    yield "passes over the text", f"{plan.text_passes:,.2f}", "in its tokens"


def _work(plan: Plan) -> Iterator[Row]:
    yield "parameters", f"{plan.parameters:,}", ""
    yield "an update", _scaled(plan.flops_per_update, "FLOP"), "forward and backward, on average"
    yield "in all", _scaled(plan.feed.flops, "FLOP"), "matrix products, as they are computed"


def _memory(plan: Plan) -> Iterator[Row]:
    memory, room = plan.room.memory, plan.room
    yield "weights", _scaled(memory.weights, "B"), ""
    yield "gradients", _scaled(memory.gradients, "B"), ""
    yield "Adam's moments", _scaled(memory.moments, "B"), ""
    at_once = f"{room.micro_batch_size:,} of {room.share:,} sequences at once, {room.seq:,} tokens"
    yield "activations", _scaled(memory.activations, "B"), at_once
    yield "a validation", _scaled(memory.validation, "B"), ""
    yield "together", _scaled(memory.peak, "B"), "estimate; not all at one time"
    if plan.peak_bytes is not None:
        yield "in the trial", _scaled(plan.peak_bytes, "B"), "measured"
    if room.available is not None:
        yield "available", _scaled(room.available, "B"), "now"
    if room.largest_micro_batch_size is not None:
        how = "tried" if room.tried else "by the estimate"
        limit = ", the whole share" if room.largest_micro_batch_size == room.share else ""
        yield "largest micro-batch", f"{room.largest_micro_batch_size:,}", f"{how}{limit}"


def _time(plan: Plan) -> Iterator[Row]:
    time, device = plan.time, f"{plan.device}, {plan.precision}"
    tried = f"{time.trial_updates} tried" if time.trial_updates else "from some micro-batches"
    yield "an update", _duration(time.seconds_per_update), f"{tried} on {device}"
    yield "speed", f"{time.tokens_per_second:,.0f} tokens/s", f"devices: {plan.devices}"
    yield "training", _duration(time.training_seconds), ""
    each = _duration(time.seconds_per_validation)
    yield "validations", f"{time.validations:,}", f"{each} each, from a few batches"
    each, size = _duration(time.seconds_per_save), _scaled(plan.checkpoint_bytes, "B")
    yield "checkpoints", f"{time.saves:,} at most", f"{each} for {size} each, estimated"
    yield "in all", _duration(time.total_seconds), ""
    if plan.finished_updates:
        yield "left", _duration(time.remaining_seconds), ""


def _scaled(amount: int | float, unit: str) -> str:
    """Write an amount with a prefix of its unit.

    Example:
        >>> _scaled(79_333_824, "B"), _scaled(12, "B")
        ('79.3 MB', '12 B')
    """
    for prefix, size in (
        ("E", 1e18),
        ("P", 1e15),
        ("T", 1e12),
        ("G", 1e9),
        ("M", 1e6),
        ("k", 1e3),
    ):
        if amount >= size:
            return f"{amount / size:,.1f} {prefix}{unit}"
    return f"{amount:,.0f} {unit}"


def _duration(seconds: int | float) -> str:
    """Write a time in the unit that suits it.

    Example:
        >>> [_duration(seconds) for seconds in (0.0123, 45.6, 5400.0, 200_000.0)]
        ['12.3 ms', '45.6 s', '1.5 h', '2.3 days']
    """
    for unit, size in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{1000 * seconds:,.1f} ms"
