"""A model with more rows than it came with: for words that its tokenizer got, and for longer text.

In: a model on its way. Out: the same one with larger tables. Every row that it had stays as it
was, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.exchange.pretrained import Pretrained

_MOST = 2**20
_TOKENS = "embeddings.token.weight"
_BIAS = "masked_lm_head.bias"
_POSITIONS = "embeddings.position.weight"


def with_words(
    pretrained: Pretrained, pieces: Mapping[int, Sequence[int]], *, vocab_size: int
) -> Pretrained:
    """Give a model rows for new words, each the mean of the rows of its pieces.

    So a new word starts from what the model saw in its place so far. The decoder is tied to the
    embedding; its bias starts from the mean of the pieces', too.

    Args:
        pretrained: The model. It may have more rows than its tokenizer has entries: new words
            take those first.
        pieces: By the id of each new word: the ids that stood for it so far.
        vocab_size: Entries of the tokenizer, new words included.
    """
    rows = max(vocab_size, pretrained.encoder.vocab_size)
    weights = {
        name: _lengthened(weight, rows, pieces) if name in (_TOKENS, _BIAS) else weight
        for name, weight in pretrained.weights.items()
    }
    return replace(
        pretrained, encoder=replace(pretrained.encoder, vocab_size=rows), weights=weights
    )


def with_positions(pretrained: Pretrained, length: int) -> Pretrained:
    """Lengthen the position table: behind its last row it begins again with its first.

    Copies keep what attention does to near neighbours, everywhere but at the seams. Drawn at
    random, new rows would have to be learned from nothing.

    Source: Beltagy et al. 2020 (Longformer), section 5, "Position Embeddings", where a language
    model starts at 1.957 bits a character from copies and at 10.299 from random rows.

    Args:
        pretrained: The model.
        length: Positions that it is to have.

    Raises:
        UserError: If that is fewer than it has.
    """
    check_length(pretrained, length)
    rows = pretrained.weights[_POSITIONS]
    longer = rows[torch.arange(length) % len(rows)]
    return replace(
        pretrained,
        encoder=replace(pretrained.encoder, max_position_embeddings=length),
        weights={**pretrained.weights, _POSITIONS: longer},
    )


def check_length(pretrained: Pretrained, length: int) -> None:
    """Refuse a shorter table of positions than a model has, and one that no memory holds.

    Raises:
        UserError: If it is either.
    """
    rows = pretrained.encoder.max_position_embeddings
    if length > _MOST:
        remedy = "Attention takes memory by the square of it: some thousands will do."
        raise must("model.extend_positions", f"be at most {_MOST:,}", length, remedy)
    if length < rows:
        remedy = "Positions can be added and not taken away: leave it out."
        raise must("model.extend_positions", f"be {rows} or more", length, remedy)


def _lengthened(weight: Tensor, rows: int, pieces: Mapping[int, Sequence[int]]) -> Tensor:
    longer = weight.new_zeros(rows, *weight.shape[1:])
    longer[: len(weight)] = weight
    for number, parts in pieces.items():
        longer[number] = weight[list(parts)].float().mean(0)
    return longer
