"""`lit-roberta predict CHECKPOINT TEXT...`: what a fine-tuned model makes of texts."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from lit_roberta.counted import counted
from lit_roberta.data.text.files import kind_of
from lit_roberta.errors import must
from lit_roberta.finetuning.examples import QuestionExample
from lit_roberta.finetuning.predict_checks import check_for_task, check_reading
from lit_roberta.finetuning.predict_inputs import (
    STRUCTURED,
    Request,
    of_question,
    read_requests,
    reading_of,
    requests_of,
)
from lit_roberta.finetuning.predicting import FinetunedModel, Predictor, load_task_model
from lit_roberta.finetuning.readable import as_row, readable
from lit_roberta.finetuning.reading.config import Quoting
from lit_roberta.finetuning.reading.conll import WORD_FILES
from lit_roberta.inference.arguments import add_output, model_parser
from lit_roberta.inference.batching import BATCH_TOKENS
from lit_roberta.inference.inputs import (
    STANDARD_INPUT,
    check_input,
    count_texts,
    report_nothing,
)
from lit_roberta.inference.output_files import check_output, lines_to
from lit_roberta.inference.pipes import Command, to_json, write_line
from lit_roberta.inference.progress import shown_progress

logger = logging.getLogger(__name__)

_WITHOUT_TEXTS = {"--input", "--question"}
"""Options in the place of texts."""


def _parse(words: Sequence[str]) -> Namespace:
    parser = model_parser("predict", "Say what a fine-tuned model makes of texts.")
    parser.add_argument(
        "texts",
        metavar="TEXT",
        type=str,
        # With * alone, texts behind an option would be none of them.
        nargs="*" if _WITHOUT_TEXTS & {word.partition("=")[0] for word in words} else "+",
        help="Texts; for a model of pairs each two with a tab between them. Or --input FILE.",
    )
    parser.add_argument(
        "--input",
        type=str | None,
        help="In place of TEXT: lines of text; rows of .jsonl, .csv, .tsv or .parquet; .conll for "
        "words to tag; also packed as .gz or .zst; - for lines of standard input. Lines of JSON "
        "come out.",
    )
    _add_rows(parser)
    parser.add_argument(
        "--pairs",
        action="store_true",
        help="Texts are pairs, as a checkpoint of fine-tuning knows by itself.",
    )
    for name in ("question", "context"):
        parser.add_argument(f"--{name}", type=str | None, help=f"In place of TEXT: a {name}.")
    add_output(parser, ".jsonl")
    parser.add_argument("--json", action="store_true", help="Print a line of JSON for each text.")
    parser.add_argument(
        "--max-length",
        type=int | None,
        help="Tokens of a text at the most; by default as in fine-tuning.",
    )
    parser.add_argument(
        "--batch-tokens",
        type=int,
        default=BATCH_TOKENS,
        help="Tokens that are computed at once, padding included.",
    )
    return parser.parse_args(list(words))


def _add_rows(parser: ArgumentParser) -> None:
    """Add how rows of a file are read."""
    for name, which in (("text", "text"), ("pair", "second text of a pair")):
        help_text = f"Of rows: the column of the {which}; by default one of the usual names."
        parser.add_argument(f"--{name}-column", type=str | None, help=help_text)
    parser.add_argument(
        "--words-column",
        type=str | None,
        help="To be tagged: the list of words of a row, or the number of a column of .conll.",
    )
    parser.add_argument(
        "--header",
        type=bool,
        default=True,
        help="Whether the first line of .csv and .tsv names the columns; else 1, 2, ... do.",
    )
    parser.add_argument(
        "--quoting",
        type=Quoting,
        default="auto",
        help="Whether fields stand between quotes; auto: in .csv alone.",
    )


def _predict(asked: Namespace) -> None:
    _check(asked)
    model = load_task_model(
        asked.model,
        device=asked.device,
        bfloat16=asked.bfloat16,
        max_length=asked.max_length,
    )
    predictor = Predictor(model, on_too_long=asked.on_too_long, batch_tokens=asked.batch_tokens)
    is_for_people = asked.input is None and asked.output is None and not asked.json
    with (
        lines_to(asked.output) as write,
        shown_progress(lambda: _count(asked)) as advance,
    ):
        for requests in _requests(asked, model):
            found = predictor.predictions([each.given for each in requests])
            for request, prediction in zip(requests, found, strict=True):
                if is_for_people:
                    write_line(readable(request.shown, prediction))
                else:
                    write(to_json(as_row(request.shown, prediction)))
            advance(len(requests))
    predictor.lengths.report()
    report_nothing(predictor.lengths.seen, asked.input or STANDARD_INPUT)
    if asked.output is not None:
        logger.info("%s in %s.", counted(predictor.lengths.seen, "text"), asked.output)


main = Command(_parse, _predict)


def _check(asked: Namespace) -> None:
    """See that there is something to read and a place to write, before a model is loaded."""
    if (asked.question is None) != (asked.context is None):
        rule, given = "come together", asked.question or asked.context
        raise must("--question and --context", rule, given, "Give the other one, too.")
    ways = [bool(asked.texts), asked.input is not None, asked.question is not None]
    if sum(ways) != 1:
        remedy = "Give texts, or --input FILE, or --input - for standard input."
        raise must("TEXT or --input", "be one of the two", asked.texts or None, remedy)
    if asked.texts == [STANDARD_INPUT]:
        asked.texts, asked.input = [], STANDARD_INPUT
    if asked.input is not None:
        check_input(asked.input)
    check_reading(asked)
    check_output(asked.output, kinds=[".jsonl"], overwrite=asked.overwrite)


def _count(asked: Namespace) -> int | None:
    if asked.input is None:
        return len(asked.texts)
    is_of_words = kind_of(Path(asked.input)) in WORD_FILES  # several lines a sentence
    return None if is_of_words else count_texts(asked.input)


def _requests(asked: Namespace, model: FinetunedModel) -> Iterator[list[Request]]:
    kind = model.task.kind
    check_for_task(asked, kind)
    if (asked.question is not None or asked.texts) and (kind in STRUCTURED):
        yield _asked_here(asked, kind)
        return
    if asked.question is not None:
        remedy = "The model answers no questions: give texts."
        raise must("--question", "be left out", asked.question, remedy)
    pairs = _reads_pairs(asked, model)
    if asked.input is None:
        yield requests_of(asked.texts, pairs=pairs)
        return
    reading = reading_of(asked, pairs=pairs)
    yield from read_requests(asked.input, reading, kind=kind, pairs=pairs)


def _reads_pairs(asked: Namespace, model: FinetunedModel) -> bool | None:
    """Tell whether texts are pairs; None where nobody knows, and columns may say so."""
    if model.task.kind != "sequence-classification":
        return False
    pairs = True if asked.pairs or asked.pair_column else model.pairs
    if pairs and model.pairs is False:
        given = ("--pairs", True) if asked.pairs else ("--pair-column", asked.pair_column)
        remedy = "The model was fine-tuned on single texts."
        raise must(given[0], "be left out", given[1], remedy)
    return pairs


def _asked_here(asked: Namespace, kind: str) -> list[Request]:
    """Take the question of the command line."""
    if kind != "question-answering":
        remedy = "Each row has a text and its choices."
        raise must("--input", "name rows for a model that chooses", asked.texts, remedy)
    if asked.question is None:
        remedy = "Or --input rows of questions with their contexts."
        raise must("--question and --context", "be given", asked.texts, remedy)
    given = asked.question, asked.context
    return [of_question(QuestionExample("1", *given, None, "the question"))]
