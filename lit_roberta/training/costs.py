"""What a run was fed and what it cost, counted from the updates themselves.

In: updates, as the training loop gets them. Out: sums. Nothing is estimated: each number is what
this run saw.
"""

from __future__ import annotations

from dataclasses import dataclass

from lit_roberta.batch import IGNORE_INDEX, Update
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.flops import training_flops


@dataclass
class Costs:
    """Sums over the updates of a run."""

    updates: int = 0
    sequences: int = 0
    tokens: int = 0
    """Non-padding tokens fed, special ones included."""
    text_tokens: int = 0
    """The same without `[CLS]` and `[SEP]`: the text itself."""
    predictions: int = 0
    flops: float = 0.0

    def add(self, update: Update, *, encoder: EncoderConfig, vocabulary: Vocabulary) -> None:
        """Count one update, this process being the only one."""
        lengths = update.attention_mask.sum(dim=1)
        predictions = (update.labels != IGNORE_INDEX).sum(dim=1)
        frame = (update.input_ids == vocabulary.cls_id) | (update.input_ids == vocabulary.sep_id)
        self.updates += 1
        self.sequences += len(lengths)
        self.tokens += int(lengths.sum())
        self.text_tokens += int((update.attention_mask & ~frame).sum())
        self.predictions += int(predictions.sum())
        self.flops += training_flops(encoder, lengths=lengths, predictions=predictions)
