from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from lit_roberta.errors import UserError
from lit_roberta.finetuning.judging.numbers import check_number_metrics, number_scores

METRICS = ["pearson", "spearmanr", "mse"]
# of few values, so that many are tied, as the similarities of STS-B are
SIMILARITIES = st.sampled_from([0.0, 1.25, 2.5, 3.0, 4.75, 5.0])
PAIRS = st.lists(st.tuples(SIMILARITIES, st.one_of(SIMILARITIES, st.floats(-9, 9))), min_size=2)


@given(PAIRS, st.sampled_from([0.0, 3.0, 1e4]))
def test_correlations_are_those_of_scipy_also_between_ties(
    pairs: list[tuple[float, float]], offset: float
) -> None:
    true = [one for one, _ in pairs]
    said = [round(other, 3) + offset for _, other in pairs]
    found = number_scores(true, said, metrics=METRICS)
    squares = [(one - other) ** 2 for one, other in zip(true, said, strict=True)]
    assert found["mse"] == pytest.approx(sum(squares) / len(squares), rel=1e-6, abs=1e-6)
    if len(set(true)) == 1 or len(set(said)) == 1:
        assert (found["pearson"], found["spearmanr"]) == (0.0, 0.0)
    else:
        assert found["pearson"] == pytest.approx(pearsonr(true, said)[0], abs=1.1e-6)
        assert found["spearmanr"] == pytest.approx(spearmanr(true, said)[0], abs=1.1e-6)


@pytest.mark.parametrize("true", [[1.0], [2.5, 2.5, 2.5], [0.0, 2.5, 5.0]])
def test_what_is_always_the_same_correlates_with_nothing(true: list[float]) -> None:
    said = [2.7] * len(true)
    for pair in ((true, said), (said, true)):
        found = number_scores(*pair, metrics=METRICS)
        assert (found["pearson"], found["spearmanr"]) == (0.0, 0.0)
        assert found["mse"] > 0


def test_scores_that_there_are_not_are_refused() -> None:
    with pytest.raises(UserError, match=r"data\.metrics must be of pearson, .*'accuracy'"):
        check_number_metrics(["accuracy"])
