"""The data module: text in, updates out, wired for Lightning.

It owns no rule of its own: reading, packing, masking and the stream are functions of settings in
the modules beside it. This one builds them when they are asked for, and hands them to loaders.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.batching import BatchConfig
from lit_roberta.data.corpus.split import Parts, SplitUnit
from lit_roberta.data.examples.packing import Format, PackingConfig
from lit_roberta.data.growth import NO_RAMP, BatchRamp, LengthStage, check_stages
from lit_roberta.data.held_out_module import HeldOutDataModule
from lit_roberta.data.preparation.config import TextConfig, check_weights
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.preparation.preparing import prepare_text
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.tokens.excerpt import excerpt
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.data.training_text import TrainingText
from lit_roberta.errors import must


class PretrainingDataModule(HeldOutDataModule):
    """Supply updates of masked text under one recipe, and the held-out text to judge it by.

    Args:
        corpus: toy, python-docs, a file (.txt, .jsonl, .csv, .tsv, .parquet, each also .gz or
            .zst), a folder, a glob of files, hub:OWNER/NAME, or a folder that `lit-roberta
            prepare` has made. Several sources by a name for each: {books: PATH, news: PATH}.
        validation_corpus: Text of your own to validate on; by default a part of the corpus.
        test_corpus: Text of your own to test on; by default a part of the corpus.
        general_corpus: Text of another kind to be judged by, too, so that forgetting is seen when
            a model that is there goes on with yours. It is never trained on.
        split_by: Hold out single documents, or whole files.
        training_share: Learn from so much of the training part only: documents drawn by hash, so
            that a smaller share is part of a larger one. Tokenizer and held-out text stay.
        weights: The share of each of several sources in training, by its name; they sum to 1. By
            default those that a prepared folder brings, and otherwise each example comes once.
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
        order_seed: Of the order of the text, its masks and its random partners, where these are
            not to follow the run's seed: then runs differ in their initial weights and dropout
            alone.
        seed: The run's seed; the command line links it to seed_everything.
    """

    def __init__(
        self,
        corpus: str | dict[str, str] = "toy",
        *,
        validation_corpus: str | None = None,
        test_corpus: str | None = None,
        general_corpus: str | None = None,
        split_by: SplitUnit = "document",
        training_share: float | int = 1.0,
        weights: dict[str, float] | None = None,
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
        order_seed: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.text = TextConfig(
            corpus=corpus,
            validation_corpus=validation_corpus,
            test_corpus=test_corpus,
            split_by=split_by,
            weights=weights,
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
        if not 0 < training_share <= 1:
            remedy = "Give 1 for all of it."
            raise must("data.training_share", "be above 0 and at most 1", training_share, remedy)
        self.training_share = training_share
        self.num_workers = num_workers
        self.seed, self.order_seed = seed, order_seed
        self.stream_seed = seed if order_seed is None else order_seed
        self.general_corpus = general_corpus
        self._tokenizer: Tokenizer | None = None
        self._extends = False

    # ---- what the text is

    def use_tokenizer(self, tokenizer: Tokenizer, *, extends: bool = False) -> None:
        """Take a tokenizer that is already there (a checkpoint's) instead of training one.

        Must be called before anything of the text is asked for.

        Args:
            tokenizer: The tokenizer.
            extends: Whether it may get words of the text, as for a model that gets rows for them.
        """
        assert "prepared" not in self.__dict__, "the text is already encoded"
        self._tokenizer, self._extends = tokenizer, extends

    @cached_property
    def prepared(self) -> PreparedText:
        """The text, split and encoded; read when it is first asked for."""
        return prepare_text(self.text, tokenizer=self._tokenizer, extends=self._extends)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of this corpus, or the checkpoint's."""
        known = None if self._extends else self._tokenizer
        return known or self.prepared.tokenizer

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary; the encoder's size is linked to it."""
        return self.vocabulary.size

    @cached_property
    def parts(self) -> Parts[TokenizedCorpus]:
        """The three parts, as arrays; of the training part, the share that is learned from."""
        parts = self.prepared.parts
        if self.training_share == 1:
            return parts
        return replace(parts, train=excerpt(parts.train, self.training_share))

    @property
    def token_counts(self) -> Int64[np.ndarray, " vocab"]:
        """How often each token stands in the training part."""
        return self.prepared.token_counts()

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
            seed=self.stream_seed,
            segments=self.pairs,
            shares=self.shares,
            identity=self.prepared.identity,
        )

    @property
    def shares(self) -> list[float] | None:
        """The share of each source in training, by its number; None where none was asked for."""
        weights = self.text.weights or self.prepared.weights
        check_weights(weights, self.prepared.sources)
        return None if weights is None else [weights[name] for name in self.prepared.sources]

    def state_dict(self) -> dict[str, Any]:
        """Give what a checkpoint keeps: which text it was trained on, as plain data."""
        text = asdict(self.text) | {"training_share": self.training_share}
        return text | {"general_corpus": self.general_corpus}
