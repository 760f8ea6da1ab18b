"""A training update of our encoder against one of transformers' `RobertaForMaskedLM`.

Both see the same rows on the same threads, in turns, and both do all of an update: forward, loss,
backward and fused AdamW. Theirs has its fastest attention for this machine, "sdpa". Beside the
ratio stands how much of this machine's own rate of matrix products our update reaches, counted
over the products that it really does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.timing import seconds
from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.linear import linear
from lit_roberta.objectives import loss_sum

SEQ = 128
SELECTED = 19
"""15% of the 126 tokens of a row that are not special."""
MASK_ID, FIRST_ORDINARY_ID = 4, 5


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    vocab_size: int
    dropout: float
    """Of hidden states and of attention weights, in both models."""
    batch_size: int


CASES = [
    Case(vocab_size, dropout, batch_size)
    for vocab_size in (8_192, 50_265)
    for dropout in (0.1, 0.0)
    for batch_size in (8, 16)
]


@dataclass(frozen=True)
class Rows:
    """Full rows, with what is to be predicted as each of the models wants it."""

    input_ids: Tensor
    positions: Tensor
    labels: Tensor
    dense_labels: Tensor


def random_rows(case: Case) -> Rows:
    """Make rows of random tokens: no speed depends on which tokens they are."""
    generator = torch.Generator().manual_seed(0)
    shape = case.batch_size, SEQ
    tokens = torch.randint(FIRST_ORDINARY_ID, case.vocab_size, shape, generator=generator)
    order = torch.rand((case.batch_size, SEQ - 2), generator=generator).argsort(dim=1)
    chosen = order[:, :SELECTED] + 1
    labels = tokens.gather(1, chosen)
    slot_zero = torch.zeros(case.batch_size, 1, dtype=torch.int64)
    return Rows(
        input_ids=tokens.scatter(1, chosen, MASK_ID),
        positions=torch.cat([slot_zero, chosen], dim=1),
        labels=labels,
        dense_labels=torch.full(shape, IGNORE_INDEX).scatter(1, chosen, labels),
    )


def encoder_config(case: Case) -> EncoderConfig:
    """Size both encoders: small enough for a CPU, large enough that products are what counts."""
    return EncoderConfig(
        vocab_size=case.vocab_size,
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=1024,
        hidden_dropout_prob=case.dropout,
        attention_probs_dropout_prob=case.dropout,
        max_position_embeddings=SEQ,
        layer_norm_eps=1e-5,
    )


def our_update(case: Case, rows: Rows) -> Callable[[], None]:
    """Build our model and the update that is timed."""
    model = BertModel(encoder_config(case))

    def loss() -> Tensor:
        logits = model(rows.input_ids, positions=rows.positions).mlm_logits
        return loss_sum(logits, rows.labels) / rows.labels.numel()

    return update(model, loss)


def their_update(case: Case, rows: Rows) -> Callable[[], None]:
    """Build their model in the same size, and the update that is timed."""
    from transformers import RobertaConfig, RobertaForMaskedLM

    settings: dict[str, Any] = asdict(encoder_config(case)) | {
        "max_position_embeddings": SEQ + 2,  # their positions start behind the padding id
        "attn_implementation": "sdpa",
    }
    del settings["tanh_pooler"]
    model = RobertaForMaskedLM(RobertaConfig(**settings)).train()

    def loss() -> Tensor:
        loss: Tensor = model(input_ids=rows.input_ids, labels=rows.dense_labels).loss
        return loss

    return update(model, loss)


def update(model: nn.Module, loss: Callable[[], Tensor]) -> Callable[[], None]:
    """Make one whole update of a model."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def run() -> None:
        optimizer.zero_grad(set_to_none=True)
        loss().backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return run


def executed_flops(case: Case) -> int:
    """Count what the matrix products of our update cost, in floating-point operations.

    The last layer has keys and values for every token, and all else for the slots alone. A product
    and a sum are two operations, and a backward pass is two forward passes: six in all.
    """
    config = encoder_config(case)
    hidden = config.hidden_size
    feed_forward = 2 * hidden * config.intermediate_size
    attention = 2 * SEQ * hidden
    keys_and_values = queries_and_output = 2 * hidden**2
    whole_layer = keys_and_values + queries_and_output + feed_forward + attention
    per_token = (config.num_hidden_layers - 1) * whole_layer + keys_and_values
    per_slot = queries_and_output + feed_forward + attention
    per_label = hidden**2 + hidden * case.vocab_size
    per_row = SEQ * per_token + (SELECTED + 1) * per_slot + SELECTED * per_label
    return 6 * case.batch_size * per_row


PRODUCT_SIZE = 1024


def products() -> tuple[Callable[[], Tensor], Callable[[], Tensor]]:
    """Make two ways to multiply square matrices; the faster is what this machine can do."""
    left, right = torch.rand(2, PRODUCT_SIZE, PRODUCT_SIZE)
    bias = torch.zeros(PRODUCT_SIZE)
    return lambda: left @ right, lambda: linear(left, right, bias)


def measure(case: Case, *, rounds: int) -> str:
    """Time one case and write its line."""
    rows = random_rows(case)
    ours, theirs, *product = seconds(
        our_update(case, rows), their_update(case, rows), *products(), rounds=rounds
    )
    tokens = case.batch_size * SEQ
    rate = 2 * PRODUCT_SIZE**3 / min(product)
    share = executed_flops(case) / ours / rate
    return (
        f"{case.vocab_size:10,} {case.dropout:8} {case.batch_size:6} {tokens / ours:9,.0f} "
        f"{tokens / theirs:9,.0f} {theirs / ours:6.2f}x {share:9.0%} {rate / 1e9:9.0f}"
    )


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("encoder", description=__doc__, allow_abbrev=False)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15, help="timed updates of each model")
    options = parser.parse_args(arguments)
    print("4 layers, hidden size 256, length 128, 15% selected, fp32, tokens per second")
    for threads in options.threads:
        torch.set_num_threads(threads)
        print(f"\nthreads: {threads}")
        print("vocabulary  dropout  batch      ours     peer   ratio  of products  GFLOP/s")
        for case in CASES:
            print(measure(case, rounds=options.rounds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
