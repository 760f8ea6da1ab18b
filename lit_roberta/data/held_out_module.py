"""The half of the data module that judges: held-out text in loaders, the run's own and general.

In: a split and encoded text. Out: the loaders of `validate`, `test` and `predict`. It owns no
rule: what is masked, and where, is decided in `evaluation`.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from torch.utils.data import DataLoader, Dataset

from lit_roberta.batch import HeldOutBatch
from lit_roberta.data.batching import BatchConfig
from lit_roberta.data.corpus.split import Parts
from lit_roberta.data.evaluation.evaluation_text import EvaluationText, Part
from lit_roberta.data.evaluation.heldout import HeldOutDataset
from lit_roberta.data.examples.packing import PAIR_FORMATS, Format, PackingConfig
from lit_roberta.data.loaders import held_out_loader
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.preparation.preparing import prepare_text
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.data.update_module import UpdateDataModule
from lit_roberta.errors import UserError

VALIDATION_TOKENS = 50_000
"""What a validation during training scores, at most: one draw of masks on this many tokens."""


class HeldOutDataModule(UpdateDataModule):
    """Supply the text that a run is judged by, whatever it is trained on."""

    packing: PackingConfig
    masking: MaskingConfig
    batch: BatchConfig
    stream_seed: int
    """Of order, masks and partners."""
    general_corpus: str | None
    """Text of another kind to judge by, too."""

    @property
    @abstractmethod
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of the text."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Size and special ids."""
        return self.tokenizer.vocabulary

    @property
    @abstractmethod
    def parts(self) -> Parts[TokenizedCorpus]:
        """The three parts, as arrays."""

    @property
    def format(self) -> Format:
        """What one training example is."""
        return self.packing.format

    @property
    def pairs(self) -> bool:
        """Whether an example is a pair; only then has B a segment id of its own."""
        return self.format in PAIR_FORMATS

    # ---- the text

    @cached_property
    def evaluation(self) -> EvaluationText:
        """The text to judge a model by: held-out parts and trained text, in any format."""
        return self._evaluation_of(self.parts)

    @cached_property
    def general(self) -> PreparedText | None:
        """The general text, in the tokens of the run's own; None where none was named.

        It is split as any text, by the hash of each document. So if a model of this package was
        trained on it before, what it is judged by here was held out then, too.
        """
        if self.general_corpus is None:
            return None
        try:
            return prepare_text(TextConfig(corpus=self.general_corpus), tokenizer=self.tokenizer)
        except UserError as error:
            message = str(error).replace("data.corpus", "data.general_corpus", 1)
            raise UserError(message) from error

    def _evaluation_of(self, parts: Parts[TokenizedCorpus]) -> EvaluationText:
        return EvaluationText(
            parts=parts,
            pack=lambda: self.examples,
            vocabulary=self.vocabulary,
            packing=self.packing,
            masking=self.masking,
            seed=self.stream_seed,
            batch_size=min(64, self.batch.micro_batch_size or 64),
        )

    # ---- the loaders

    def val_dataloader(self) -> list[DataLoader[HeldOutBatch]]:
        """Give one draw of masks on part of the validation text; its pairs; the general text's."""
        return self._held_out_loaders("validation", draws=1, max_tokens=VALIDATION_TOKENS)

    def test_dataloader(self) -> list[DataLoader[HeldOutBatch]]:
        """Give all draws on the test text in the recipe's own format; its pairs; the general's."""
        return self._held_out_loaders("test", draws=None, max_tokens=None)

    def predict_dataloader(self) -> DataLoader[HeldOutBatch]:
        """Give one draw on the test text."""
        return self._held_out_loader(self.evaluation.held_out("test", draws=1))

    @property
    def general_loader(self) -> int | None:
        """Which of the loaders is the general text's; None without one."""
        return None if self.general_corpus is None else 1 + self.pairs

    def tokens_per_word(self, part: Part, *, general: bool = False) -> float:
        """Give how many tokens the loaders of a part predict of a word, on average."""
        return self._tokens_per_word[part, general]

    @cached_property
    def _tokens_per_word(self) -> dict[tuple[Part, bool], float]:
        """Of each part that there are loaders of, and whether it is the general text."""
        return {}

    def _held_out_loaders(
        self, part: Part, *, draws: int | None, max_tokens: int | None
    ) -> list[DataLoader[HeldOutBatch]]:
        own = self.evaluation.held_out(part, draws=draws, max_tokens=max_tokens)
        datasets: list[Dataset[HeldOutBatch]] = [own]
        self._tokens_per_word[part, False] = own.tokens_per_word
        if self.pairs:
            datasets.append(self.evaluation.pairs(part))
        if self.general is not None:
            datasets.append(self._general(part, draws=draws, max_tokens=max_tokens))
        return [self._held_out_loader(dataset) for dataset in datasets]

    def _general(self, part: Part, *, draws: int | None, max_tokens: int | None) -> HeldOutDataset:
        assert self.general is not None
        text = self._evaluation_of(self.general.parts)
        dataset = text.held_out(part, draws=draws, max_tokens=max_tokens)
        self._tokens_per_word[part, True] = dataset.tokens_per_word
        return dataset

    def _held_out_loader(self, dataset: Dataset[HeldOutBatch]) -> DataLoader[HeldOutBatch]:
        return held_out_loader(
            dataset,
            rank=self._trainer.global_rank,
            world_size=self._trainer.world_size,
            pin_memory=self._pin_memory,
        )
