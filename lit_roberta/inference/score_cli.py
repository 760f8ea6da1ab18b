"""`lit-roberta score MODEL --input FILE`: how likely a model finds texts, or which of two."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from jsonargparse import Namespace

from lit_roberta.counted import counted
from lit_roberta.inference.arguments import (
    add_input,
    add_output,
    check_columns,
    model_of,
    model_parser,
)
from lit_roberta.inference.inputs import (
    check_input,
    count_texts,
    read_pair_windows,
    read_windows,
    report_nothing,
)
from lit_roberta.inference.output_files import check_output, lines_to
from lit_roberta.inference.pipes import Command, to_json
from lit_roberta.inference.progress import shown_progress
from lit_roberta.inference.scoring import PairScore, Score, Scorer, WithinWord

logger = logging.getLogger(__name__)

_CHARACTERS = 1 << 14
"""Of a window: each text is computed once a token, so that a few are a batch already."""


def _parse(words: Sequence[str]) -> Namespace:
    parser = model_parser(
        "score",
        "Say how likely a model finds texts: the sum, in nats, of the log-probability of each "
        "token given all others (pseudo-log-likelihood).",
    )
    add_input(parser)
    add_output(parser, ".jsonl")
    parser.add_argument(
        "--pairs",
        action="store_true",
        help="Texts come in pairs, the better one first: in columns, or with a tab between them.",
    )
    for name, order in (("good", "first"), ("bad", "second")):
        help_text = f"With --pairs, of rows: the column of the {order} text."
        parser.add_argument(f"--{name}-column", type=str, default=name, help=help_text)
    parser.add_argument(
        "--within-word",
        type=WithinWord,
        default="visible",
        help="What a token's prediction sees of the rest of its word: all, or what is before it.",
    )
    return parser.parse_args(list(words))


def _score(asked: Namespace) -> None:
    check_input(asked.input)
    check_columns(asked, ["good_column", "bad_column"] if asked.pairs else ["text_column"])
    check_output(asked.output, kinds=[".jsonl"], overwrite=asked.overwrite)
    scorer = Scorer(
        model_of(asked, predicts=True),
        within_word=asked.within_word,
        on_too_long=asked.on_too_long,
    )
    counts: Counter[str] = Counter()
    with (
        lines_to(asked.output) as write,
        shown_progress(lambda: count_texts(asked.input)) as advance,
    ):
        for found in _scored(scorer, asked):
            for one in found:
                counts.update(_facts(one))
                write(to_json(asdict(one)))
            advance(len(found))
    scorer.lengths.report()
    report_nothing(scorer.lengths.seen, asked.input)
    _report(counts, pairs=asked.pairs)


main = Command(_parse, _score)


def _scored(scorer: Scorer, asked: Namespace) -> Iterator[Sequence[Score] | Sequence[PairScore]]:
    if asked.pairs:
        columns = asked.good_column, asked.bad_column
        for pairs in read_pair_windows(asked.input, columns=columns, characters=_CHARACTERS):
            yield scorer.pair_scores(pairs)
        return
    for texts in read_windows(asked.input, text_column=asked.text_column, characters=_CHARACTERS):
        yield scorer.scores(texts)


def _facts(found: Score | PairScore) -> Iterator[str]:
    """Name what is counted about a result."""
    scores = [found] if isinstance(found, Score) else [found.good, found.bad]
    yield from ("with unknown tokens" for score in scores if score.unknown)
    if isinstance(found, PairScore):
        yield from ("without tokens" for score in scores if not score.tokens)
        yield found.preferred


def _report(counts: Counter[str], *, pairs: bool) -> None:
    if unknown := counts["with unknown tokens"]:
        logger.info(
            "%s with tokens that the vocabulary does not know: they are scored as the unknown "
            "token.",
            counted(unknown, "text"),
        )
    if empty := counts["without tokens"]:
        logger.info(
            "%s of pairs without a token: its score is 0, which no other text reaches.",
            counted(empty, "text"),
        )
    total = counts["good"] + counts["bad"] + counts["neither"]
    if pairs and total:
        logger.info(
            "The first text is preferred in %.1f%% of %s pair%s; neither in %s.",
            100 * counts["good"] / total,
            f"{total:,}",
            "s" * (total != 1),
            f"{counts['neither']:,}",
        )
