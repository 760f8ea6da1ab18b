"""What a sequence of a recipe costs in floating-point operations, counted on its own updates.

In: a recipe's text and its encoder. Out: a mean for each stage of length. A finished run counts
the same operations on every update that it was fed.
"""

from __future__ import annotations

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.data.training_text import TrainingText
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.costs import Costs

_BATCH = 32
_UPDATES_BUILT = 256
"""At the most, evenly spread over an epoch; they take a second or so."""


def flops_per_sequence(data: PretrainingDataModule, encoder: EncoderConfig) -> list[float]:
    """Count the mean floating-point operations of a training sequence, forward and backward.

    Args:
        data: The recipe's.
        encoder: The recipe's.

    Returns:
        One mean for each stage of length, in the order of the stages.
    """
    text = data.training
    return [
        _mean(
            text.alone(stage, batch_size=max(1, min(_BATCH, text.num_examples(stage) // 2))),
            data.vocabulary,
            encoder,
        )
        for stage in range(text.num_stages)
    ]


def _mean(text: TrainingText, vocabulary: Vocabulary, encoder: EncoderConfig) -> float:
    total = max(1, text.num_examples(0) // text.full_batch(0))
    stream, costs = text.stream(0, sizes=text.sizes(total)), Costs()
    wanted = min(total, _UPDATES_BUILT)
    for place in range(wanted):
        update = stream[(2 * place + 1) * total // (2 * wanted)]
        costs.add(update, encoder=encoder, vocabulary=vocabulary)
    return costs.flops / costs.sequences
