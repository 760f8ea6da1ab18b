"""Token documents to examples, as spans of tokens: the five input formats.

In: a tokenized corpus. Out: where each example starts and stops, in tokens. No token is copied, no
special token is placed and nothing is masked here; those happen anew in every update.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.examples.partners import Partners, find_partners
from lit_roberta.data.examples.pieces import Pieces, cut_sentences
from lit_roberta.data.examples.runs import PairRuns, fitting_stops, follow, pair_runs
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import must
from lit_roberta.randomness import Purpose, below, random_bits, unit

Format = Literal["sentence", "sentence-pair", "segment-pair", "doc-sentences", "full-sentences"]

PAIR_FORMATS: frozenset[Format] = frozenset({"sentence-pair", "segment-pair"})
"""The formats with a B, and so with a next-sentence label."""

LONGEST = 65_535
"""The longest example that masks can be drawn for, in tokens: a position has 16 bits there."""

_FILLED_FORMATS: frozenset[Format] = frozenset({"segment-pair", "doc-sentences", "full-sentences"})
"""The formats that fill the length, which a short sequence can fall short of."""


@dataclass(frozen=True, kw_only=True)
class PackingConfig:
    """How text becomes examples.

    Source: Liu et al. 2019, section 4.2, for the formats; Devlin et al. 2019 for segment-pair.
    """

    format: Format
    """What an example is; see the table of formats in the README."""
    max_length: int
    """Longest example, in tokens, special tokens included."""
    short_sequence_probability: float = 0.0
    """Share of examples that fill a random shorter length. BERT: 0.1. RoBERTa removed it."""
    nsp_first_sentences: bool = False
    """Let a random B open its document, as Google's script does; B alone then tells much."""

    def __post_init__(self) -> None:
        pairs = self.format in PAIR_FORMATS
        shortest = 5 if pairs else 3
        if not shortest <= self.max_length <= LONGEST:
            raise must(
                "data.max_length",
                f"lie between {shortest} and {LONGEST} for {self.format}",
                self.max_length,
                "The special tokens of an example count, too.",
            )
        share = self.short_sequence_probability
        if not 0 <= share <= 1:
            raise must(
                "data.short_sequence_probability",
                "lie between 0 and 1",
                share,
                "For 10%, give 0.1.",
            )
        if share and self.format not in _FILLED_FORMATS:
            raise must(
                "data.short_sequence_probability",
                f"be 0 for {self.format}, whose examples do not fill the length",
                share,
                f"Set it to 0, or choose one of {', '.join(sorted(_FILLED_FORMATS))}.",
            )
        if self.nsp_first_sentences and not pairs:
            raise must(
                "data.nsp_first_sentences",
                f"be off for {self.format}, which has no next sentence",
                self.nsp_first_sentences,
                f"Turn it off, or choose one of {', '.join(sorted(PAIR_FORMATS))}.",
            )

    @property
    def sentence_room(self) -> int:
        """The most tokens of one sentence: in a pair, two of them have to fit."""
        if self.format in PAIR_FORMATS:
            return (self.max_length - 3) // 2
        return self.max_length - 2


@dataclass(frozen=True, kw_only=True)
class Examples:
    """Examples as spans of a corpus, in corpus order."""

    config: PackingConfig
    pieces: Pieces
    starts: Int64[np.ndarray, " examples"]
    """Where each example starts, in tokens."""
    stops: Int64[np.ndarray, " examples"]
    """Where the text of a single format stops, or the A of a pair, and its true B starts."""
    next_stops: Int64[np.ndarray, " examples"] | None
    """Where the true B of a pair stops. None: a single format."""
    pair_targets: Int64[np.ndarray, " examples"] | None
    """Tokens that A and B fill together if their first sentences let them. None: single format."""
    partners: Partners | None
    """Where a random B may start. None: a single format."""
    dropped_tokens: int
    """Tokens that no example holds: those of documents with one sentence, which give no pair."""
    kept_tokens: int
    """Tokens that some example holds; with the dropped ones, all of the corpus."""

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def lengths(self) -> Int64[np.ndarray, " examples"]:
        """Tokens of each example, special ones included; pairs with their true B."""
        if self.next_stops is not None:
            return self.next_stops - self.starts + 3
        return self.stops - self.starts + 2 + self.inner_boundaries(self.starts, self.stops)[1]

    def inner_boundaries(
        self, starts: Int64[np.ndarray, " spans"], stops: Int64[np.ndarray, " spans"]
    ) -> tuple[Int64[np.ndarray, " spans"], Int64[np.ndarray, " spans"]]:
        """Find the document boundaries strictly inside spans: the first one, and how many."""
        boundaries = self.pieces.document_token_offsets
        first = np.searchsorted(boundaries, starts, side="right")
        return first, np.searchsorted(boundaries, stops, side="left") - first


def pack(corpus: TokenizedCorpus, config: PackingConfig, *, seed: int) -> Examples:
    """Pack a corpus into examples of one format.

    Args:
        corpus: The tokenized corpus.
        config: The format and its settings.
        seed: Draws the lengths of segments and short sequences; neither moves between epochs.

    Returns:
        The examples. `kept_tokens + dropped_tokens` is the number of tokens of the corpus.

    Raises:
        UserError: If there is no example, or if a pair could find no random B.
    """
    if not corpus.num_tokens:
        raise must("data.corpus", "hold at least one sentence", "none", "Give a longer text.")
    pieces = cut_sentences(corpus, room=config.sentence_room)
    if config.format in PAIR_FORMATS:
        return _pack_pairs(corpus, pieces, config, seed=seed)
    stops = _run_stops(pieces, config, seed=seed)
    first = follow(stops)
    return Examples(
        config=config,
        pieces=pieces,
        starts=pieces.offsets[first],
        stops=pieces.offsets[stops[first]],
        next_stops=None,
        pair_targets=None,
        partners=None,
        kept_tokens=corpus.num_tokens,
        dropped_tokens=0,
    )


def _run_stops(
    pieces: Pieces, config: PackingConfig, *, seed: int
) -> Int64[np.ndarray, " pieces"]:
    """Find where a run of a single format would stop for each piece that it could start at."""
    one = np.arange(1, len(pieces) + 1)
    if config.format == "sentence":
        return one
    starts, ends = pieces.offsets[:-1], pieces.offsets[1:]
    last = pieces.document_stops
    if config.format == "full-sentences":
        # Each document boundary inside costs a [SEP]: shift every document by one more token.
        starts, ends = starts + pieces.documents, ends + pieces.documents
        last = np.full_like(last, len(pieces))
    room = _targets(len(pieces), config, room=config.max_length - 2, seed=seed)
    return fitting_stops(ends, starts + room, at_least=one, at_most=last)


def _targets(
    num_pieces: int, config: PackingConfig, *, room: int, seed: int
) -> Int64[np.ndarray, " pieces"]:
    """Draw the length to fill for an example that starts at each piece.

    Source: google-research/bert create_pretraining_data.py:230-238, which draws it once a
    document.
    """
    targets = np.full(num_pieces, room)
    if not config.short_sequence_probability:
        return targets
    numbers = np.arange(num_pieces)
    chance = unit(random_bits(seed, Purpose.SHORT_SEQUENCE, numbers, 0))
    shorter = 2 + below(random_bits(seed, Purpose.SHORT_SEQUENCE, numbers, 1), max(room - 1, 1))
    return np.where(chance < config.short_sequence_probability, np.minimum(shorter, room), targets)


def pair_runs_of(pieces: Pieces, config: PackingConfig, *, seed: int) -> PairRuns:
    """Find the A and the B that would start at each piece, in either pair format."""
    targets = None
    if config.format == "segment-pair":
        targets = _targets(len(pieces), config, room=config.max_length - 3, seed=seed)
    return pair_runs(pieces, targets=targets, room=config.max_length - 3, seed=seed)


def _pack_pairs(
    corpus: TokenizedCorpus, pieces: Pieces, config: PackingConfig, *, seed: int
) -> Examples:
    """Let A run over each document, with a B behind each A."""
    runs = pair_runs_of(pieces, config, seed=seed)
    first = follow(runs.stops)
    first = first[first + 1 < pieces.document_stops[first]]
    if not len(first):
        raise must(
            "data.corpus",
            f"hold a document of two sentences for {config.format}",
            f"{corpus.num_documents} documents of one sentence",
            "Choose doc-sentences, or mark documents by blank lines.",
        )
    stops = pieces.offsets[runs.stops[first]]
    alone = np.diff(pieces.document_offsets) == 1
    dropped = int(np.diff(pieces.document_token_offsets)[alone].sum())
    return Examples(
        config=config,
        pieces=pieces,
        starts=pieces.offsets[first],
        stops=stops,
        next_stops=pieces.offsets[runs.next_stops[first]],
        pair_targets=runs.targets[first],
        partners=find_partners(
            corpus, pieces, true_starts=stops, any_sentence=config.nsp_first_sentences
        ),
        kept_tokens=corpus.num_tokens - dropped,
        dropped_tokens=dropped,
    )
