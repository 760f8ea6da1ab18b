"""Pairs for next-sentence prediction: which B an example gets at a visit.

In: examples as packed. Out: spans, in tokens, and labels. Label 1 means that B follows A.

How the pairs differ from Google's create_pretraining_data.py, on purpose:

- The split into segments is one, whatever the number of mask copies; theirs is drawn again for
  each copy.
- A segments tile each document, and B is what follows A, so a B overlaps the next A. Theirs puts
  the sentences that a random B displaced back, and cuts what is too long at random ends; we never
  cut.
- A random B comes from another document, never opens with the sentence that truly follows, and is
  drawn anew by the same visit as the mask. Theirs may be the true one by accident, and is then
  labelled random.
- A random B starts where a true B could. Theirs starts at any sentence, the first of a document
  included, which no true B ever is: so B alone would tell the label in five cases of eight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.data.examples.packing import Examples
from lit_roberta.data.examples.runs import fitting_stops
from lit_roberta.randomness import Purpose, below, keyed_bits

_REDRAWS = 8
"""Draws of a partner before the candidates are tried in turn."""


class Pairs(NamedTuple):
    """The A and the B that examples get at one visit, in tokens."""

    starts: Int64[np.ndarray, " batch"]
    stops: Int64[np.ndarray, " batch"]
    next_starts: Int64[np.ndarray, " batch"]
    next_stops: Int64[np.ndarray, " batch"]
    labels: Int64[np.ndarray, " batch"]
    """1: B follows A. 0: B is random."""


def draw_pairs(
    examples: Examples,
    numbers: Int64[np.ndarray, " batch"],
    keys: UInt64[np.ndarray, " batch"],
) -> Pairs:
    """Give half of the examples a random B.

    A random B fills what A leaves of the target, as a true one does. Where its first sentence does
    not fit behind A, A gives up sentences at its end, as it did for the true B when it was packed:
    otherwise long sentences would be rarer in random Bs.

    Args:
        examples: Examples of a pair format.
        numbers: Which of them.
        keys: The key of each, from its number and its visit.

    Returns:
        The pairs.
    """
    assert examples.pair_targets is not None, "the examples are pairs"
    assert examples.next_stops is not None, "the examples are pairs"
    assert examples.piece_offsets is not None, "the examples are pairs"
    starts, stops = examples.starts[numbers], examples.stops[numbers]
    label_bits = keyed_bits(keys, Purpose.NEXT_SENTENCE_LABEL)
    labels = (label_bits >> np.uint64(63)).astype(np.int64)
    random_starts = _draw_partners(examples, numbers, keys)
    next_starts = np.where(labels, stops, random_starts)
    offsets = examples.piece_offsets
    ends = examples.document_token_offsets[examples.documents_of(next_starts) + 1]
    first = np.searchsorted(offsets, next_starts)
    room = starts + examples.config.max_length - 3 - (offsets[first + 1] - next_starts)
    stops = np.minimum(stops, offsets[np.searchsorted(offsets, room, side="right") - 1])
    random_stops = fitting_stops(
        offsets[1:],
        next_starts + examples.pair_targets[numbers] - (stops - starts),
        at_least=first + 1,
        at_most=np.searchsorted(offsets, ends),
    )
    next_stops = np.where(labels, examples.next_stops[numbers], offsets[random_stops])
    return Pairs(starts, stops, next_starts, next_stops, labels)


def _draw_partners(
    examples: Examples,
    numbers: Int64[np.ndarray, " batch"],
    keys: UInt64[np.ndarray, " batch"],
) -> Int64[np.ndarray, " batch"]:
    """Draw where a random B starts: in another document, and not with the text of the true one."""
    partners = examples.partners
    assert partners is not None, "the examples are pairs"
    borders = examples.document_token_offsets
    documents = examples.documents_of(examples.starts[numbers])
    first = np.searchsorted(partners.starts, borders[documents])
    own = np.searchsorted(partners.starts, borders[documents + 1]) - first
    others = len(partners.starts) - own
    true_texts = partners.texts[np.searchsorted(partners.starts, examples.stops[numbers])]

    def draw(attempt: int) -> Int64[np.ndarray, " batch"]:
        return below(keyed_bits(keys, Purpose.NEXT_SENTENCE_PARTNER, attempt), others)

    def candidates(drawn: Int64[np.ndarray, " batch"]) -> Int64[np.ndarray, " batch"]:
        return drawn + np.where(drawn >= first, own, 0)

    drawn = draw(0)
    attempt = 1
    while (wrong := partners.texts[candidates(drawn)] == true_texts).any():
        again = draw(attempt) if attempt < _REDRAWS else (drawn + 1) % others
        drawn = np.where(wrong, again, drawn)
        attempt += 1
    return partners.starts[candidates(drawn)]
