"""Yes or no for each answer of a question; the answers of a question are judged together."""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.judging.groups import (
    JudgedCandidate,
    check_group_metrics,
    group_scores,
)
from lit_roberta.finetuning.predictions import LabelPrediction
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.tasks.classification import Classification


class GroupedClassification(Classification):
    """Two labels, of which the second says that an answer is right."""

    metrics = ("f1_a", "exact_match")
    learns_from_lines = False
    scores_of_second = ("f1_a",)

    @classmethod
    def read(cls, source: str, reading: LabelledReading) -> list[TextExample]:
        """Refuse files of one's own: rows do not say what belongs together."""
        remedy = "Its examples belong together as its folder has them: give --data.folder."
        raise must("data.train, data.validation and data.test", "be left out", source, remedy)

    def scores(
        self, examples: Sequence[TextExample], predictions: Sequence[LabelPrediction]
    ) -> dict[str, float]:
        """Judge the answers of each question together."""
        check_group_metrics(self.metrics)
        yes = self.labels[1]
        candidates = [
            JudgedCandidate(
                group=example.group or "",
                candidate=example.candidate or "",
                is_right=example.label == yes,
                is_chosen=prediction.label == yes,
                probability=prediction.probabilities[yes],
            )
            for example, prediction in zip(examples, predictions, strict=True)
            if example.label is not None
        ]
        return group_scores(candidates, metrics=self.metrics) if candidates else {}

    @classmethod
    def units(cls, examples: Sequence[TextExample]) -> list[list[int]]:
        """Keep the answers of a question together: they are right or wrong with each other."""
        found: dict[str | None, list[int]] = {}
        for number, example in enumerate(examples):
            found.setdefault(example.group, []).append(number)
        return list(found.values())
