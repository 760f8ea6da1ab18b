"""Batches of masked rows from our stream against those of transformers' collator.

Both start from tokenized text in memory and end with the tensors that a model reads, in one
process, on one thread, in turns. Ours looks up which examples an update has, gathers, masks and
collates them. Theirs gets its rows as a tokenized dataset holds them: lists of ids, segments,
attention and special tokens.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from transformers import DataCollatorForLanguageModeling, PreTrainedTokenizerFast

from benchmarks.timing import seconds
from lit_roberta.data.examples.packing import PackingConfig, pack
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateStream
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary

VOCAB_SIZE = 8_192
NUM_ROWS = 2_000
BATCHES = 20
"""Batches of a turn: so short that a turn of one would find the memory as another left it."""
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    batch_size: int
    seq: int
    goal: float | None
    """How many times as fast as theirs ours should be."""


CASES = [Case(64, 512, 25.0), Case(64, 128, None), Case(16, 128, 10.0)]


def make_rows(case: Case) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """Make full rows of ordinary tokens, without special ones."""
    generator = np.random.default_rng(0)
    shape = (NUM_ROWS, case.seq - 2)
    return generator.integers(len(SPECIAL), VOCAB_SIZE, shape, dtype=np.int32)


def our_batches(case: Case, *, whole_word: bool = False) -> Callable[[], Any]:
    """Give a function that makes the tensors of the next update."""
    rows = make_rows(case)
    corpus = TokenizedCorpus(
        tokens=rows.ravel(),
        word_starts=np.arange(rows.size) % 2 == 0,
        sentence_offsets=np.arange(NUM_ROWS + 1) * rows.shape[1],
        document_offsets=np.arange(NUM_ROWS + 1),
    )
    stream = UpdateStream(
        corpus,
        pack(corpus, PackingConfig(format="sentence", max_length=case.seq), seed=0),
        Vocabulary.plain(VOCAB_SIZE),
        masking=MaskingConfig(whole_word=whole_word),
        sizes=UpdateSizes.constant(case.batch_size, max_length=case.seq),
        micro_batch_size=None,
        seed=0,
        segments=False,
    )
    numbers = itertools.count()
    return lambda: stream[next(numbers)]


def their_batches(case: Case) -> Callable[[], Any]:
    """Give a function that makes the tensors of the next batch."""
    words = SPECIAL + [f"word{number}" for number in range(VOCAB_SIZE - len(SPECIAL))]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=Tokenizer(WordLevel(vocabulary, unk_token="[UNK]")),
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    dataset = [
        {
            "input_ids": [2, *row, 3],
            "token_type_ids": [0] * case.seq,
            "attention_mask": [1] * case.seq,
            "special_tokens_mask": [1, *([0] * len(row)), 1],
        }
        for row in make_rows(case).tolist()
    ]
    order = np.random.default_rng(0).permutation(NUM_ROWS).tolist()

    firsts = itertools.cycle(range(0, NUM_ROWS - case.batch_size, case.batch_size))

    def batch() -> Any:
        first = next(firsts)
        return collate([dataset[row] for row in order[first : first + case.batch_size]])

    return batch


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("batches", description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=10, help="turns of each, of 20 batches")
    options = parser.parse_args(arguments)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    print("Batches of masked rows on one thread: medians, in ms, taken in turns")
    print(f"{'rows':>9} {'ours':>7} {'words':>7} {'theirs':>7} {'ratio':>6} {'goal':>5}  tokens/s")
    for case in CASES:
        ours, words, theirs = seconds(
            our_batches(case),
            our_batches(case, whole_word=True),
            their_batches(case),
            rounds=options.rounds,
            calls=BATCHES,
        )
        rate = case.batch_size * case.seq / ours / 1e6
        goal = "" if case.goal is None else f"{case.goal:.0f}x"
        print(
            f"{case.batch_size:>3} x {case.seq:<3} {1e3 * ours:>7.3f} {1e3 * words:>7.3f}"
            f" {1e3 * theirs:>7.3f}"
            f" {theirs / ours:>5.1f}x {goal:>5}  {rate:.1f} M"
        )
    torch.set_num_threads(threads)


if __name__ == "__main__":
    main(sys.argv[1:])
