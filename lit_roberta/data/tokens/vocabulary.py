"""The ids that packing and masking have to know, without the tokenizer that made them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Int64


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """Size and special ids of a vocabulary."""

    size: int
    """Entries, special tokens included."""
    pad_id: int
    unk_id: int | None
    """None where every text can be spelled, as with byte-level BPE."""
    cls_id: int
    sep_id: int
    mask_id: int
    special_ids: frozenset[int]
    """Every control token, the five above included."""

    @classmethod
    def plain(cls, size: int) -> Vocabulary:
        """Describe what our own tokenizers make: five special tokens in front, then the rest.

        Args:
            size: Entries, the five included; below six it is six.
        """
        return cls(
            size=max(size, 6),
            pad_id=0,
            unk_id=1,
            cls_id=2,
            sep_id=3,
            mask_id=4,
            special_ids=frozenset(range(5)),
        )

    @cached_property
    def maskable(self) -> Bool[np.ndarray, " vocab"]:
        """Whether a token may be selected for prediction: neither special nor unknown."""
        table = np.ones(self.size, dtype=bool)
        table[sorted(self.special_ids)] = False
        return table

    @cached_property
    def ordinary_ids(self) -> Int64[np.ndarray, " ordinary"]:
        """The ids that a random replacement is drawn from: all but the special ones."""
        return np.flatnonzero(self.maskable)
