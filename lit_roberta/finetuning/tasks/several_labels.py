"""Any of several labels for a text: of models from elsewhere, which are used here, not trained."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor

from lit_roberta.finetuning.items import Item
from lit_roberta.finetuning.predictions import LabelPrediction
from lit_roberta.finetuning.tasks.classification import Classification


class SeveralLabels(Classification):
    """Each label by itself: probabilities do not add up to 1."""

    def predictions(
        self, items: Sequence[Item], logits: Float[Tensor, "items ..."]
    ) -> list[LabelPrediction]:
        """Give the probability of each label, and the name of the most probable."""
        best = logits.argmax(dim=-1).tolist()
        return [
            LabelPrediction(self.labels[number], dict(zip(self.labels, shares, strict=True)))
            for number, shares in zip(best, logits.sigmoid().tolist(), strict=True)
        ]
