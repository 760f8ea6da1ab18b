"""What an update holds, for a person who wants to look: which examples, from where in the text."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.examples.packing import Examples


class UpdateContents(NamedTuple):
    """The examples of one update over all ranks, in the order of the stream.

    Of a pair this is its A and true B; the random B that may take B's place is not in it.
    """

    number: int
    """The update's number, from 0."""
    examples: Int64[np.ndarray, " sequences"]
    """Numbers of the examples, in corpus order."""
    documents: Int64[np.ndarray, " sequences"]
    """The document of the training part in which each starts, from 0."""
    starts: Int64[np.ndarray, " sequences"]
    """Where each starts in the training part, in tokens."""
    stops: Int64[np.ndarray, " sequences"]
    """Where each stops."""

    def names(self) -> list[str]:
        """Name each example, for a line."""
        pairs = zip(self.examples.tolist(), self.documents.tolist(), strict=True)
        return [f"{example} (document {document})" for example, document in pairs]

    def records(self, data: Any) -> list[dict[str, Any]]:
        """Give each example whole, for a file.

        Args:
            data: The data module, whose tokenizer turns the tokens back into text.
        """
        tokens = data.parts.train.tokens
        spans = zip(*(column.tolist() for column in self[1:]), strict=True)
        return [
            {
                "example": example,
                "document": document,
                "tokens": [start, stop],
                "text": data.tokenizer.decode(tokens[start:stop].tolist()),
            }
            for example, document, start, stop in spans
        ]


def update_contents(
    number: int, numbers: Int64[np.ndarray, " sequences"], examples: Examples
) -> UpdateContents:
    """Look up where the examples of an update lie.

    Args:
        number: The update's.
        numbers: The examples that it holds.
        examples: All of them, as packed.
    """
    starts = examples.starts[numbers]
    ends = examples.stops if examples.next_stops is None else examples.next_stops
    documents = examples.documents_of(starts)
    return UpdateContents(number, numbers, documents, starts, ends[numbers])
