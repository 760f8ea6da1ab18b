"""The training part of a text as updates: what each of them is, and the stream that gives it.

In: a tokenized corpus and the settings of a recipe. Out: examples, sizes and streams, by stage of
length; the last stage is the rest of the run. Text is packed for a stage when it is first asked
for, so a run holds the examples of the stage that it is in, and of none before it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from lit_roberta.data.batching import BatchConfig, BudgetUnit, updates_for
from lit_roberta.data.examples.mixture import Mixture
from lit_roberta.data.examples.packing import Examples, PackingConfig
from lit_roberta.data.growth import NO_RAMP, BatchRamp, LengthStage, stage_starts
from lit_roberta.data.preparation.packed import packed_examples
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import StageSize, UpdateSizes
from lit_roberta.data.stream import UpdateStream, first_epoch
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class TrainingText:
    """The training part of a text under one recipe. Stages count from 0."""

    corpus: TokenizedCorpus
    vocabulary: Vocabulary
    packing: PackingConfig
    """Of the last stage; the others differ from it in their length alone."""
    masking: MaskingConfig
    batch: BatchConfig
    ramp: BatchRamp
    stages: Sequence[LengthStage]
    """All but the last one."""
    seed: int
    segments: bool
    """Whether B gets segment 1."""
    shares: Sequence[float] | None = None
    """Of each source in training, by its number. None: each example once in an epoch."""
    identity: str | None = None
    """What the corpus is known by, where its examples may be kept. None: they are not."""
    _packed: dict[int, Examples] = field(default_factory=dict, repr=False)
    _facts: dict[int, tuple[int, float]] = field(default_factory=dict, repr=False)

    @property
    def num_stages(self) -> int:
        """Stages of a run, the last included."""
        return len(self.stages) + 1

    @property
    def last_stage(self) -> int:
        """The stage at data.max_length, which a run ends in and is judged at."""
        return len(self.stages)

    @cached_property
    def packings(self) -> tuple[PackingConfig, ...]:
        """How the text is packed in each stage."""
        shorter = (replace(self.packing, max_length=stage.max_length) for stage in self.stages)
        return (*shorter, self.packing)

    # ---- the examples of a stage

    def examples(self, stage: int) -> Examples:
        """Give the examples of a stage, as spans."""
        if stage not in self._packed:
            self._packed[stage] = packed_examples(
                self.corpus, self.packings[stage], seed=self.seed, identity=self.identity
            )
        return self._packed[stage]

    def num_examples(self, stage: int) -> int:
        """Count the examples of an epoch."""
        return self._measured(stage)[0]

    def tokens_per_sequence(self, stage: int) -> float:
        """Give the mean length of an example in tokens, special tokens included."""
        return self._measured(stage)[1]

    def visit(self, epoch: int, *, stage: int) -> int:
        """Give the visit that an epoch of a stage is: the key of its masks and partners."""
        return first_epoch(stage) + int(self.masking.visit(np.array([epoch]))[0])

    def let_go(self, stages: Iterable[int]) -> None:
        """Forget the examples of stages; whoever asks for them again waits for them again."""
        for stage in stages:
            self._packed.pop(stage, None)

    def alone(self, stage: int, *, batch_size: int) -> TrainingText:
        """Give a text that has one stage, at one batch, all through."""
        return replace(
            self,
            packing=self.packings[stage],
            batch=replace(self.batch, batch_size=batch_size, batch_tokens=None),
            ramp=NO_RAMP,
            stages=(),
            _packed={0: self.examples(stage)},
            _facts={0: self._measured(stage)},
        )

    def _measured(self, stage: int) -> tuple[int, float]:
        if stage not in self._facts:
            examples = self.examples(stage)
            self._facts[stage] = (len(examples), examples.total_length / len(examples))
        return self._facts[stage]

    # ---- the updates

    def full_batch(self, stage: int) -> int:
        """Count the sequences of an update of a stage behind the ramp, over all devices."""
        own = self.stages[stage].batch_size if stage < self.last_stage else None
        if own is not None:
            return own
        return self.batch.sequences(lambda: self.tokens_per_sequence(stage))

    def sizes(self, total: int, *, starts: Sequence[int] | None = None) -> UpdateSizes:
        """Tell what each update of a run is.

        Args:
            total: Updates of the run.
            starts: The first update of each stage, where that was fixed earlier. None: by the
                stages' shares of the run.

        Raises:
            UserError: If the ramp starts above the batch of a stage.
        """
        first = stage_starts(self.stages, total=total) if starts is None else starts
        stages = (
            StageSize(start, packing.max_length, self.full_batch(stage))
            for stage, (start, packing) in enumerate(zip(first, self.packings, strict=True))
        )
        return UpdateSizes(tuple(stages), self.ramp)

    def passes(self, total: int) -> list[float]:
        """Count the passes that a run makes over the examples of each stage."""
        sizes = self.sizes(total)
        return [
            sizes.sequences(0, total, stage=stage) / self.num_examples(stage)
            for stage in range(self.num_stages)
        ]

    def updates_for(self, unit: BudgetUnit, amount: float | int) -> int:
        """Turn an amount of training into a number of updates, rounded up."""
        if unit == "updates":
            return max(1, int(-(-amount // 1)))
        return updates_for(
            amount,
            sizes_of=self.sizes,
            worth=[self._worth(unit, stage) for stage in range(self.num_stages)],
        )

    def _worth(self, unit: BudgetUnit, stage: int) -> float:
        """Give what a sequence of a stage counts in a unit."""
        if unit == "tokens":
            return self.tokens_per_sequence(stage)
        return 1.0 if unit == "sequences" else 1 / self.num_examples(stage)

    def stream(
        self, stage: int, *, sizes: UpdateSizes, rank: int = 0, world_size: int = 1
    ) -> UpdateStream:
        """Build the stream of one rank in one stage, and let go of the stages before it."""
        self.let_go(range(stage))
        self._warn_of_a_large_batch(stage, sizes.stages[stage].batch_size)
        return UpdateStream(
            self.corpus,
            self.examples(stage),
            self.vocabulary,
            masking=self.masking,
            sizes=sizes,
            stage=stage,
            micro_batch_size=self.batch.micro_batch_size,
            seed=self.seed,
            segments=self.segments,
            mixture=Mixture.of(self.examples(stage), self.corpus, self.shares),
            rank=rank,
            world_size=world_size,
        )

    def _warn_of_a_large_batch(self, stage: int, batch_size: int) -> None:
        if batch_size > self.num_examples(stage) / 2:
            logger.warning(
                "A batch of %d sequences is more than half of the %d training examples: an update "
                "sees most of the text at once.",
                batch_size,
                self.num_examples(stage),
            )
