"""`lit-roberta import SOURCE CHECKPOINT`: a model from elsewhere as a checkpoint of this package.

In: arguments. Out: a checkpoint to start from and to judge, and lines that say what came.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lit_roberta.command_line import OneLineErrors, ended_by_sigterm, exit_status_of
from lit_roberta.errors import must
from lit_roberta.exchange.checkpoint import check_place, write_checkpoint
from lit_roberta.exchange.loading import OTHERS, load_pretrained
from lit_roberta.exchange.pretrained import Pretrained

logger = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Import a model as a command line asks for.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    with ended_by_sigterm():
        return exit_status_of(
            lambda: _import(words), interrupted="Interrupted: no checkpoint was written."
        )


def _import(words: Sequence[str]) -> None:
    parser = OneLineErrors(
        prog="lit-roberta import",
        description="Turn a model of BERT's or RoBERTa's architecture into a checkpoint.",
    )
    parser.add_argument(
        "source",
        help="A folder of save_pretrained's, a name on the hub, fairseq's .pt, or a checkpoint.",
    )
    parser.add_argument("checkpoint", help="The file to write, which must be a new one.")
    asked = parser.parse_args(list(words))
    if not asked.checkpoint:
        raise must("the checkpoint", "have a name", "", "Name a new file, as start.ckpt.")
    if asked.checkpoint.endswith(("/", os.sep)):  # which a path forgets
        remedy = "Name one in that folder, as start.ckpt."
        raise must("the checkpoint", "be a new file", asked.checkpoint, remedy)
    place = Path(asked.checkpoint)
    if place.suffix in OTHERS:
        rule = f"not end in {', '.join(OTHERS)}"
        remedy = "By that name it would be read as another program's: name it start.ckpt."
        raise must("the checkpoint", rule, asked.checkpoint, remedy)
    check_place(place)  # before anything large is read
    pretrained = load_pretrained(asked.source)
    write_checkpoint(pretrained, place)
    for line in describe(pretrained):
        logger.info("%s", line)
    logger.info("Wrote %s. Start from it: --model.pretrained %s", place, place)


def describe(pretrained: Pretrained) -> Iterator[str]:
    """Say what a model is, and what came along; a line each."""
    encoder = pretrained.encoder
    numbers = sum(weight.numel() for weight in pretrained.weights.values())
    kinds = sorted({str(w.dtype).removeprefix("torch.") for w in pretrained.weights.values()})
    name = {"bert": "BERT", "roberta": "RoBERTa"}[pretrained.family]
    yield f"{name} from {pretrained.source}: {numbers:,} numbers ({', '.join(kinds)})."
    yield (
        f"{encoder.num_hidden_layers} layers, hidden {encoder.hidden_size}, "
        f"{encoder.num_attention_heads} heads, feed-forward {encoder.intermediate_size}, "
        f"{encoder.max_position_embeddings} positions, {encoder.type_vocab_size} segments, "
        f"{encoder.vocab_size:,} rows of tokens, epsilon {encoder.layer_norm_eps:g}."
    )
    heads = {
        "masked LM": pretrained.has_masked_lm_head,
        "next sentence": pretrained.has_next_sentence_head,
        "pooler": pretrained.has_pooler,
    }
    there = [head for head, has in heads.items() if has] or ["none"]
    absent = [head for head, has in heads.items() if not has]
    yield f"Heads: {', '.join(there)}" + (f"; without {', '.join(absent)}." if absent else ".")
    if pretrained.task is not None:
        labels = len(pretrained.task.labels)
        yield f"Task: {pretrained.task.kind}" + (f", {labels:,} labels." if labels else ".")
    if pretrained.tokenizer is not None:
        yield f"Tokenizer: {pretrained.tokenizer.vocab_size:,} entries."
    for notice in pretrained.notices:
        yield f"Note: {notice}."
