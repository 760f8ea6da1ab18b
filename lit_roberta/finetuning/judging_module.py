"""How a module is judged on held-out examples: predictions of whole examples, and their scores.

In: batches of held-out examples. Out: scores, logged once a part is through; predictions. How
updates are made is in `updating`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from lit_roberta.batch import JudgedBatch, TaskBatch
from lit_roberta.errors import must
from lit_roberta.finetuning.gathering import Judged
from lit_roberta.finetuning.loaders import HeldOutPart
from lit_roberta.finetuning.tasks.base import FinetuningTask, TunedModel
from lit_roberta.finetuning.tasks.losses import PLAIN, count_labels
from lit_roberta.training.updating import UpdatingModule


class JudgingModule(UpdatingModule):
    """The half of a fine-tuning module that judges."""

    model: TunedModel
    task: FinetuningTask[Any, Any]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.predicted: dict[str, list[Any]] = {}
        """Of the part that was judged last, by the name of the set, in the order of examples."""
        self._judged = Judged()

    def logits_of(self, batch: TaskBatch) -> Tensor:
        """Compute logits, with nothing said of padding."""
        return self.task.without_padding(self.model(*batch[:3]), batch.attention_mask)

    def validation_step(self, batch: JudgedBatch, batch_idx: int, dataloader_idx: int = 0) -> None:
        """Predict a batch of the validation part."""
        self._judge(batch, part="validation", number=dataloader_idx)

    def test_step(self, batch: JudgedBatch, batch_idx: int, dataloader_idx: int = 0) -> None:
        """Predict a batch of the test part."""
        self._judge(batch, part="test", number=dataloader_idx)

    def predict_step(
        self, batch: JudgedBatch, batch_idx: int, dataloader_idx: int = 0
    ) -> list[tuple[int, Any]]:
        """Give predictions, each with the number of its example."""
        items = self._items("test", dataloader_idx)
        return self._predict(batch, items, self.logits_of(batch.batch)) if batch.counts else []

    def on_validation_epoch_end(self) -> None:
        """Log the scores of the validation part."""
        self._log_scores("val", part="validation")

    def on_test_epoch_end(self) -> None:
        """Log the scores of the test part."""
        self._log_scores("test", part="test")

    def _items(self, part: HeldOutPart, number: int) -> Sequence[Any]:
        sets: dict[str, Sequence[Any]] = self.datamodule.items(part)
        return [items for items in sets.values() if items][number]

    def _judge(self, batch: JudgedBatch, *, part: HeldOutPart, number: int) -> None:
        logits = self.logits_of(batch.batch)
        if not batch.counts:
            return
        labels = batch.batch.labels
        self._judged.add(
            number,
            predictions=self._predict(batch, self._items(part, number), logits),
            loss=self.task.losses(logits, labels, PLAIN).loss,
            num_labels=count_labels(labels),
        )

    def _predict(
        self, batch: JudgedBatch, items: Sequence[Any], logits: Tensor
    ) -> list[tuple[int, Any]]:
        of_batch = [items[number] for number in batch.items]
        numbers = dict.fromkeys(item.example for item in of_batch)
        predictions = self.task.predictions(of_batch, logits.float().cpu())
        return list(zip(numbers, predictions, strict=True))

    def _log_scores(self, prefix: str, *, part: HeldOutPart) -> None:
        sets = {name: each for name, each in self.datamodule.examples(part).items() if each}
        self.predicted = {}
        for number, (name, examples) in enumerate(sets.items()):
            loss, predictions = self._judged.of(number, self.trainer)
            self._refuse_no_number(loss)
            self.predicted[name] = list(predictions.values())
            seen = [examples[example] for example in predictions]
            scores = self.task.scores(seen, self.predicted[name])
            tag = f"{prefix}_{name}" if name else prefix
            values = {f"{tag}/{score}": value for score, value in scores.items()}
            if loss is not None:
                values[f"{tag}/loss"] = loss
            if self.trainer.state.fn == "fit":
                # The step is said: Lightning would count from 0 and put update 10 at 9.
                values["step"] = float(self.trainer.global_step)
            self.log_dict(values)
        self._judged.clear()

    def _refuse_no_number(self, loss: float | None) -> None:
        """Stop a run before weights that are no numbers any more are saved as its best."""
        if loss is None or math.isfinite(loss) or self.trainer.state.fn != "fit":
            return
        got = f"{loss} after update {self.trainer.global_step}"
        remedy = "The weights have diverged: lower --model.optimizer.lr."
        raise must("the loss of the validation part", "be a finite number", got, remedy)
