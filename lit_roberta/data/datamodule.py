"""The data module: text in, updates out, wired for Lightning.

It owns no rule of its own. Reading, packing, masking and the stream are functions of their
settings in the modules beside it; this one builds them when they are first asked for, and hands
them to loaders.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

import numpy as np
import pytorch_lightning as pl
from jaxtyping import Int64
from pytorch_lightning.accelerators import CUDAAccelerator
from torch.utils.data import DataLoader, Dataset

from lit_roberta.batch import HeldOutBatch, Update
from lit_roberta.data.batching import BatchConfig, BudgetUnit
from lit_roberta.data.corpus.split import Parts, SplitUnit
from lit_roberta.data.evaluation.evaluation_text import EvaluationText, Part
from lit_roberta.data.examples.packing import PAIR_FORMATS, Examples, Format, PackingConfig
from lit_roberta.data.growth import NO_RAMP, BatchRamp, LengthStage, check_stages
from lit_roberta.data.loaders import StagedUpdates, held_out_loader, update_loader
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.preparation.preparing import prepare_text
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateSampler, UpdateStream
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.data.training_text import TrainingText
from lit_roberta.errors import must

VALIDATION_TOKENS = 50_000
"""What a validation during training scores, at most: one draw of masks on this many tokens."""


class PretrainingDataModule(pl.LightningDataModule):
    """Supply updates of masked text under one recipe, and the held-out text to judge it by.

    Args:
        corpus: toy, python-docs, a file (.txt, .jsonl, .csv, .tsv, .parquet, each also .gz or
            .zst), a folder, a glob of files, hub:OWNER/NAME, or a folder that `lit-roberta
            prepare` has made. Several sources by a name for each: {books: PATH, news: PATH}.
        validation_corpus: Text of your own to validate on; by default a part of the corpus.
        test_corpus: Text of your own to test on; by default a part of the corpus.
        split_by: Hold out single documents, or whole files.
        deduplicate: Leave out every document that is equal to an earlier one.
        reading: How files become documents of sentences.
        tokenizer: How sentences become tokens.
        format: What one example is: sentence, sentence-pair, segment-pair, doc-sentences or
            full-sentences.
        max_length: Longest example in tokens, special tokens included.
        batch_size: Sequences of one update, over all devices and micro-batches.
        batch_tokens: Tokens of one update, in place of batch_size: the batch then has as many
            sequences as hold that many tokens on average.
        batch_ramp: A smaller batch in the first updates, which rises to its full size.
        length_stages: First parts of the run on shorter examples, each with its max_length, its
            share of the updates and, if it has one of its own, its batch_size.
        micro_batch_size: Sequences that a device holds at once; by default all of its share. It
            belongs to the machine: the gradient stays exact, and with dropout other units drop.
        masking: Which tokens are hidden, and how often the choice is made anew.
        short_sequence_probability: Share of examples that are cut to a random shorter length
            (BERT's 0.1).
        nsp_first_sentences: Let a random B be the first sentence of its document, as in Google's
            script.
        num_workers: Processes that build updates beside the training; 0 builds them in it.
        seed: The run's seed; the command line links it to seed_everything.
    """

    def __init__(
        self,
        corpus: str | dict[str, str] = "toy",
        *,
        validation_corpus: str | None = None,
        test_corpus: str | None = None,
        split_by: SplitUnit = "document",
        deduplicate: bool = False,
        reading: ReadingConfig = ReadingConfig(),  # noqa: B008 - frozen
        tokenizer: TokenizerConfig = TokenizerConfig(),  # noqa: B008 - frozen
        format: Format = "doc-sentences",
        max_length: int = 64,
        batch_size: int | None = None,
        batch_tokens: int | None = None,
        batch_ramp: BatchRamp = NO_RAMP,
        length_stages: list[LengthStage] | None = None,
        micro_batch_size: int | None = None,
        masking: MaskingConfig = MaskingConfig(),  # noqa: B008 - frozen
        short_sequence_probability: float = 0.0,
        nsp_first_sentences: bool = False,
        num_workers: int = 0,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.text = TextConfig(
            corpus=corpus,
            validation_corpus=validation_corpus,
            test_corpus=test_corpus,
            split_by=split_by,
            deduplicate=deduplicate,
            reading=reading,
            tokenizer=tokenizer,
        )
        self.packing = PackingConfig(
            format=format,
            max_length=max_length,
            short_sequence_probability=short_sequence_probability,
            nsp_first_sentences=nsp_first_sentences,
        )
        self.masking = masking
        self.batch = BatchConfig(
            batch_size=batch_size, batch_tokens=batch_tokens, micro_batch_size=micro_batch_size
        )
        self.batch_ramp = batch_ramp
        self.length_stages = tuple(length_stages or ())
        check_stages(self.length_stages, max_length=max_length)
        if num_workers < 0:
            raise must("data.num_workers", "be 0 or more", num_workers, "Give 0 for none.")
        self.num_workers = num_workers
        self.seed = seed
        self._tokenizer: Tokenizer | None = None
        self._stage_starts: tuple[int, ...] | None = None

    # ---- what the text is

    def use_tokenizer(self, tokenizer: Tokenizer) -> None:
        """Take a tokenizer that is already there (a checkpoint's) instead of training one.

        Must be called before anything of the text is asked for.
        """
        assert "prepared" not in self.__dict__, "the text is already encoded"
        self._tokenizer = tokenizer

    @cached_property
    def prepared(self) -> PreparedText:
        """The text, split and encoded; read when it is first asked for."""
        return prepare_text(self.text, tokenizer=self._tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of this corpus, or the checkpoint's."""
        return self._tokenizer or self.prepared.tokenizer

    @property
    def vocabulary(self) -> Vocabulary:
        """Size and special ids."""
        return self.tokenizer.vocabulary

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary; the encoder's size is linked to it."""
        return self.vocabulary.size

    @property
    def parts(self) -> Parts[TokenizedCorpus]:
        """The three parts, as arrays."""
        return self.prepared.parts

    @property
    def token_counts(self) -> Int64[np.ndarray, " vocab"]:
        """How often each token stands in the training part."""
        return self.prepared.token_counts()

    @property
    def format(self) -> Format:
        """What one training example is."""
        return self.packing.format

    @property
    def pairs(self) -> bool:
        """Whether an example is a pair; only then has B a segment id of its own."""
        return self.format in PAIR_FORMATS

    # ---- what an update is

    @cached_property
    def training(self) -> TrainingText:
        """The training part as updates, by stage of length."""
        return TrainingText(
            corpus=self.parts.train,
            vocabulary=self.vocabulary,
            packing=self.packing,
            masking=self.masking,
            batch=self.batch,
            ramp=self.batch_ramp,
            stages=self.length_stages,
            seed=self.seed,
            segments=self.pairs,
        )

    @property
    def examples(self) -> Examples:
        """The training examples at max_length, as spans."""
        return self.training.examples(self.training.last_stage)

    @property
    def num_examples(self) -> int:
        """Training examples of one epoch at max_length."""
        return self.training.num_examples(self.training.last_stage)

    @property
    def tokens_per_sequence(self) -> float:
        """Mean length of an example at max_length in tokens, special tokens included."""
        return self.training.tokens_per_sequence(self.training.last_stage)

    @property
    def sequences_per_update(self) -> int:
        """The full batch at max_length, over all devices, also where it was given in tokens."""
        return self.training.full_batch(self.training.last_stage)

    def sizes(self, total: int) -> UpdateSizes:
        """Tell what each update of a run of `total` updates is."""
        return self.training.sizes(total, starts=self._stage_starts)

    def keep_stages(self, starts: Sequence[int]) -> None:
        """Let each stage start where it was to start when the run began, whatever its length now.

        Args:
            starts: The first update of each stage.

        Raises:
            UserError: If there is another number of stages.
        """
        if len(starts) != self.training.num_stages:
            rule = f"be as many as the checkpoint's, {len(starts) - 1}"
            remedy = "Give the stages that the run was started with."
            raise must("data.length_stages", rule, len(self.length_stages), remedy)
        self._stage_starts = tuple(starts)

    def alone(self, stage: int, *, batch_size: int) -> PretrainingDataModule:
        """Give a data module whose runs have one stage, at one batch, all through."""
        other = copy.copy(self)
        other.training = self.training.alone(stage, batch_size=batch_size)
        other.batch_ramp, other.length_stages = NO_RAMP, ()
        other._stage_starts = None
        return other

    @property
    def run_sizes(self) -> UpdateSizes:
        """What each update of the trainer's run is."""
        return self.sizes(self._trainer.max_steps)

    def updates_for(self, unit: BudgetUnit, amount: float | int) -> int:
        """Turn an amount of training into a number of updates, rounded up."""
        return self.training.updates_for(unit, amount)

    def stream(
        self, stage: int = 0, *, total: int = 1, rank: int = 0, world_size: int = 1
    ) -> UpdateStream:
        """Build the training stream of one rank in one stage: updates by their number.

        Args:
            stage: The stage, from 0.
            total: Updates of the run, which decide where a later stage starts.
            rank: This process.
            world_size: Processes in all.
        """
        sizes = self.sizes(total)
        return self.training.stream(stage, sizes=sizes, rank=rank, world_size=world_size)

    @cached_property
    def evaluation(self) -> EvaluationText:
        """The text to judge a model by: held-out parts and trained text, in any format."""
        return EvaluationText(
            parts=self.parts,
            pack=lambda: self.examples,
            vocabulary=self.vocabulary,
            packing=self.packing,
            masking=self.masking,
            seed=self.seed,
            batch_size=min(64, self.batch.micro_batch_size or 64),
        )

    def state_dict(self) -> dict[str, Any]:
        """Give what a checkpoint keeps: which text it was trained on, as plain data."""
        return asdict(self.text)

    # ---- the loaders

    def train_dataloader(self) -> DataLoader[Update] | StagedUpdates:
        """Give the updates from the trainer's present one on."""
        trainer, sizes = self._trainer, self.run_sizes
        module: Any = trainer.lightning_module
        rank, world_size = trainer.global_rank, trainer.world_size

        def load(stage: int, sampler: UpdateSampler) -> DataLoader[Update]:
            return update_loader(
                self.training.stream(stage, sizes=sizes, rank=rank, world_size=world_size),
                sampler,
                num_workers=self.num_workers,
                pin_memory=self._pin_memory,
            )

        # Read when the updates are iterated, not now: a resumed run's position is restored in
        # between.
        left = UpdateSampler(lambda: module.update_number, lambda: trainer.max_steps)
        return load(0, left) if len(sizes.stages) == 1 else StagedUpdates(sizes, left, load)

    def val_dataloader(self) -> list[DataLoader[HeldOutBatch]]:
        """Give one draw of masks on part of the validation text, then its pairs, if any."""
        return self._held_out_loaders("validation", draws=1, max_tokens=VALIDATION_TOKENS)

    def test_dataloader(self) -> list[DataLoader[HeldOutBatch]]:
        """Give all draws on the test text in the recipe's own format, then its pairs if any."""
        return self._held_out_loaders("test", draws=None, max_tokens=None)

    def predict_dataloader(self) -> DataLoader[HeldOutBatch]:
        """Give one draw on the test text."""
        return self._held_out_loader(self.evaluation.held_out("test", draws=1))

    def _held_out_loaders(
        self, part: Part, *, draws: int | None, max_tokens: int | None
    ) -> list[DataLoader[HeldOutBatch]]:
        datasets: list[Dataset[HeldOutBatch]] = [
            self.evaluation.held_out(part, draws=draws, max_tokens=max_tokens)
        ]
        if self.pairs:
            datasets.append(self.evaluation.pairs(part))
        return [self._held_out_loader(dataset) for dataset in datasets]

    def _held_out_loader(self, dataset: Dataset[HeldOutBatch]) -> DataLoader[HeldOutBatch]:
        return held_out_loader(
            dataset,
            rank=self._trainer.global_rank,
            world_size=self._trainer.world_size,
            pin_memory=self._pin_memory,
        )

    @property
    def _pin_memory(self) -> bool:
        return isinstance(self._trainer.accelerator, CUDAAccelerator)

    @property
    def _trainer(self) -> pl.Trainer:
        assert self.trainer is not None, "the loaders are the trainer's to ask for"
        return self.trainer
