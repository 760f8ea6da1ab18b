"""`lit-roberta probe MODEL --minimal-pairs`: what an encoder knows without fine-tuning."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from jsonargparse import Namespace

from lit_roberta.errors import must
from lit_roberta.inference.arguments import model_of, model_parser
from lit_roberta.inference.pipes import Command, to_json, write_line
from lit_roberta.inference.scoring import WithinWord
from lit_roberta.probing.minimal_pairs import CHANCE, MinimalPairScores, judge_minimal_pairs
from lit_roberta.probing.pairs import built_in_pairs, read_pairs

logger = logging.getLogger(__name__)

_BUILT_IN = "built-in"


def _parse(words: Sequence[str]) -> Namespace:
    parser = model_parser("probe", "Say what an encoder knows without fine-tuning.")
    parser.add_argument(
        "--minimal-pairs",
        metavar="FILE",
        nargs="?",
        const=_BUILT_IN,
        type=str,
        help="How often a good sentence is found more likely than a bad one: of the package's own "
        "pairs, or of a file: sentence_good and sentence_bad as columns, or two a line with a tab "
        "between them.",
    )
    parser.add_argument(
        "--within-word",
        type=WithinWord,
        default="left-to-right",
        help="With --minimal-pairs: what a token's prediction sees of the rest of its word.",
    )
    parser.add_argument("--json", action="store_true", help="Print one line of JSON.")
    return parser.parse_args(list(words))


def _probe(asked: Namespace) -> None:
    if asked.minimal_pairs is None:
        raise must("the probe", "be chosen", "none", "Give --minimal-pairs.")
    _judge_pairs(asked)


main = Command(_parse, _probe)


def _judge_pairs(asked: Namespace) -> None:
    source = asked.minimal_pairs
    pairs = built_in_pairs() if source == _BUILT_IN else read_pairs(source)
    model = model_of(asked, predicts=True)
    scores = judge_minimal_pairs(model, pairs, within_word=asked.within_word)
    if scores.overall is None:
        rule = "have a pair that the model has all the words of, and room for"
        raise must("--minimal-pairs", rule, source, "Give pairs in the language of its text.")
    if asked.json:
        write_line(to_json(scores.as_json()))
        return
    for line in _readable(scores):
        write_line(line)


def _readable(scores: MinimalPairScores) -> Iterator[str]:
    shares = {"all pairs": scores.overall, **scores.by_phenomenon}
    width = max(map(len, shares))
    yield f"{'':<{width}}  good sentence preferred (95% interval); chance is {CHANCE:.0%}"
    for name, share in shares.items():
        yield f"{name:<{width}}  {share}"
    for count, why in (
        (scores.unknown, "for a word that the tokenizer does not know"),
        (scores.too_long, "for a sentence that the model has no room for"),
    ):
        if count:
            yield f"{count:,} of {len(scores.right):,} pairs left out {why}."
    if scores.ties:
        yield f"{scores.ties:,} pairs with both sentences alike to the model count as wrong."
