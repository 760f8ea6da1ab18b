from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.data.batching import BatchConfig
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.errors import UserError

WORDS = ("cat", "dog", "boat", "tree", "hill", "rain", "bread", "door")


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    """Write sixty little documents of three sentences."""
    documents = []
    for number in range(60):
        words = [WORDS[(number * step + step) % len(WORDS)] for step in range(1, 7)]
        first, second, third, fourth, fifth, sixth = words
        documents.append(
            f"The {first} saw number {number} near the {second}.\n"
            f"It was a {third} and a {fourth} of that place.\n"
            f"So the {fifth} went home with the {sixth}.\n"
        )
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(documents), encoding="utf-8")
    return str(path)


def build(
    corpus: str, *, format: Format = "doc-sentences", **settings: Any
) -> PretrainingDataModule:
    return PretrainingDataModule(corpus, format=format, max_length=48, **settings)


def test_same_text_is_held_out_for_every_recipe_and_seed(corpus: str) -> None:
    one = build(corpus, format="sentence-pair", seed=1)
    other = build(corpus, format="full-sentences", seed=2)
    assert one.prepared.digest == other.prepared.digest
    assert one.parts.test.tokens.tolist() == other.parts.test.tokens.tolist()


def test_tokenizer_reads_the_training_part_only(corpus: str) -> None:
    module = PretrainingDataModule(corpus, tokenizer=TokenizerConfig(min_frequency=1))
    trained = {module.tokenizer.id_to_word[token] for token in module.parts.train.tokens}
    assert set(module.tokenizer.id_to_word[5:]) == trained


def test_batch_in_tokens_is_a_number_of_sequences(corpus: str) -> None:
    module = build(corpus, batch_tokens=300)
    assert module.sequences_per_update == round(300 / module.tokens_per_sequence)


def test_batch_has_one_unit() -> None:
    with pytest.raises(UserError, match=r"batch_size and data\.batch_tokens"):
        BatchConfig(batch_size=8, batch_tokens=100)


@pytest.mark.parametrize("name", ["batch_size", "batch_tokens", "micro_batch_size"])
@pytest.mark.parametrize("value", [0, -3])
def test_sizes_are_positive(name: str, value: int) -> None:
    with pytest.raises(UserError, match=rf"data\.{name} must be 1 or more, got {value}"):
        BatchConfig(**{name: value})


@pytest.mark.parametrize("name", ["batch_size", "batch_tokens", "micro_batch_size"])
@pytest.mark.parametrize("value", [2**31, 10**30])
def test_sizes_that_no_memory_holds_are_refused(name: str, value: int) -> None:
    with pytest.raises(
        UserError, match=rf"data\.{name} must be at most 2,147,483,647, got {value}"
    ):
        BatchConfig(**{name: value})
    BatchConfig(**{name: 2**31 - 1})


def test_units_of_training_agree(corpus: str) -> None:
    module = build(corpus, batch_size=7)
    epoch = module.updates_for("epochs", 3)
    assert epoch == math.ceil(3 * module.num_examples / 7)
    assert module.updates_for("sequences", 3 * module.num_examples) == epoch
    assert module.updates_for("tokens", float(3 * module.examples.lengths.sum())) == epoch
    assert module.updates_for("updates", 5) == 5


def test_pairs_only_where_the_recipe_trains_on_pairs(corpus: str) -> None:
    pairs, documents = build(corpus, format="sentence-pair"), build(corpus)
    for format in ("sentence-pair", "doc-sentences"):
        assert documents.evaluation.held_out("test", format=format)[0].batch.segment_ids is None
        assert pairs.evaluation.held_out("test", format=format)[0].batch.segment_ids is not None


def test_trained_masks_are_the_streams(corpus: str) -> None:
    module = PretrainingDataModule(
        corpus, format="doc-sentences", max_length=48, masking=MaskingConfig(copies=1)
    )
    everything = module.num_examples
    update = module.stream()[0]
    trained = {tuple(row[row >= 0].tolist()) for row in update.labels}
    own = set()
    dataset = module.evaluation.trained(visit=0)
    for number in range(len(dataset)):
        own |= {tuple(row[row >= 0].tolist()) for row in dataset[number].batch.labels}
    fresh = set()
    dataset = module.evaluation.freshly_masked()
    for number in range(len(dataset)):
        fresh |= {tuple(row[row >= 0].tolist()) for row in dataset[number].batch.labels}
    assert everything >= len(trained)
    assert trained <= own
    assert not trained <= fresh


def test_given_held_out_text_is_taken_whole(corpus: str, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("The cat saw a tree.\nIt was a hill.\n", encoding="utf-8")
    both = PretrainingDataModule(corpus, validation_corpus=str(own), test_corpus=str(own))
    assert both.parts.test.num_sentences == both.parts.validation.num_sentences == 2
    assert both.parts.train.num_documents == 60
    one = PretrainingDataModule(corpus, test_corpus=str(own))
    split = PretrainingDataModule(corpus)
    assert one.parts.validation.num_documents == split.parts.validation.num_documents
    assert one.parts.train.num_documents == 60 - split.parts.validation.num_documents


def test_an_order_seed_fixes_all_that_the_stream_draws_and_no_seed_else() -> None:
    def seeds_of(**settings: Any) -> list[Any]:
        data = PretrainingDataModule(format="sentence-pair", batch_size=8, **settings)
        stream = data.training
        return [data.stream_seed, stream.seed, data.evaluation.seed]

    assert seeds_of(seed=3) == [3, 3, 3]
    assert seeds_of(seed=3, order_seed=0) == seeds_of(seed=4, order_seed=0) == [0, 0, 0]
