"""The tasks that a model may be fine-tuned for: their labels, and what Hugging Face calls them.

In: what fine-tuning knows. Out: a `Task`, the name of its class and the names of its weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lit_roberta.errors import must
from lit_roberta.exchange.names import Family, their_names
from lit_roberta.model.task_heads import TASK_KINDS, TaskKind

ProblemType = Literal["regression", "single_label_classification", "multi_label_classification"]
"""What the labels of a text are: a number each, one of all, or any of them."""

CLASSES: Mapping[TaskKind, str] = {
    "sequence-classification": "ForSequenceClassification",
    "token-classification": "ForTokenClassification",
    "question-answering": "ForQuestionAnswering",
    "multiple-choice": "ForMultipleChoice",
}
"""By kind: what the names of its classes end with, behind `Bert`, `Roberta`, ..."""

_OUTPUTS: Mapping[TaskKind, int] = {"question-answering": 2, "multiple-choice": 1}
"""Of the kinds that have no labels of their own."""

LABELLED = tuple(kind for kind in TASK_KINDS if kind not in _OUTPUTS)

HEAD = "task_head."
"""What our names of a head's weights begin with."""

POOLED: Mapping[str, str] = {f"{HEAD}dense": "pooler.dense", f"{HEAD}classifier": "classifier"}


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a model was fine-tuned for.

    Raises:
        UserError: If there is no such kind or type, or the labels do not fit it.
    """

    kind: TaskKind
    labels: Sequence[str] = ()
    """Of the rows of the classifier, in order. Empty for answers and choices, which have none."""
    problem_type: ProblemType | None = None
    """Of sequence classification. None: a number where there is one label, else what the labels'
    type tells, as in transformers."""
    dropout: float | None = None
    """Of the head; None for the encoder's."""

    def __post_init__(self) -> None:
        if self.kind not in TASK_KINDS:
            known = ", ".join(TASK_KINDS)
            raise must("the task", f"be one of {known}", self.kind, "Nothing else is implemented.")
        object.__setattr__(self, "labels", tuple(self.labels))
        if self.kind in _OUTPUTS and self.labels:
            raise must(
                f"the labels of {self.kind}", "be left out", list(self.labels), "It has none."
            )
        if self.kind not in _OUTPUTS and not self.labels:
            raise must(f"the labels of {self.kind}", "be named", "none", "Give one at the least.")
        rate = self.dropout
        if rate is not None and not 0 <= rate <= 1:
            rule = "be a number from 0 to 1"
            raise must("classifier_dropout", rule, rate, "Leave it out for the encoder's.")
        self._check_problem_type()

    def _check_problem_type(self) -> None:
        kind = self.problem_type
        if kind is None:
            return
        if kind not in get_args(ProblemType):
            known = ", ".join(get_args(ProblemType))
            raise must("problem_type", f"be one of {known}", kind, "Leave it out.")
        if self.kind != "sequence-classification":
            rule = "be left out but for sequence-classification"
            raise must("problem_type", rule, kind, "It has no effect there.")
        if kind == "single_label_classification" and len(self.labels) == 1:
            remedy = "With one label it is a number: regression."
            raise must("problem_type", "be another for one label", kind, remedy)

    @property
    def num_outputs(self) -> int:
        """Rows of the classifier."""
        return _OUTPUTS.get(self.kind, len(self.labels))

    @property
    def id2label(self) -> dict[int, str]:
        """Labels by row."""
        return dict(enumerate(self.labels))

    @property
    def is_regression(self) -> bool:
        """Whether its logits are numbers to come close to."""
        if self.kind != "sequence-classification":
            return False
        return (
            self.problem_type or ("regression" if len(self.labels) == 1 else "")
        ) == "regression"

    def check_rows(self, rows: int) -> None:
        """See that there is a label for each row.

        Args:
            rows: Of the classifier.

        Raises:
            UserError: If there are more or fewer.
        """
        if rows == self.num_outputs:
            return
        if self.kind in _OUTPUTS:
            rule = f"have {self.num_outputs} rows for {self.kind}"
            raise must("the classifier", rule, rows, "It is another task's.")
        remedy = "The labels (id2label) and the weights are not of one model."
        raise must(
            "the labels",
            f"be {rows}, one for each row of the classifier",
            len(self.labels),
            remedy,
        )


def names_with_task(
    family: Family, *, num_layers: int, kind: TaskKind | None
) -> dict[str, tuple[str, ...]]:
    """Name the tensors of theirs that make up each of ours, with those of a task's head.

    Args:
        family: Whose names.
        num_layers: Transformer layers.
        kind: The task; None for a pretrained model.
    """
    table = their_names(family, num_layers=num_layers)
    if kind is None:
        return table
    head = {
        f"{ours}.{part}": (f"{theirs}.{part}",)
        for ours, theirs in _modules(kind, family).items()
        for part in ("weight", "bias")
    }
    taken = {name for names in head.values() for name in names}
    return {ours: names for ours, names in table.items() if not taken & set(names)} | head


def classifier_name(kind: TaskKind, family: Family) -> str:
    """Give their name of the last layer of a head."""
    return _modules(kind, family)[f"{HEAD}classifier"]


def _modules(kind: TaskKind, family: Family) -> Mapping[str, str]:
    if kind == "question-answering":
        return {f"{HEAD}classifier": "qa_outputs"}
    if kind == "token-classification":
        return {f"{HEAD}classifier": "classifier"}
    if kind == "sequence-classification" and family == "roberta":
        return {f"{HEAD}dense": "classifier.dense", f"{HEAD}classifier": "classifier.out_proj"}
    return POOLED
