"""What a comparison found, as it is written to results.json.

Only numbers and names live here; losses are in nats per predicted token. The verdict, the charts
and the report are computed from these and from nothing else.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from lit_roberta.comparison.facts import Failure, PartFacts, Recipe, TextFacts, TuningRow
from lit_roberta.comparison.judging.claims import Arm
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.judging.gains import RungGain
from lit_roberta.comparison.judging.grid_verdict import HalvingRow, grid_pairs, with_best_points
from lit_roberta.comparison.judging.ladder_verdict import judge_ladder, reach_ladder_verdict
from lit_roberta.comparison.judging.luck import Luck, split_luck
from lit_roberta.comparison.judging.probe_judging import (
    Answers,
    ProbeJudgement,
    gather,
    judge_probes,
)
from lit_roberta.comparison.judging.probe_verdict import point_to_probes
from lit_roberta.comparison.judging.shared_words import UNIT, SharedWords
from lit_roberta.comparison.judging.task_scores import TaskScores, judge_tasks
from lit_roberta.comparison.judging.task_verdict import point_to_tasks
from lit_roberta.comparison.judging.verdict import Verdict, reach_verdict
from lit_roberta.comparison.runs.run import Run
from lit_roberta.finetuning.evaluation.significance import Difference

__all__ = ["Failure", "PartFacts", "Recipe", "Results", "TextFacts", "TuningRow"]


_EACH_TUNED = (
    "Each arm has a learning rate of its own, chosen on validation text: every switch comes with "
    "the rate that suits it."
)


@dataclass(frozen=True, kw_only=True)
class Results:
    """Everything that the report says, and what it computes it from."""

    text: TextFacts
    budget: dict[str, Any]
    recipes: list[Recipe]
    runs: list[Run]
    failures: list[Failure] = field(default_factory=list)
    tuning: list[TuningRow] = field(default_factory=list)
    halving: list[HalvingRow] = field(default_factory=list)
    """The rounds behind the arms of a grid, where points were dropped on the way."""
    finetuned: list[TaskScores] = field(default_factory=list)
    """What the runs came to as fine-tuned models; by task and recipe."""
    design: Design = field(default_factory=Design)
    """How the arms relate to one another."""
    command: str
    environment: dict[str, Any]
    seconds: float
    """From the start of the command to the report."""

    @property
    def log_vocab(self) -> float:
        """Loss of a guess without any knowledge: ln of the vocabulary's size."""
        return math.log(self.text.vocab_size)

    @property
    def formats(self) -> list[str]:
        """The compared formats: those that some recipe was trained on."""
        return list(dict.fromkeys(recipe.format for recipe in self.recipes))

    def runs_of(self, recipe: str) -> list[Run]:
        """Give the finished runs of a recipe, by seed."""
        return sorted((run for run in self.runs if run.recipe == recipe), key=lambda run: run.seed)

    def finished(self) -> list[Recipe]:
        """Give the recipes of which at least one run has finished."""
        return [recipe for recipe in self.recipes if self.runs_of(recipe.name)]

    def arms(self) -> list[Arm]:
        """Give what the judges read of the finished runs."""
        return [self._arm(recipe) for recipe in self.finished()]

    def _arm(self, recipe: Recipe) -> Arm:
        runs, words = self.runs_of(recipe.name), self.words
        counts = words.counts if words else self.runs[0].document_predictions
        assert words or all(run.document_predictions == counts for run in runs), "same tokens"
        return Arm(
            name=recipe.name,
            format=recipe.format,
            seeds=tuple(run.seed for run in runs),
            nats={
                format: np.asarray(
                    [
                        words.nats(run, format) if words else run.heldout[format].document_nats
                        for run in runs
                    ]
                )
                for format in self.formats
            },
            counts=np.asarray(counts, dtype=np.int64),
            same_as=recipe.same_as,
            stream=recipe.stream,
            unjudged=recipe.unjudged,
            unit=UNIT if words else "masked token",
        )

    @cached_property
    def words(self) -> SharedWords | None:
        """The words that judge recipes with different tokens; None where all have the same."""
        recipes = self.finished()
        if len({recipe.tokenizer for recipe in recipes}) < 2:
            return None
        return SharedWords({each.name: self.runs_of(each.name) for each in recipes}, self.formats)

    def unigram(self) -> np.ndarray:
        """Give what frequencies alone would cost each test document, in what the judges read."""
        return self.words.floor() if self.words else np.asarray(self.text.document_unigram_nats)

    def answers(self) -> list[Answers]:
        """Give what the probed runs answered; nothing where no run was probed."""
        own = [recipe.name for recipe in self.finished() if recipe.same_as is None]
        rows = {
            name: [run.probes.right for run in self.runs_of(name) if run.probes is not None]
            for name in own
        }
        return gather({name: answers for name, answers in rows.items() if answers})

    def verdict(self) -> Verdict:
        """Judge the finished runs, of which there must be one."""
        verdict = point_to_tasks(
            self._reach_verdict(),
            self.task_differences(),
            decides=self.design.judge == "fine-tuning",
        )
        said = [self.words.facts().sentence()] if self.words else []
        return replace(verdict, sentences=[*said, *verdict.sentences])

    def _reach_verdict(self) -> Verdict:
        if self.design.rungs:
            found = reach_ladder_verdict(self.design, self.arms(), self.unigram(), self.answers())
            tuned = [_EACH_TUNED] if any(recipe.tuned for recipe in self.recipes) else []
            return replace(found, sentences=[*tuned, *found.sentences])
        finished, asked = self.finished(), self.asked_pairs()
        verdict = reach_verdict(
            self.arms(),
            self.unigram(),
            failed=[recipe.name for recipe in self.recipes if recipe not in finished],
            asked=asked,
        )
        verdict = point_to_probes(verdict, self.answers(), asked=asked)
        if self.design.kind == "grid":
            return with_best_points(verdict, self.validation_losses(), self.design)
        luck = self.luck()
        if luck is None:
            return verdict
        headline, *sentences = luck.sentences()
        return replace(verdict, kind="luck", winner=None, headline=headline, sentences=sentences)

    def gains(self) -> list[RungGain]:
        """Give what each rung of a ladder brings, in their order; nothing without a ladder."""
        return judge_ladder(self.design, self.arms(), self.unigram(), self.answers())[1]

    def probe_judgements(self) -> list[ProbeJudgement]:
        """Judge the pairs of probed recipes that are in question; nothing where none was."""
        return judge_probes(self.answers(), asked=self.asked_pairs())

    def task_differences(self) -> list[Difference]:
        """Judge the fine-tuned pairs in question; nothing where only luck is asked for."""
        if self.design.kind == "seeds":
            return []
        return judge_tasks(self.finetuned, asked=self.asked_pairs())

    def asked_pairs(self) -> list[tuple[str, str]] | None:
        """Name the pairs of arms that are in question; None for all of them."""
        if self.design.kind == "grid" and self.design.judge == "loss":
            return grid_pairs(self.validation_losses())
        return self.design.pairs()

    def validation_losses(self) -> dict[str, dict[str, list[float]]]:
        """Give the validation loss of each finished run by file and name of its recipe."""
        losses: dict[str, dict[str, list[float]]] = {}
        for recipe in self.finished():
            own = losses.setdefault(Path(recipe.source).stem, {})
            own[recipe.name] = [run.validation_loss for run in self.runs_of(recipe.name)]
        return losses

    def luck(self) -> Luck | None:
        """Split what runs differ by, where that was asked for and every run has finished."""
        losses = self.luck_losses()
        return None if losses is None else split_luck(losses)

    def luck_losses(self) -> Float64[np.ndarray, "orders weights"] | None:
        """Give the loss of each pair of an order and initial weights, where all are there."""
        if self.design.kind != "seeds":
            return None
        rows = [
            [run.heldout[recipe.format].mlm_loss for run in self.runs_of(recipe.name)]
            for recipe in self.finished()
        ]
        whole = len(rows) == len(self.recipes) and len({*map(len, rows)}) == 1
        return np.asarray(rows) if whole and len(rows[0]) > 1 else None

    def as_json(self) -> dict[str, Any]:
        """Give everything as plain values, the verdict first."""
        plain = asdict(self)
        return {
            "verdict": asdict(self.verdict()),
            "unigram_loss": self.text.unigram_loss,
            "log_vocab": self.log_vocab,
            "unk_share": self.text.parts["test"].unk_share,
            "words": asdict(self.words.facts()) if self.words else None,
            **plain,
        }
