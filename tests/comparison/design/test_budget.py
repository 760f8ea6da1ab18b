from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lit_roberta.comparison.design.budget import Budget, Unit, never_repeats_a_mask
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.growth import LengthStage
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.training_text import TrainingText
from lit_roberta.errors import UserError
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.costs import Costs
from tests.comparison.texts import write_text
from tests.data.corpora import numbered, vocabulary


class Feed(PretrainingDataModule):
    """Only the numbers that a budget reads, without a text behind them."""

    def __init__(self, *, batch: int, length: int, examples: int, copies: int | None = 1) -> None:
        super().__init__(batch_size=batch, masking=MaskingConfig(copies=copies))
        corpus = numbered([[10] * 100])
        self.training = TrainingText(
            corpus=corpus,
            vocabulary=vocabulary(2000),
            packing=self.packing,
            masking=self.masking,
            batch=self.batch,
            ramp=self.batch_ramp,
            stages=self.length_stages,
            seed=0,
            segments=False,
            _facts={0: (examples, float(length))},
        )

    @property
    def prepared(self) -> Any:
        return SimpleNamespace(parts=SimpleNamespace(train=self.training.corpus))


@pytest.mark.parametrize(
    ("unit", "amount", "expected"),
    [
        ("updates", 7, (7, 7)),
        ("sequences", 640, (40, 10)),
        ("tokens", 6400, (20, 4)),  # 16 x 20 and 64 x 25 tokens an update
        ("tokens", 6401, (21, 5)),  # rounded up: no recipe gets less than the budget
        ("epochs", 2, (25, 4)),  # 200 examples: 12.5 and 3.125 updates an epoch, of 16 and 64
        ("tokens", None, (125, 25)),  # 40 passes over 1,000 tokens
        ("passes", 40, (125, 25)),
        ("passes", 2, (7, 2)),
    ],
)
def test_budgets_become_updates(unit: Unit, amount: int | None, expected: tuple[int, int]) -> None:
    small = Feed(batch=16, length=20, examples=200)
    large = Feed(batch=64, length=25, examples=128)
    budget = Budget(unit=unit, amount=amount)
    assert (budget.updates(small), budget.updates(large)) == expected


def test_seconds_become_updates_by_a_timing() -> None:
    budget = Budget(unit="seconds", amount=30)
    assert budget.updates(Feed(batch=16, length=20, examples=9), seconds_per_update=0.04) == 750


@pytest.mark.parametrize(
    ("copies", "updates", "same"),
    [(1, 12, True), (1, 13, False), (10, 125, True), (10, 126, False), (None, 10_000, True)],
)
def test_static_masks_are_dynamic_until_they_come_round(
    copies: int | None, updates: int, same: bool
) -> None:
    # 16 x 12.5 updates are one epoch of 200 examples.
    assert (
        never_repeats_a_mask(Feed(batch=16, length=20, examples=200, copies=copies), updates)
        is same
    )


@pytest.mark.parametrize("stages", [None, [LengthStage(max_length=24, share=0.5)]])
@pytest.mark.parametrize("format", ["sentence-pair", "doc-sentences"])
def test_flops_become_the_updates_that_a_run_counts_them_in(
    format: Format, stages: list[LengthStage] | None, tmp_path: Path
) -> None:
    data = PretrainingDataModule(
        str(write_text(tmp_path)), format=format, batch_size=8, length_stages=stages
    )
    encoder = EncoderConfig(
        vocab_size=data.vocab_size, hidden_size=16, num_hidden_layers=2, num_attention_heads=2
    )
    asked = 3e9
    updates = Budget(unit="flops", amount=asked).updates(data, encoder=encoder)
    costs = Costs()
    for stage, numbers in data.sizes(updates).by_stage(range(updates)):
        stream = data.stream(stage, total=updates)
        for number in numbers:
            costs.add(stream[number], encoder=encoder, vocabulary=data.vocabulary)
    assert costs.updates == updates > 30
    assert costs.flops == pytest.approx(asked, rel=0.05)


@pytest.mark.parametrize("amount", [0, -1, float("nan")])
def test_an_amount_must_be_positive(amount: float) -> None:
    with pytest.raises(UserError, match=r"^budget.amount must be above 0, got "):
        Budget(amount=amount)


@pytest.mark.parametrize("amount", [float("inf"), 1e30, 10**400])
def test_an_amount_must_be_finite_and_countable(amount: float) -> None:
    with pytest.raises(UserError, match=r"^budget.amount must be finite and below 2\*\*63, got "):
        Budget(amount=amount)


@pytest.mark.parametrize(
    ("unit", "least"),
    [
        ("updates", 2**31),
        ("sequences", 16 * 2**31),
        ("tokens", 320 * 2**31),
        ("epochs", 2**31 * 16 // 200 + 1),
        ("seconds", 2**30),
    ],
)
def test_no_run_has_more_updates_than_anyone_makes(unit: Unit, least: int) -> None:
    feed = Feed(batch=16, length=20, examples=200)
    assert Budget(unit=unit, amount=least // 2).updates(feed, seconds_per_update=0.5) < 2**31
    with pytest.raises(UserError, match=r"^budget.amount must come to fewer than 2,147,483,648"):
        Budget(unit=unit, amount=least).updates(feed, seconds_per_update=0.5)


@pytest.mark.parametrize(
    ("unit", "least"),
    [("updates", 1), ("sequences", 16), ("tokens", 320), ("epochs", 0.08), ("seconds", 0.5)],
)
def test_less_than_one_update_is_refused_and_not_rounded_up(unit: Unit, least: float) -> None:
    feed = Feed(batch=16, length=20, examples=200)
    assert Budget(unit=unit, amount=least).updates(feed, seconds_per_update=0.5) == 1
    with pytest.raises(UserError, match=r"^budget.amount must come to at least one update, got "):
        Budget(unit=unit, amount=least * 0.999).updates(feed, seconds_per_update=0.5)


def test_only_tokens_have_a_default_amount() -> None:
    with pytest.raises(UserError, match=r"^budget.amount must be given where the unit is epochs"):
        Budget(unit="epochs")


def test_a_budget_says_itself() -> None:
    assert Budget().describe() == "40 passes over the training text, in tokens"
    assert Budget(unit="tokens", amount=285800).describe() == "285,800 tokens"
    assert (
        Budget(unit="passes", amount=10).describe()
        == "10 passes over the training text, in tokens"
    )
