"""What stands behind the masks of a text, by a model's own probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.inference.batching import batches_by_length, pad
from lit_roberta.inference.masked_text import Sentence
from lit_roberta.inference.text_model import TextModel
from lit_roberta.inference.texts import Lengths, OnTooLong, check_texts

_BATCH_TOKENS = 2048


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A token for a mask."""

    token_id: int
    token: str
    """As it reads in the sentence, without spaces around it."""
    probability: float
    """Of all tokens of the vocabulary, control tokens included, all other masks being masked."""
    sentence: str
    """The text with it; other masks stay."""


@dataclass(frozen=True, kw_only=True)
class FilledText:
    """A text, and what a model puts in place of its masks."""

    text: str
    """As it was given."""
    filled: str
    """With the most probable token in place of each mask."""
    masks: list[list[Candidate]]
    """For each mask, in order: the most probable tokens, best first."""


@torch.inference_mode()
def fill_mask(
    model: TextModel,
    texts: Sequence[str],
    *,
    top_k: int = 5,
    on_too_long: OnTooLong = "truncate",
) -> list[FilledText]:
    """Tell what stands behind the masks of texts.

    Several masks of a text are predicted each with the others masked. A text that is too long is
    cut around its masks. Control tokens and [UNK] are no candidates: they are no text.

    Args:
        model: With a masked-language-model head.
        texts: Each with one mask or more: the tokenizer's own mask token; or `[MASK]` or
            `<mask>`, where the text has none of the tokenizer's own.
        top_k: Candidates of each mask.
        on_too_long: What is done with a text of more tokens than the model takes.

    Returns:
        In the order of the texts.

    Raises:
        UserError: If a text has no mask, or its masks lie too far apart.
    """
    if top_k < 1:
        raise must("--top-k", "be 1 or more", top_k, "Give a positive whole number.")
    check_texts(texts)
    sentences = [Sentence(text, model.tokenizer) for text in texts]
    lengths = Lengths(model.room, on_too_long)
    windows = [_window(sentence, lengths) for sentence in sentences]
    lengths.report()
    best: dict[int, list[list[tuple[int, float]]]] = {}
    candidates = _candidates(model.tokenizer, size=model.bert.config.vocab_size)
    for batch in batches_by_length(
        [window.stop - window.start for window in windows], batch_tokens=_BATCH_TOKENS
    ):
        chosen = [(sentences[row], windows[row]) for row in batch]
        for row, probabilities in zip(batch, _predict(model, chosen), strict=True):
            best[row] = _best(probabilities, candidates, top_k)
    return [_write(sentence, best[row]) for row, sentence in enumerate(sentences)]


def _window(sentence: Sentence, lengths: Lengths) -> slice:
    """Choose the tokens that the model sees: all, or as many as fit, with the masks among them."""
    length, room = len(sentence.ids), lengths.room
    if lengths.fits(sentence.text, length):
        return slice(0, length)
    first, last = sentence.places[0], sentence.places[-1]
    if last - first >= room:
        rule = f"lie within {room:,} tokens"
        raise must("the masks", rule, last - first + 1, "The model takes no more.")
    start = 0 if last < room else min(first - (room - (last - first)) // 2, length - room)
    return slice(start, start + room)


def _predict(
    model: TextModel, chosen: Sequence[tuple[Sentence, slice]]
) -> Iterator[Float[Tensor, "masks vocab"]]:
    rows = [model.row(sentence.ids[window]) for sentence, window in chosen]
    places = [
        [place - window.start + 1 for place in sentence.places] for sentence, window in chosen
    ]
    most = max(map(len, places))
    slots = torch.tensor([[*row, *[0] * (most - len(row))] for row in places])
    logits = model.logits(pad(rows, pad_id=model.tokenizer.vocabulary.pad_id), slots)
    for row, own in enumerate(places):
        yield logits[row, : len(own)].softmax(dim=-1).cpu()


def _candidates(tokenizer: Tokenizer, *, size: int) -> Bool[Tensor, " vocab"]:
    """Tell which of the tokens that a model predicts are text."""
    found = np.zeros(size, dtype=bool)
    found[: tokenizer.vocab_size] = tokenizer.vocabulary.maskable
    return torch.from_numpy(found)


def _best(
    probabilities: Float[Tensor, "masks vocab"], candidates: Bool[Tensor, " vocab"], top_k: int
) -> list[list[tuple[int, float]]]:
    """Give tokens and their probabilities, for each mask."""
    count = min(top_k, int(candidates.sum()))
    best = probabilities.masked_fill(~candidates, -1.0).topk(count)
    return [
        list(zip(tokens, shares, strict=True))
        for tokens, shares in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def _write(sentence: Sentence, best: Sequence[Sequence[tuple[int, float]]]) -> FilledText:
    masks = []
    for number, tokens in enumerate(best):
        alone: list[int | None] = [None] * len(best)
        found = []
        for token, probability in tokens:
            alone[number] = token
            found.append(
                Candidate(
                    token_id=token,
                    token=sentence.written(sentence.ids, number, token).strip(),
                    probability=probability,
                    sentence=sentence.filled(alone),
                )
            )
        masks.append(found)
    return FilledText(
        text=sentence.text,
        filled=sentence.filled([tokens[0][0] for tokens in best]),
        masks=masks,
    )
