"""Score one finished run on everything that the comparison reads.

In: the run, still in memory. Out: a `Run`. Test text is scored at the last update; the best
checkpoint on validation gives a second column and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from lit_roberta.comparison.runs.b_alone import accuracy_from_b_alone
from lit_roberta.comparison.runs.calibration import CalibrationTally
from lit_roberta.comparison.runs.held_out import describe, score_part, score_test
from lit_roberta.comparison.runs.observer import ObservedCLI
from lit_roberta.comparison.runs.run import Curves, HeldOut, Run
from lit_roberta.comparison.runs.scoring import score, score_next_sentence
from lit_roberta.comparison.runs.words import score_words
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.model.bert import BertModel
from lit_roberta.training.checkpoint_files import BEST, CHECKPOINT_FOLDER
from lit_roberta.training.sample_sentences import choose_samples, guess_blanks

_MOST_TRAINED_TOKENS = 100_000
"""Training text that is scored for the two memorisation losses: examples in hash order."""


def evaluate(cli: ObservedCLI, *, recipe: str, fingerprint: str, formats: Sequence[Format]) -> Run:
    """Score a run that has just finished.

    Args:
        cli: The run; its weights are not the last ones any more afterwards.
        recipe: Its name.
        fingerprint: What it was made of.
        formats: The compared formats.

    Raises:
        UserError: If the run has diverged.
    """
    data: PretrainingDataModule = cli.datamodule
    model: BertModel = cli.model.model
    costs = cli.observer.costs
    own, fresh = score_trained_text(model, data, updates=costs.updates)
    calibration = CalibrationTally()
    held_out = {
        str(format): score_test(
            model, data, format, tallies=[calibration.add] if format == data.format else []
        )
        for format in formats
    }
    scores = {format: score for format, (score, _) in held_out.items()}
    validation = score_part(model, data, "validation").loss
    accuracy, by_b_alone = _score_pairs(model, data) if cli.model.next_sentence else (None, None)
    guesses = _guess_samples(model, data)
    best_update, best = _score_best(cli, scores, formats=formats)
    return Run(
        recipe=recipe,
        seed=data.seed,
        updates=costs.updates,
        sequences=costs.sequences,
        tokens=costs.tokens,
        predictions=costs.predictions,
        flops=costs.flops,
        seconds=cli.observer.seconds,
        text_passes=costs.text_tokens / data.parts.train.num_tokens,
        epochs=sum(data.training.passes(costs.updates)),
        train_mlm_loss=own,
        train_mlm_loss_fresh_masks=fresh,
        heldout=scores,
        calibration=calibration.calibration(),
        words=score_words(model, data, formats),
        best_update=best_update,
        heldout_best=best,
        validation_loss=validation,
        nsp_accuracy=accuracy,
        nsp_accuracy_b_alone=by_b_alone,
        curves=_curves(cli),
        guesses=guesses,
        document_predictions=next(iter(held_out.values()))[1].counts.tolist(),
        fingerprint=fingerprint,
    )


def _curves(cli: ObservedCLI) -> Curves:
    epochs = cli.model.history.mlm_loss_per_epoch
    return Curves(
        training=[(place + 1, loss) for place, loss in enumerate(epochs) if loss == loss],
        validation=cli.observer.validation,
        fed=_fed(cli.observer.fed, training_tokens=cli.datamodule.parts.train.num_tokens),
    )


def _fed(
    points: Sequence[Mapping[str, float | int]], *, training_tokens: int
) -> dict[str, list[float]]:
    """Give what had been fed at each point of the validation curve, by unit."""
    names = ("updates", "sequences", "tokens", "flops", "seconds")
    fed = {name: [float(point[name]) for point in points] for name in names}
    return fed | {"passes": [point["text_tokens"] / training_tokens for point in points]}


def score_trained_text(
    model: BertModel, data: PretrainingDataModule, *, updates: int
) -> tuple[float, float]:
    """Score training text under the masks of the last whole epoch, and under fresh ones.

    Both in evaluation mode, on the same examples: what lies between them is memorised masks.
    """
    stage = data.training.last_stage
    fed = data.sizes(updates).sequences(0, updates, stage=stage)
    visit = data.training.visit(max(0, fed // data.num_examples - 1), stage=stage)
    text = data.evaluation
    datasets = (
        text.trained(visit=visit, max_tokens=_MOST_TRAINED_TOKENS),
        text.freshly_masked(max_tokens=_MOST_TRAINED_TOKENS),
    )
    documents, mask_id = data.parts.train.num_documents, data.vocabulary.mask_id
    own, fresh = (
        score(model, dataset, num_documents=documents, mask_id=mask_id).loss
        for dataset in datasets
    )
    return own, fresh


def _score_pairs(model: BertModel, data: PretrainingDataModule) -> tuple[float, float]:
    """Give next-sentence accuracy: the model's, and that of whoever reads B alone."""
    pairs = data.evaluation.pairs
    return (
        score_next_sentence(model, pairs("test")),
        accuracy_from_b_alone(
            pairs("train"),
            pairs("test"),
            vocab_size=data.vocab_size,
            sep_id=data.vocabulary.sep_id,
        ),
    )


def _guess_samples(
    model: BertModel, data: PretrainingDataModule
) -> list[list[list[dict[str, Any]]]]:
    samples = choose_samples(data.parts.test, data.tokenizer, room=data.packing.max_length - 2)
    return [
        [
            [asdict(guess) for guess in guesses]
            for guesses in guess_blanks(model, sample, data.tokenizer)
        ]
        for sample in samples
    ]


def _score_best(
    cli: ObservedCLI, last: dict[str, HeldOut], *, formats: Sequence[Format]
) -> tuple[int, dict[str, HeldOut]]:
    """Score the best checkpoint, which replaces the weights in memory: nothing may follow this."""
    path = Path(cli.trainer.default_root_dir) / CHECKPOINT_FOLDER / BEST
    updates = cli.observer.costs.updates
    if not path.is_file():
        return updates, last
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    if checkpoint["global_step"] == updates:
        return updates, last
    cli.model.load_state_dict(checkpoint["state_dict"])
    scores = {
        str(format): describe(score_part(cli.model.model, cli.datamodule, "test", format))
        for format in formats
    }
    return int(checkpoint["global_step"]), scores
