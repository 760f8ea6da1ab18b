"""`lit-roberta export CHECKPOINT DIR`: a model out, for whoever has `transformers`.

In: arguments. Out: a folder that `AutoModelForMaskedLM` and `AutoTokenizer` load.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from jsonargparse import Namespace

from lit_roberta.command_line import OneLineErrors, ended_by_sigterm, exit_status_of
from lit_roberta.exchange.exporting import export, free_place
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES
from lit_roberta.exchange.onnx_export import require_onnx

logger = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Export a model as a command line asks for.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    with ended_by_sigterm():
        return exit_status_of(
            lambda: _export(_parse(words)), interrupted="Interrupted: nothing was written."
        )


def _parse(words: Sequence[str]) -> Namespace:
    parser = OneLineErrors(
        prog="lit-roberta export",
        description="Write a model as a folder that transformers loads with its own classes.",
        allow_abbrev=False,
    )
    parser.add_argument("checkpoint", help="A .ckpt of a run, or whatever import takes.")
    parser.add_argument("folder", help="A new or an empty one.")
    parser.add_argument(
        "--family",
        choices=FAMILIES,
        help="Whose classes: by default BERT's for a model that saw pairs, else RoBERTa's.",
    )
    parser.add_argument(
        "--onnx",
        action="store_true",
        help='Write model.onnx, too, and compare it. Needs pip install "lit_roberta[onnx]".',
    )
    parser.add_argument(
        "--sentence-embeddings",
        action="store_true",
        help="Leave out the heads and let SentenceTransformer load it: means of tokens' vectors.",
    )
    return parser.parse_args(list(words))


def _export(asked: Namespace) -> None:
    folder = free_place(asked.folder)  # before anything large is read
    if asked.onnx:
        require_onnx()
    exported = export(
        load_pretrained(asked.checkpoint),
        folder,
        family=asked.family,
        onnx=asked.onnx,
        sentence_embeddings=asked.sentence_embeddings,
    )
    for notice in exported.notices:
        logger.info("%s", notice)
    logger.info("%s", exported.checked)
    logger.info("%s in %s.", exported.architecture, exported.folder)
