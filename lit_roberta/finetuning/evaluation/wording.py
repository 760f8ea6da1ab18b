"""What is said of differences, in sentences."""

from __future__ import annotations

from lit_roberta.finetuning.evaluation.significance import (
    FEWEST_EXAMPLES,
    FEWEST_RUNS,
    SMALLEST_DIFFERENCE,
    Difference,
)
from lit_roberta.statistics import Interval


def say_difference(difference: Difference) -> str:
    """Say which of two models is better at a task, or why that can't be told."""
    names = f"{difference.first} and {difference.second}"
    ends = _ends(difference)
    if difference.verdict == "better":
        other = {difference.first, difference.second} - {difference.better}
        said = f"{difference.better} is better than {other.pop()} by "
        said += f"{abs(difference.estimate):.4f}{ends}; p {_p(difference)} after correction."
    elif difference.verdict == "no-difference":
        said = f"{names} do not differ by more than {SMALLEST_DIFFERENCE:g}{ends}."
    elif difference.verdict == "not-learned":
        said = f"Neither {difference.first} nor {difference.second} has learned the task."
    elif difference.verdict == "too-few":
        said = _too_few(difference)
    elif difference.verdict == "not-paired":
        said = f"It can't be told: {names} were not judged on the same examples."
    else:
        said = f"It can't be told which of {names} is better: the difference is "
        said += f"{difference.estimate:+.4f}{ends}; p {_p(difference)} after correction."
        said += _needed(difference)
    return f"{difference.task}: {said}"


def _p(difference: Difference) -> str:
    value = 1.0 if difference.p_value is None else difference.p_value
    return f"= {value:.3f}" if value >= 0.001 else "< 0.001"


def _too_few(difference: Difference) -> str:
    figures = f"{_gain(difference)} is {difference.estimate:+.4f}"
    if min(difference.runs) < FEWEST_RUNS:
        rule = f"a verdict takes {FEWEST_RUNS} runs of each, and there are "
        rule += f"{difference.runs[0]} and {difference.runs[1]}"
    else:
        rule = f"a verdict takes {FEWEST_EXAMPLES} labelled examples, and there are "
        rule += f"{difference.num_examples}"
    return f"Figures only: {figures}; {rule}.{_needed(difference)}"


def _needed(difference: Difference) -> str:
    if difference.runs_needed is None or difference.runs_needed <= max(difference.runs):
        return ""
    return f" A difference of this size would take about {difference.runs_needed} runs of each."


def _ends(difference: Difference) -> str:
    parts = [
        f"over {unit} {interval.low:+.4f} to {interval.high:+.4f}"
        for unit, interval in _both(difference)
        if interval is not None
    ]
    return f" (95% interval of {_gain(difference)} {', '.join(parts)})"


def _gain(difference: Difference) -> str:
    """Say what is taken from what: of errors the first one's, so that above zero it is better."""
    names = difference.first, difference.second
    return " minus ".join(names if difference.higher_is_better else reversed(names))


def _both(difference: Difference) -> tuple[tuple[str, Interval | None], ...]:
    return ("runs", difference.over_runs), ("examples", difference.over_examples)
