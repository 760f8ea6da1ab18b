"""What a micro-batch takes of the device that the run would have, and the largest that fits.

On CUDA sizes are tried: fragmentation, kernels' workspaces and other programs on the device are in
no formula. Elsewhere the estimate is held against the memory that is available, because a system
that has run out of memory kills instead of saying so.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from lit_roberta.errors import UserError
from lit_roberta.planning.available import available_memory
from lit_roberta.planning.longest import longest_update
from lit_roberta.planning.memory import MemoryEstimate, MicroBatch, Numerics, estimate_memory
from lit_roberta.planning.search import largest_that_fits
from lit_roberta.planning.trial import try_update
from lit_roberta.planning.unstarted import UnstartedRun
from lit_roberta.training.memory import is_out_of_memory
from lit_roberta.training.sharding import FullySharded

_RESIDENT_WHOLE, _RESIDENT_CUT = 2.0, 4.5
"""Times the estimate, for a share that is trained at once and for one that is cut. The estimate is
of what training asks for; glibc's heap keeps holes, and 25 updates on a CPU had up to 1.84 and 4.3
times as much of the system's memory."""


@dataclass(frozen=True, kw_only=True)
class Room:
    """What a run needs of a device's memory, and what there is."""

    share: int
    """Sequences of the largest update that one device gets."""
    micro_batch_size: int
    """Sequences at once, as asked for; the whole share where nothing was."""
    seq: int
    """Tokens of the longest sequence."""
    memory: MemoryEstimate
    available: int | None
    """Bytes that are free on the device. None: the system does not say."""
    largest_micro_batch_size: int | None
    """Sequences, up to the share. None: nothing is known of the memory."""
    tried: bool
    """Whether the largest was tried, and not taken from the estimate."""

    @property
    def usable_micro_batch_size(self) -> int:
        """Sequences at once that a trial may take."""
        largest = self.largest_micro_batch_size
        return self.micro_batch_size if largest is None else min(self.micro_batch_size, largest)

    @property
    def fits(self) -> bool:
        """Whether the run fits as asked for, as far as is known."""
        return self.usable_micro_batch_size == self.micro_batch_size


def find_room(run: UnstartedRun) -> Room:
    """Estimate what a run needs, and find the largest micro-batch that fits.

    Raises:
        UserError: If not even one sequence fits.
    """
    data, device = run.datamodule, run.device
    share = math.ceil(_largest_batch(run) / run.trainer.world_size)
    asked = min(share, data.batch.micro_batch_size or share)
    available, tried = free_memory(run), device.type == "cuda"
    largest: int | None = None
    if tried:
        largest = largest_that_fits(_by_trying(run, share), at_most=share)
    elif available is not None:
        largest = _largest_by_estimate(run, share, available)
    if largest == 0:
        need = estimate(run, 1, share=share).peak / 1e6
        raise UserError(
            f"The memory must hold the model and one sequence, some {need:,.0f} MB, and "
            f"{(available or 0) / 1e6:,.0f} MB are free. Lower the encoder's sizes or "
            "data.max_length, or use more memory."
        )
    return Room(
        share=share,
        micro_batch_size=asked,
        seq=longest_sequence(run),
        memory=estimate(run, asked, share=share),
        available=available,
        largest_micro_batch_size=largest,
        tried=tried,
    )


def estimate(run: UnstartedRun, size: int, *, share: int) -> MemoryEstimate:
    """Estimate what a run needs with so many sequences at once."""
    data, model = run.datamodule, run.model.model
    device, trainer = run.device, run.trainer
    is_mixed = not str(trainer.precision).startswith(("32", "64"))
    seq = longest_sequence(run)
    predicted = math.ceil(data.masking.rate * seq)
    scored = data.evaluation.batch_size
    if size < share:
        scored = min(scored, size)  # no more are scored than are trained at once
    sharded = isinstance(trainer.strategy, FullySharded)
    count = run.num_parameters
    return estimate_memory(
        model.config,
        num_parameters=math.ceil(count / trainer.world_size) if sharded else count,
        training=MicroBatch(sequences=size, seq=seq, predicted=predicted),
        is_cut=size < share,
        validation=MicroBatch(sequences=scored, seq=seq, predicted=predicted),
        numerics=Numerics(
            fused_attention=device.type != "cpu",
            value_bytes=2 if is_mixed else 4,
            mask_bytes=4 if device.type == "cpu" else 1,
        ),
    )


def longest_sequence(run: UnstartedRun) -> int:
    """Give the tokens of the longest sequence that the run has."""
    data = run.datamodule
    # The random B of a pair may be longer than the true one.
    return data.packing.max_length if data.pairs else data.examples.longest


def free_memory(run: UnstartedRun) -> int | None:
    """Tell how many bytes of the device a run could have, the model's weights included."""
    device = run.device
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    free = available_memory()
    if free is None or device.type != "cpu":
        return None
    weights = sum(each.numel() * each.element_size() for each in run.model.parameters())
    return (free + weights) // max(1, run.trainer.num_devices)


def _largest_batch(run: UnstartedRun) -> int:
    text = run.datamodule.training
    return max(text.full_batch(stage) for stage in range(text.num_stages))


def _largest_by_estimate(run: UnstartedRun, share: int, available: int) -> int:
    """Find the largest micro-batch by the estimate; a share that is not cut needs less of it."""

    def fits(size: int) -> bool:
        times = _RESIDENT_CUT if size < share else _RESIDENT_WHOLE
        return times * estimate(run, size, share=share).peak <= available

    if fits(share):
        return share
    return largest_that_fits(fits, at_most=share - 1) if share > 1 else 0


def _by_trying(run: UnstartedRun, share: int) -> Callable[[int], bool]:
    seq = longest_sequence(run)
    return lambda size: survives(
        lambda: try_update(run, longest_update(run.datamodule, size, share=share, seq=seq))
    )


def survives(attempt: Callable[[], None]) -> bool:
    """Tell whether something can be done without running out of memory."""
    try:
        attempt()
    except UserError:
        raise
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        return False
    finally:
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    return True
