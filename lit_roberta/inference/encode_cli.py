"""`lit-roberta encode MODEL --input FILE --output FILE`: texts to vectors."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from jsonargparse import Namespace

from lit_roberta.counted import counted
from lit_roberta.inference.arguments import (
    add_input,
    add_output,
    check_columns,
    model_of,
    model_parser,
)
from lit_roberta.inference.batching import BATCH_TOKENS
from lit_roberta.inference.encoding import Encoder, Pooling
from lit_roberta.inference.inputs import (
    check_input,
    count_texts,
    read_windows,
    report_nothing,
)
from lit_roberta.inference.pipes import Command
from lit_roberta.inference.progress import shown_progress
from lit_roberta.inference.vector_files import check_vectors, vectors_to

logger = logging.getLogger(__name__)

_TOKEN_CHARACTERS = 1 << 16
"""Of a window where each token has a vector: some 50 MB of them at BERT's base size."""


def _parse(words: Sequence[str]) -> Namespace:
    parser = model_parser("encode", "Turn texts into vectors.")
    add_input(parser)
    add_output(parser, ".npy, .parquet or .jsonl")
    parser.add_argument(
        "--pooling",
        type=Pooling,
        default="mean",
        help="One vector a text: the mean of all tokens, or that of [CLS]; or one a token.",
    )
    parser.add_argument(
        "--layer", type=int, default=-1, help="Whose output: 0 the embeddings, -1 the last layer."
    )
    parser.add_argument("--normalize", action="store_true", help="Scale vectors to length 1.")
    parser.add_argument(
        "--batch-tokens",
        type=int,
        default=BATCH_TOKENS,
        help="Tokens that are computed at once, padding included.",
    )
    return parser.parse_args(list(words))


def _encode(asked: Namespace) -> None:
    tokens = asked.pooling == "tokens"
    check_input(asked.input)
    check_columns(asked, ["text_column"])
    check_vectors(asked.output, tokens=tokens, overwrite=asked.overwrite)
    encoder = Encoder(
        model_of(asked),
        pooling=asked.pooling,
        layer=asked.layer,
        normalize=asked.normalize,
        on_too_long=asked.on_too_long,
        batch_tokens=asked.batch_tokens,
    )
    limit = {"characters": _TOKEN_CHARACTERS} if tokens else {}
    windows = read_windows(asked.input, text_column=asked.text_column, **limit)
    width = encoder.model.bert.config.hidden_size
    with (
        vectors_to(asked.output, width=width) as write,
        shown_progress(lambda: count_texts(asked.input)) as advance,
    ):
        for texts in windows:
            write(texts, encoder.token_vectors(texts) if tokens else encoder.vectors(texts))
            advance(len(texts))
    encoder.lengths.report()
    report_nothing(encoder.lengths.seen, asked.input)
    if asked.output is not None:
        logger.info("%s in %s.", counted(encoder.lengths.seen, "text"), asked.output)


main = Command(_parse, _encode)
