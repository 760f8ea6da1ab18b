"""A paragraph on methods that a paper can use, written from settings and counts alone.

In: results. Out: text. It says what was done, and nothing of what was found.
"""

from __future__ import annotations

from lit_roberta.comparison.judging.claims import SMALLEST_DIFFERENCE
from lit_roberta.comparison.judging.wording import joined
from lit_roberta.comparison.results import PartFacts, Recipe, Results

REFERENCES = (
    "Devlin, J., Chang, M.-W., Lee, K. and Toutanova, K. (2019). BERT: Pre-training of deep "
    "bidirectional transformers for language understanding. NAACL-HLT 2019.",
    "Liu, Y., Ott, M., Goyal, N., Du, J., Joshi, M., Chen, D., Levy, O., Lewis, M., Zettlemoyer, "
    "L. and Stoyanov, V. (2019). RoBERTa: A robustly optimized BERT pretraining approach. "
    "arXiv:1907.11692.",
)
"""The two papers whose recipes are compared."""


def methods(results: Results) -> str:
    """Write the paragraph."""
    return " ".join(
        [
            _recipes(results),
            _text(results),
            _training(results),
            _judging(results),
            _statistics(results),
            _software(results),
        ]
    )


def _recipes(results: Results) -> str:
    arms = results.finished()
    recipes = "recipe" if len(arms) == 1 else "recipes"
    differing = list(dict.fromkeys(key for arm in arms for key in arm.settings))
    differ = f", which differ in {joined(differing)} and in nothing else" if differing else ""
    return (
        f"We pretrained Transformer encoders with masked language modelling under {len(arms)} "
        f"{recipes} in the line of BERT (Devlin et al., 2019) and RoBERTa (Liu et al., 2019): "
        f"{joined([arm.name for arm in arms])}{differ}."
    )


def _text(results: Results) -> str:
    text = results.text
    train, validation, test = (text.parts[name] for name in ("train", "validation", "test"))
    return (
        f"The text ({text.corpus}) was split by whole documents into {_size(train)} to train on, "
        f"{_size(validation)} for validation and {_size(test)} for the test. The vocabulary "
        f"({text.tokenizer}) has {text.vocab_size:,} entries."
    )


def _size(part: PartFacts) -> str:
    documents = "document" if part.documents == 1 else "documents"
    return f"{part.tokens:,} tokens ({part.documents:,} {documents})"


def _training(results: Results) -> str:
    arms = results.finished()
    counts = sorted({len(results.runs_of(arm.name)) for arm in arms})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    plural = "seed" if counts == [1] else "seeds"
    updates = joined([f"{arm.updates:,} for {arm.name}" for arm in arms])
    if len({arm.updates for arm in arms}) == 1:
        updates = f"{arms[0].updates:,} for each"
    return (
        f"Every run was given {results.budget['description']}; rounded up to whole updates these "
        f"are {updates}. Each recipe was run with {seeds} {plural}. {_rates(arms)}"
    )


def _rates(arms: list[Recipe]) -> str:
    tuned = [arm.name for arm in arms if arm.tuned]
    if not tuned:
        return "Learning rates were set beforehand."
    if len(tuned) == len(arms):
        return "Each recipe's learning rate was chosen on validation loss, with runs of their own."
    return (
        f"The learning rates of {joined(tuned)} were chosen on validation loss, with runs of "
        "their own; the others were set beforehand."
    )


def _judging(results: Results) -> str:
    formats = (
        "one format of input"
        if len(results.formats) == 1
        else f"{len(results.formats)} formats of input ({joined(results.formats)})"
    )
    judges = ["held-out masked-token cross-entropy (nats per predicted token)"]
    if any(run.probes is not None for run in results.runs):
        judges.append("minimal pairs of sentences scored by pseudo-log-likelihood")
    words = (
        " As their tokenizers differ, recipes were compared by held-out words that all of them "
        "know, masked whole and scored from left to right within the word (Kauf and Ivanova, "
        "2023), in nats per word."
        if results.words
        else ""
    )
    return (
        f"Models were judged at their last update by {joined(judges)}. In {formats}, every token "
        "of the test part that can be masked was predicted exactly once, under masks that are the "
        f"same for all recipes and seeds.{words}"
    )


def _statistics(results: Results) -> str:
    differences = [each for pair in results.verdict().pairs for each in pair.differences]
    kinds = ["Welch's t"] if any(not each.paired for each in differences) else []
    if any(each.paired for each in differences):
        kinds.append("the paired t where two recipes saw the same examples in the same order")
    both = any(each.over_both for each in differences)
    bootstrap = (
        " A two-level bootstrap over runs and documents (Sellam et al., 2022) stands beside them."
        if both
        else ""
    )
    if not any(each.over_runs for each in differences):
        return "With one run a recipe, intervals (95%) are over test documents alone."
    return (
        f"Differences carry two 95% intervals: over runs ({joined(kinds)}), and over test "
        "documents (t on the linearised ratio of the loss averaged over seeds). A recipe is "
        "called better only if both exclude zero in every format that the two were trained on, "
        f"after Holm's correction over all pairs; within {SMALLEST_DIFFERENCE} nats on both, a "
        f"difference is called none.{bootstrap}"
    )


def _software(results: Results) -> str:
    own = results.environment
    versions = [f"{name} {own[name]}" for name in ("lit_roberta", "torch") if name in own]
    device = f" on {own['device']}" if "device" in own else ""
    return f"Made with {joined(versions)}{device}." if versions else f"Made{device}."
