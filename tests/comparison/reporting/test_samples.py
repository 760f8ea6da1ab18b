from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.comparison.reporting.samples import samples
from tests.comparison.planted import plant_results

RESULTS = plant_results(seeds=1)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=8))
def test_all_sentences_are_there_and_those_of_most_disagreement_come_first(
    first_guesses: list[tuple[str, str, str]],
) -> None:
    """Each sentence has one blank, whose answer is a."""
    runs = [
        replace(
            run,
            guesses=[
                [[{"text": guess[place], "probability": 0.5, "right": guess[place] == "a"}]]
                for guess in first_guesses
            ],
        )
        for place, run in enumerate(RESULTS.runs)
    ]
    text = replace(RESULTS.text, samples=[["x", "a", "y"]] * len(first_guesses))
    found = samples(replace(RESULTS, runs=runs, text=text))
    assert sorted(each.number for each in found) == list(range(1, len(first_guesses) + 1))
    order = [first_guesses[each.number - 1] for each in found]
    ranks = [(len({guess == "a" for guess in own}) > 1, len({*own}) > 1) for own in order]
    assert ranks == sorted(ranks, reverse=True)
    for earlier, later in pairwise(found):
        if earlier.disagreement == later.disagreement:
            assert earlier.number < later.number
