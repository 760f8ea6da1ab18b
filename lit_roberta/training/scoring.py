"""How a module is judged on held-out text: masked tokens, and pairs where it has learned them.

In: batches of held-out text. Out: metrics, logged once a part is through; logits, to predict with.
How updates are made is in
`updating`.
"""

from __future__ import annotations

from typing import Any

from pytorch_lightning.trainer.states import TrainerFn
from torch import Tensor

from lit_roberta.batch import Batch, HeldOutBatch
from lit_roberta.model.bert import BertModel
from lit_roberta.objectives import sums
from lit_roberta.training.held_out_metrics import HeldOutMetrics, HeldOutPart, unigram_loss
from lit_roberta.training.starting_scores import StartingScores
from lit_roberta.training.updating import UpdatingModule


class ScoringModule(UpdatingModule):
    """The half of a pretraining module that judges."""

    model: BertModel
    next_sentence: bool
    """Whether pairs are judged, too."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.held_out_metrics = HeldOutMetrics()
        self.general_metrics = HeldOutMetrics()
        self.scores = StartingScores()

    def validation_step(
        self, batch: HeldOutBatch, batch_idx: int, dataloader_idx: int = 0
    ) -> None:
        """Score a batch of masked text or of pairs."""
        self._score(batch.batch, loader=dataloader_idx)

    def test_step(self, batch: HeldOutBatch, batch_idx: int, dataloader_idx: int = 0) -> None:
        """Score a batch of masked text or of pairs."""
        self._score(batch.batch, loader=dataloader_idx)

    def predict_step(self, batch: HeldOutBatch, batch_idx: int, dataloader_idx: int = 0) -> Tensor:
        """Give the logits of the masked tokens of a batch."""
        return self.model(*batch.batch[:4]).mlm_logits

    def on_validation_epoch_end(self) -> None:
        """Log what the validation text gave."""
        self._log_held_out("val", part="validation")

    def on_test_epoch_end(self) -> None:
        """Log what the test text gave."""
        self._log_held_out("test", part="test")

    def _score(self, batch: Batch, *, loader: int) -> None:
        output = self.model(*batch[:4])
        if batch.next_sentence_labels is None:
            is_general = loader == self.datamodule.general_loader
            metrics = self.general_metrics if is_general else self.held_out_metrics
            metrics.add_masked_lm(sums(output.mlm_logits, batch.labels[:, 1:]))
        elif self.next_sentence:
            self.held_out_metrics.add_next_sentence(
                sums(output.nsp_logits, batch.next_sentence_labels)
            )

    def _log_held_out(self, prefix: str, *, part: HeldOutPart) -> None:
        values = self.held_out_metrics.compute()
        values["unigram_loss"] = unigram_loss(self.datamodule.prepared, part=part)
        logged = {f"{prefix}/{name}": value for name, value in values.items()}
        logged |= self._other_scores(prefix, part, loss=values.get("masked_lm_loss"))
        if self.trainer.state.fn == TrainerFn.FITTING:
            self.scores.note(logged, update=self.trainer.global_step)
            # The step is said, because Lightning would count from 0 and put update 10 at 9.
            logged["step"] = float(self.trainer.global_step)
        self.log_dict(logged)

    def _other_scores(
        self, prefix: str, part: HeldOutPart, *, loss: float | None
    ) -> dict[str, float]:
        """Give what a model that goes on is judged by: general text, and losses a word.

        A vocabulary with more words has fewer tokens in the same text, so that losses a token do
        not compare with those under the old one. Losses a word do.
        """
        data = self.datamodule
        values = self.general_metrics.compute() if data.general_loader is not None else {}
        scores = {f"general/{name}": value for name, value in values.items()}
        if loss is None or not (values or self.settings.get("pretrained")):
            return scores
        scores[f"{prefix}/nats_per_word"] = loss * data.tokens_per_word(part)
        if "masked_lm_loss" in values:
            rate = data.tokens_per_word(part, general=True)
            scores["general/nats_per_word"] = values["masked_lm_loss"] * rate
        return scores
