"""Updates from a prepared folder on disk: tokens a second with masking, and memory of the workers.

Each update has 32,768 tokens, dynamically masked, of examples that lie anywhere in the text. One
epoch is loaded for each number of worker processes; its first updates are not counted. Nothing
trains here, so a worker can't hide behind the training: what workers save a run is the time of the
training's own process, the last column.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpora import write_text
from benchmarks.memory import resident
from lit_roberta.data.examples.packing import PackingConfig, pack
from lit_roberta.data.loaders import update_loader
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.making import Making
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.preparation.preparing import prepare_into, prepare_text
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateSampler, UpdateStream
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.data.work import num_processors

SPEED, FLAT = 20e6, 1.3
"""Tokens a second of one process, and memory of the workers at the end over that at the start: the
targets."""

_TOKENS, _WARM_UP = 32_768, 50


class Loaded(NamedTuple):
    """What an epoch took."""

    tokens_per_second: float
    grown: float
    """Anonymous memory of all processes at the end over that after the first updates."""
    own_time: float
    """Processor time of the process that asks, in ms an update."""


def load_epoch(text: PreparedText, *, max_length: int, num_workers: int) -> Loaded:
    """Load one epoch of updates."""
    packing = PackingConfig(format="full-sentences", max_length=max_length)
    examples = pack(text.parts.train, packing, seed=0)
    batch_size = _TOKENS // max_length
    stream = UpdateStream(
        text.parts.train,
        examples,
        text.tokenizer.vocabulary,
        masking=MaskingConfig(),
        sizes=UpdateSizes.constant(batch_size, max_length=max_length),
        micro_batch_size=None,
        seed=0,
        segments=False,
    )
    updates = max(2 * _WARM_UP, len(examples) // batch_size)
    loader = update_loader(
        stream,
        UpdateSampler(lambda: 0, lambda: updates),
        num_workers=num_workers,
        pin_memory=False,
    )
    tokens, start, began, memory, grown = 0, 0.0, 0.0, 1, 1.0
    for update in loader:
        if update.number == _WARM_UP:
            tokens, memory = 0, resident(os.getpid()).anonymous
            start, began = time.perf_counter(), time.process_time()
        if update.number == updates - 1:  # while its workers are still there
            grown = resident(os.getpid()).anonymous / memory
        tokens += update.num_tokens
    own_time = 1e3 * (time.process_time() - began) / (updates - _WARM_UP)
    return Loaded(tokens / (time.perf_counter() - start), grown, own_time)


def _make(folder: Path, megabytes: int) -> PreparedText:
    write_text(folder / "text", num_bytes=megabytes * 1_000_000)
    config = TextConfig(
        corpus=str(folder / "text"),
        tokenizer=TokenizerConfig(kind="bytelevel-bpe", vocab_size=8192),
    )
    return prepare_into(folder / "prepared", Making(config=config, workers=num_processors()))


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", help="A folder of `lit-roberta prepare`; else one is made.")
    parser.add_argument("--megabytes", type=int, default=1000, help="Of text, where one is made.")
    parser.add_argument("--max_length", type=int, nargs="+", default=[128, 512])
    asked = parser.parse_args(list(arguments))
    with tempfile.TemporaryDirectory() as folder:
        if asked.prepared:
            text = prepare_text(TextConfig(corpus=asked.prepared))
        else:
            text = _make(Path(folder), asked.megabytes)
        print(f"{text.parts.train.num_tokens:,} tokens on disk, updates of {_TOKENS:,}")
        print(
            f"{'length':>6} {'workers':>7} {'M tokens/s':>10} {'memory grows':>12} {'own ms':>6}"
        )
        for max_length in asked.max_length:
            for num_workers in (0, 1, 2):
                found = load_epoch(text, max_length=max_length, num_workers=num_workers)
                print(
                    f"{max_length:>6} {num_workers:>7} {found.tokens_per_second / 1e6:>10.1f} "
                    f"{found.grown:>12.2f} {found.own_time:>6.2f}",
                    flush=True,
                )
    print(f"targets: {SPEED / 1e6:.0f} M tokens/s without workers, memory {FLAT} times at most")


if __name__ == "__main__":
    main(sys.argv[1:])
