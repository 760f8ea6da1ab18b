from __future__ import annotations

import math

import pytest

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from tests.properties.running import write_corpus

Masks = dict[tuple[int, ...], set[int]]


def epochs(corpus: str, masking: MaskingConfig, *, number: int) -> list[Masks]:
    """List the masked positions of every sequence, by its unmasked text, for each epoch."""
    data = PretrainingDataModule(
        corpus,
        tokenizer=TokenizerConfig(min_frequency=1),
        batch_size=1,
        max_length=48,
        masking=masking,
    )
    stream = data.stream()
    found: list[Masks] = []
    for epoch in range(number):
        masks: Masks = {}
        for place in range(data.num_examples):
            update = stream[epoch * data.num_examples + place]
            used = update.labels[0] >= 0
            positions = update.positions[0][used]
            text = update.input_ids[0].clone()
            text[positions] = update.labels[0][used]
            masks[tuple(text.tolist())] = set(positions.tolist())
        found.append(masks)
    return found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_corpus(tmp_path_factory.mktemp("masks") / "corpus.txt", num_documents=240)


def test_static_masks_are_the_same_in_every_epoch(corpus: str) -> None:
    one, other, third = epochs(corpus, MaskingConfig(copies=1), number=3)
    assert one == other == third


def test_dynamic_masks_of_two_epochs_meet_as_often_as_chance_has_it(corpus: str) -> None:
    rate = 0.15
    one, other = epochs(corpus, MaskingConfig(rate=rate), number=2)
    assert one.keys() == other.keys()
    assert one != other
    masked = sum(len(positions) for positions in one.values())
    again = sum(len(positions & other[text]) for text, positions in one.items())
    deviation = math.sqrt(rate * (1 - rate) / masked)
    assert again / masked == pytest.approx(rate, abs=5 * deviation)
