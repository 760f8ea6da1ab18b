"""Held-out sentences with blanks, and what a model puts into them: to be looked at, not counted.

The sentences are the first by a hash, all of them are shown, and they and their blanks are the
same for every model. A sentence stands alone, which is no recipe's own format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64

from lit_roberta.data.evaluation.heldout_masks import HELD_OUT_SEED
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.model.bert import BertModel
from lit_roberta.randomness import Purpose, random_bits

NUM_SAMPLES = 8
NUM_GUESSES = 3
_BLANKS = 0.15
"""Share of a sentence's tokens that is blanked; one token at least."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A sentence with blanks."""

    token_ids: tuple[int, ...]
    """The whole sentence, without special tokens."""
    blanks: tuple[int, ...]
    """Places in it that are hidden, ascending."""


@dataclass(frozen=True, kw_only=True)
class Guess:
    """One guess for one blank."""

    text: str
    probability: float
    right: bool


def choose_samples(corpus: TokenizedCorpus, tokenizer: Tokenizer, *, room: int) -> list[Sample]:
    """Choose the sentences and their blanks.

    Args:
        corpus: The test part.
        tokenizer: Knows which tokens can be hidden.
        room: The most tokens of a sentence that are shown.

    Returns:
        At most NUM_SAMPLES sentences; those without a token to hide are passed over.
    """
    order = np.argsort(
        random_bits(HELD_OUT_SEED, Purpose.SAMPLE, np.arange(corpus.num_sentences)), kind="stable"
    )
    samples: list[Sample] = []
    for sentence in order.tolist():
        start, stop = corpus.sentence_offsets[sentence : sentence + 2].tolist()
        tokens = np.asarray(corpus.tokens[start : min(stop, start + room)], dtype=np.int64)
        blanks = _choose_blanks(tokens, sentence, tokenizer)
        if blanks:
            samples.append(Sample(token_ids=tuple(tokens.tolist()), blanks=blanks))
        if len(samples) == NUM_SAMPLES:
            break
    return samples


def _choose_blanks(
    tokens: Int64[np.ndarray, " tokens"], sentence: int, tokenizer: Tokenizer
) -> tuple[int, ...]:
    places = np.flatnonzero(tokenizer.vocabulary.maskable[tokens])
    count = max(1, round(_BLANKS * len(places)))
    hashes = random_bits(HELD_OUT_SEED, Purpose.SAMPLE, sentence, places)
    return tuple(sorted(places[np.argsort(hashes, kind="stable")[:count]].tolist()))


@torch.no_grad()  # not in inference mode: a sharded model could not train afterwards
def guess_blanks(model: BertModel, sample: Sample, tokenizer: Tokenizer) -> list[list[Guess]]:
    """Let a model fill the blanks of a sentence.

    Returns:
        The best guesses for each blank, best first.
    """
    vocabulary = tokenizer.vocabulary
    ids = torch.tensor([[vocabulary.cls_id, *sample.token_ids, vocabulary.sep_id]])
    places = torch.tensor(sample.blanks) + 1  # behind [CLS]
    ids[0, places] = vocabulary.mask_id
    was_training = model.training
    device = next(model.parameters()).device
    model.eval()
    logits = model(ids.to(device)).mlm_logits[0, places]
    model.train(was_training)
    best = logits.float().softmax(dim=-1).topk(min(NUM_GUESSES, vocabulary.size))
    answers = [sample.token_ids[place] for place in sample.blanks]
    return [
        [
            Guess(
                text=tokenizer.decode([token]).strip(),
                probability=probability,
                right=token == answer,
            )
            for probability, token in zip(probabilities, tokens, strict=True)
        ]
        for answer, probabilities, tokens in zip(
            answers, best.values.tolist(), best.indices.tolist(), strict=True
        )
    ]


def write_out(sample: Sample, tokenizer: Tokenizer) -> list[str]:
    """Write a sentence as text, blank, text, blank, ..., text: the blanks hold what was hidden."""
    parts: list[str] = []
    start = 0
    for place in sample.blanks:
        parts.append(_decode(tokenizer, sample.token_ids[start:place]))
        parts.append(_decode(tokenizer, sample.token_ids[place : place + 1]))
        start = place + 1
    return [*parts, _decode(tokenizer, sample.token_ids[start:])]


def _decode(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(ids).strip() if ids else ""
