from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from lit_roberta.batch import Update
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.model.config import EncoderConfig
from lit_roberta.objectives import cross_entropies
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.optimizer import OptimizerConfig
from lit_roberta.training.schedules import ScheduleConfig

UPDATES = 6


def build_data(
    *, format: Format = "doc-sentences", micro_batch_size: int | None = None, batch_size: int = 16
) -> PretrainingDataModule:
    return PretrainingDataModule(
        "toy",
        format=format,
        batch_size=batch_size,
        micro_batch_size=micro_batch_size,
        masking=MaskingConfig(copies=1),
    )


def build_module(
    data: PretrainingDataModule, *, dropout: float = 0.0, **settings: Any
) -> PretrainingModule:
    encoder = EncoderConfig(
        vocab_size=data.vocab_size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        max_position_embeddings=64,
    )
    return PretrainingModule(encoder, **settings)


class Recorder(pl.Callback):
    """Keep what each update computed."""

    def __init__(self) -> None:
        self.gradients: list[dict[str, Tensor]] = []
        self.rates: list[float] = []
        self.readings: list[dict[str, float]] = []

    def on_before_optimizer_step(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, optimizer: torch.optim.Optimizer
    ) -> None:
        self.rates.append(optimizer.param_groups[0]["lr"])
        self.gradients.append(
            {
                name: parameter.grad.clone()
                for name, parameter in pl_module.named_parameters()
                if parameter.grad is not None
            }
        )

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: Any, *_: Any) -> None:
        self.readings.append(pl_module.meter.read())


@pytest.fixture
def fit(tmp_path: Path) -> Callable[..., Recorder]:
    def run(
        module: PretrainingModule,
        data: PretrainingDataModule,
        *,
        updates: int = UPDATES,
        **settings: Any,
    ) -> Recorder:
        recorder = Recorder()
        trainer = pl.Trainer(
            max_steps=updates,
            max_epochs=-1,
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            limit_val_batches=0,
            default_root_dir=tmp_path,
            callbacks=[recorder],
            **settings,
        )
        trainer.fit(module, datamodule=data)
        return recorder

    return run


def assert_same_gradients(one: dict[str, Tensor], other: dict[str, Tensor]) -> None:
    """Compare as far as rounding allows: by tensor, against the size of the whole gradient."""
    whole = torch.cat([gradient.flatten() for gradient in one.values()]).norm()
    assert one.keys() == other.keys()
    for name, gradient in one.items():
        limit = 1e-5 * max(gradient.norm(), 0.01 * whole)
        assert (gradient - other[name]).norm() <= limit, name


@pytest.mark.parametrize("format", ["doc-sentences", "sentence-pair"])
def test_micro_batch_changes_neither_gradient_nor_rate_nor_logged_loss(
    fit: Any, format: Format
) -> None:
    runs = []
    for micro_batch_size in (16, 5, 1):
        data = build_data(format=format, micro_batch_size=micro_batch_size)
        module = build_module(data, next_sentence=format == "sentence-pair")
        runs.append(fit(module, data, updates=3))
    for other in runs[1:]:
        assert_same_gradients(runs[0].gradients[0], other.gradients[0])
        assert other.rates == runs[0].rates
        for one, reading in zip(runs[0].readings, other.readings, strict=True):
            assert reading["masked_lm_loss"] == pytest.approx(one["masked_lm_loss"], rel=1e-4)
            assert reading["next_sentence_loss"] == pytest.approx(
                one["next_sentence_loss"], rel=1e-4
            )


def test_rates_are_the_schedules_for_this_number_of_updates(fit: Any) -> None:
    data = build_data()
    module = build_module(
        data, optimizer=OptimizerConfig(lr=0.01), schedule=ScheduleConfig(warmup_updates=2)
    )
    shares = [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    assert fit(module, data).rates == [0.01 * share for share in shares]


def test_logged_loss_is_the_mean_over_the_updates_masked_tokens(fit: Any) -> None:
    data = build_data(micro_batch_size=3)
    module = build_module(data)
    with torch.no_grad():
        losses = []
        for batch in data.stream()[0].micro_batches():
            logits = module.model(*batch[:4]).mlm_logits
            values = cross_entropies(logits, batch.labels[:, 1:])
            losses.append(values[batch.labels[:, 1:] >= 0])
    recorder = fit(module, data, updates=1)
    expected = float(torch.cat(losses).mean())
    assert recorder.readings[0]["masked_lm_loss"] == pytest.approx(expected, rel=1e-5)


def test_history_weighs_every_masked_token_of_an_epoch_alike(fit: Any) -> None:
    data = build_data()
    module = build_module(data)
    updates = -(-data.num_examples // 16)
    recorder = fit(module, data, updates=updates)
    counts = [data.stream()[number].num_labels for number in range(updates)]
    total = sum(r["masked_lm_loss"] * n for r, n in zip(recorder.readings, counts, strict=True))
    assert module.history.mlm_loss_per_epoch == pytest.approx([total / sum(counts)], rel=1e-5)


def test_gradient_is_clipped_to_the_norm_and_zero_means_never(fit: Any) -> None:
    logged, stepped = [], []
    for limit in (1e-3, 0.0):
        data = build_data()
        module = build_module(data, optimizer=OptimizerConfig(clip_norm=limit))
        recorder = fit(module, data, updates=1)
        logged.append(recorder.readings[0]["grad_norm"])
        gradients = [p.grad.flatten() for p in module.parameters() if p.grad is not None]
        stepped.append(float(torch.cat(gradients).norm()))
    # What is logged is the norm before clipping, so the limit does not show in it.
    assert logged[0] == pytest.approx(logged[1], rel=1e-5)
    assert stepped == pytest.approx([1e-3, logged[1]], rel=1e-2)


def test_frequency_weights_change_the_gradient_and_not_what_is_logged(fit: Any) -> None:
    readings, gradients = [], []
    for weighted in (False, True):
        data = build_data()
        recorder = fit(build_module(data, frequency_weighted_loss=weighted), data, updates=1)
        readings.append(recorder.readings[0]["masked_lm_loss"])
        gradients.append(recorder.gradients[0]["model.masked_lm_head.bias"])
    assert readings[0] == pytest.approx(readings[1], rel=1e-5)
    assert not torch.allclose(gradients[0], gradients[1])


def test_update_of_another_number_is_never_trained_on(fit: Any) -> None:
    data = build_data()

    class Shifted(PretrainingModule):
        @property
        def update_number(self) -> int:
            return super().update_number + 1

    module = Shifted(build_module(data).model.config)
    data.train_dataloader = _starting_at_zero(data)  # type: ignore[method-assign]
    with pytest.raises(AssertionError):
        fit(module, data)


def _starting_at_zero(data: PretrainingDataModule) -> Any:
    return lambda: DataLoader(
        data.stream(), sampler=range(5), batch_size=None, collate_fn=lambda x: x
    )


def test_dropped_update_leaves_everything_as_it_was(fit: Any) -> None:
    data = build_data(micro_batch_size=4)
    module = build_module(data)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    asked = []

    def stop_in_the_middle() -> bool:
        asked.append(True)
        if len(asked) >= 3:
            module.trainer.should_stop = True
        return len(asked) >= 3

    module.stop_requested = stop_in_the_middle
    recorder = fit(module, data)
    assert recorder.gradients == []
    assert module.num_tokens == 0
    for name, value in module.state_dict().items():
        torch.testing.assert_close(value, before[name], rtol=0, atol=0)


def test_same_seed_is_bit_equal_and_another_is_not(fit: Any) -> None:
    def weights(seed: int) -> Tensor:
        data = build_data()
        module = build_module(data, dropout=0.1, seed=seed)
        fit(module, data, updates=3)
        return module.model.embeddings.token.weight.detach()

    torch.testing.assert_close(weights(1), weights(1), rtol=0, atol=0)
    assert not torch.equal(weights(1), weights(2))


class _Same(Dataset[Update]):
    """The same examples in every update."""

    def __init__(self, update: Update) -> None:
        self.update = update

    def __getitem__(self, number: int) -> Update:
        return self.update._replace(number=number)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["sentence-pair", "doc-sentences"])
def test_a_few_examples_are_learned_by_heart(fit: Any, format: Format) -> None:
    data = build_data(format=format, batch_size=32)
    module = PretrainingModule(
        EncoderConfig(
            vocab_size=data.vocab_size, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        ),
        next_sentence=format == "sentence-pair",
        optimizer=OptimizerConfig(lr=2e-3),
    )
    first = data.stream()[0]
    loader = DataLoader(_Same(first), sampler=range(300), batch_size=None, collate_fn=lambda x: x)
    data.train_dataloader = lambda: loader  # type: ignore[method-assign]
    recorder = fit(module, data, updates=300)
    assert recorder.readings[-1]["masked_lm_loss"] < 0.5
