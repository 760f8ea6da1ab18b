"""`lit-roberta tokenizer train`: a tokenizer of its own, from text of any size.

In: arguments. Out: a folder that `--data.tokenizer.path` reads, and the Hugging Face world.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from jsonargparse import Namespace

from lit_roberta.command_line import exit_status_of, read_attribute_docstrings
from lit_roberta.corpora.parsing import output_folder, spelled_here, text_config, text_parser
from lit_roberta.corpora.progress import shown_progress
from lit_roberta.data.corpus.split import TRAIN
from lit_roberta.data.preparation.reading import read_text
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.errors import must

logger = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Train a tokenizer as a command line asks for.

    Args:
        argv: The arguments without the program's name, `train` first; None for this process's.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    return exit_status_of(
        lambda: _train(_parse(words)), interrupted="Interrupted: no tokenizer was written."
    )


def _parse(words: Sequence[str]) -> Namespace:
    if words[:1] != ["train"]:
        raise must("tokenizer", "be told to train", " ".join(words[:1]), "See --help.")
    words = words[1:]
    read_attribute_docstrings(wanted="--help" in words or "-h" in words)
    parser = text_parser(
        "Train a tokenizer on the training part of a text: what is held out has to stay unseen."
    )
    parser.add_class_arguments(TokenizerConfig, None, skip={"path"})
    return parser.parse_args(spelled_here(spelled_here(words), "--tokenizer."))


def _train(asked: Namespace) -> None:
    fields = TokenizerConfig.__dataclass_fields__.keys() - {"path"}
    config = text_config(asked, TokenizerConfig(**{name: asked[name] for name in fields}))
    folder = output_folder(asked.output)
    if folder.exists() and any(folder.iterdir()):
        raise must("output", "be a new or an empty folder", str(folder), "Name another.")
    with TemporaryDirectory(prefix=".tokenizer-", dir=folder.parent) as place:
        with shown_progress() as on_progress:
            text = read_text(
                config,
                Path(place),
                workers=asked.workers,
                on_progress=lambda size: on_progress("reading", size),
            )
            on_progress("training the tokenizer", 0)
            tokenizer = Tokenizer.train(text.sentences(TRAIN), config.tokenizer)
        whole = Path(place) / "whole"
        tokenizer.save(whole)
        if folder.exists():
            folder.rmdir()
        whole.replace(folder)
    for note in (*text.notes, *tokenizer.notices):
        logger.info("%s", note)
    logger.info(
        "A vocabulary of %s entries in %s. Use it: --data.tokenizer.path %s",
        f"{tokenizer.vocab_size:,}",
        folder,
        folder,
    )
