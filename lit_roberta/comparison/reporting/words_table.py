"""What recipes with different tokens are judged by, as a table: whole held-out words."""

from __future__ import annotations

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results


def words_table(results: Results) -> Table | None:
    """Give nats a word and bits a byte of the same words; None where all have the same tokens."""
    if results.words is None:
        return None
    facts, formats = results.words.facts(), results.formats
    recipes = results.finished()
    return Table(
        name="words",
        caption=f"{facts.common:,} held-out words that all vocabularies know, masked whole and "
        "scored from left to right within the word, mean over runs. These decide: no loss per "
        "token compares recipes with different tokens.",
        header=[
            "recipe",
            "vocabulary",
            "words that it lacks",
            *(f"nats a word on {format}" for format in formats),
            *(f"bits a byte on {format}" for format in formats),
        ],
        rows=[
            [
                recipe.name,
                "" if recipe.vocab_size is None else f"{recipe.vocab_size:,}",
                f"{facts.unknown_share[recipe.name]:.1%}",
                *(nats(facts.nats_per_word[recipe.name][format]) for format in formats),
                *(f"{facts.bits_per_byte[recipe.name][format]:.2f}" for format in formats),
            ]
            for recipe in recipes
        ]
        + [
            [
                "token frequencies alone",
                "",
                "",
                *[nats(facts.unigram_loss)] * len(formats),
                *[""] * len(formats),
            ]
        ],
        arms=[*(recipe.name for recipe in recipes), None],
        besides="All from `words` of results.json, which sums words.nats of each run's "
        "result.json over the words that every run scored.",
    )
