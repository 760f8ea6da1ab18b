"""Examples as spans of a corpus: where each starts and stops, in tokens.

In: arrays, as packing leaves them. Out: the same, by their meaning. Large ones lie in files and
are mapped: a batch reads the few places that it asks for, and a process that gets them opens them
anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64, Shaped

from lit_roberta.data.examples.columns import map_columns
from lit_roberta.data.examples.config import PAIR_FORMATS, PackingConfig
from lit_roberta.data.examples.partners import Partners

TOTALS = "totals.json"
"""The file of what is known of all examples together."""


class Totals(NamedTuple):
    """What is known of all examples together."""

    kept_tokens: int
    dropped_tokens: int
    total_length: int
    longest: int


@dataclass(frozen=True, kw_only=True)
class Examples:
    """Examples as spans of a corpus, in corpus order."""

    config: PackingConfig
    starts: Int64[np.ndarray, " examples"]
    """Where each example starts, in tokens."""
    stops: Int64[np.ndarray, " examples"]
    """Where the text of a single format stops, or the A of a pair, and its true B starts."""
    next_stops: Int64[np.ndarray, " examples"] | None
    """Where the true B of a pair stops. None: a single format."""
    pair_targets: Int64[np.ndarray, " examples"] | None
    """Tokens that A and B fill together if their first sentences let them. None: single format."""
    piece_offsets: Int64[np.ndarray, " piece_offsets"] | None
    """Where each piece starts that a random B is made of, in tokens. None: a single format."""
    partners: Partners | None
    """Where a random B may start. None: a single format."""
    document_token_offsets: Int64[np.ndarray, " document_offsets"]
    """Where each document starts, in tokens."""
    dropped_tokens: int
    """Tokens that no example holds: those of documents with one sentence, which give no pair."""
    kept_tokens: int
    """Tokens that some example holds; with the dropped ones, all of the corpus."""
    total_length: int
    """Tokens of all examples, special ones included; pairs with their true B."""
    longest: int
    """Tokens of the longest example, likewise."""
    folder: Path | None = None
    """Where the arrays lie on disk; None in memory."""

    @classmethod
    def of(
        cls,
        config: PackingConfig,
        columns: Mapping[str, Shaped[np.ndarray, " items"]],
        totals: Totals,
        *,
        folder: Path | None = None,
    ) -> Examples:
        """Give arrays their meaning: see `column_kinds` for their names."""
        facts: dict[str, Any] = totals._asdict()
        facts |= {"config": config, "folder": folder}
        facts["document_token_offsets"] = columns["document_token_offsets"]
        if config.format not in PAIR_FORMATS:
            borders = columns["borders"]
            nothing: dict[str, Any] = {"next_stops": None, "pair_targets": None, "partners": None}
            facts |= {"piece_offsets": None, "starts": borders[:-1], "stops": borders[1:]}
            return cls(**nothing, **facts)
        stops, offsets = columns["stops"], columns["piece_offsets"]
        zero = np.zeros(1, dtype=np.int64)
        return cls(
            starts=columns["starts"],
            stops=stops,
            next_stops=columns["next_stops"],
            # A view of one number, of one sentence each: it takes no memory.
            pair_targets=columns.get("pair_targets", np.broadcast_to(zero, len(stops))),
            piece_offsets=offsets,
            partners=Partners(
                starts=offsets[:-1] if config.nsp_first_sentences else stops,
                texts=columns["texts"],
            ),
            **facts,
        )

    @classmethod
    def open(cls, folder: Path, config: PackingConfig) -> Examples:
        """Map the examples of a folder into memory.

        Args:
            folder: What packing wrote.
            config: How they were packed.
        """
        totals = Totals(**json.loads((folder / TOTALS).read_bytes()))
        return cls.of(config, map_columns(folder, column_kinds(config)), totals, folder=folder)

    def __reduce__(self) -> str | tuple[Callable[..., Examples], tuple[Any, ...]]:
        # A process that gets examples from disk opens them anew: they may be larger than memory.
        if self.folder is None:
            return super().__reduce__()
        return Examples.open, (self.folder, self.config)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def lengths(self) -> Int64[np.ndarray, " examples"]:
        """Tokens of each example, special ones included; pairs with their true B."""
        return self.lengths_of(np.arange(len(self)))

    def lengths_of(self, numbers: Int64[np.ndarray, " some"]) -> Int64[np.ndarray, " some"]:
        """Count the tokens of some examples, likewise: all may be more than memory holds."""
        starts = self.starts[numbers]
        if self.next_stops is not None:
            return self.next_stops[numbers] - starts + 3
        stops = self.stops[numbers]
        lengths = stops - starts + 2
        if self.config.format == "full-sentences":
            lengths += self.inner_boundaries(starts, stops)[1]
        return lengths

    def documents_of(self, tokens: Int64[np.ndarray, " some"]) -> Int64[np.ndarray, " some"]:
        """Find the document, from 0, that each token stands in."""
        return np.searchsorted(self.document_token_offsets, tokens, side="right") - 1

    def inner_boundaries(
        self, starts: Int64[np.ndarray, " spans"], stops: Int64[np.ndarray, " spans"]
    ) -> tuple[Int64[np.ndarray, " spans"], Int64[np.ndarray, " spans"]]:
        """Find the document boundaries strictly inside spans: the first one, and how many."""
        boundaries = self.document_token_offsets
        first = np.searchsorted(boundaries, starts, side="right")
        return first, np.searchsorted(boundaries, stops, side="left") - first


def column_kinds(config: PackingConfig) -> dict[str, np.dtype[Any]]:
    """Name the arrays of a format."""
    names = ["document_token_offsets"]
    if config.format in PAIR_FORMATS:
        names += ["starts", "stops", "next_stops", "piece_offsets"]
        names += ["pair_targets"] * (config.format == "segment-pair")
    else:
        names.append("borders")
    kinds = dict.fromkeys(names, np.dtype(np.int64))
    return kinds | ({"texts": np.dtype(np.uint64)} if config.format in PAIR_FORMATS else {})
