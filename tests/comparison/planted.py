"""Results with a known truth, for tests of what is said about them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lit_roberta.comparison.judging.claims import Arm
from lit_roberta.comparison.results import PartFacts, Recipe, Results, TextFacts
from lit_roberta.comparison.runs.run import Bucket, Buckets, Calibration, Curves, HeldOut, Run

PAIRS, DOCUMENTS = "sentence-pair", "doc-sentences"


def plant_arm(
    name: str,
    losses: Mapping[str, float],
    *,
    format: str = PAIRS,
    runs: int = 5,
    documents: int = 30,
    run_deviation: float = 0.02,
    document_deviation: float = 0.05,
    seed: int = 0,
) -> Arm:
    """Make an arm whose runs and documents scatter around the losses given by format."""
    random = np.random.default_rng([seed, *name.encode()])
    # Hard documents are hard for everyone, so their difficulty does not depend on the arm.
    difficulty = np.random.default_rng(seed).normal(scale=0.5, size=documents)
    counts = np.random.default_rng(seed).integers(20, 60, size=documents)
    difficulty -= (difficulty * counts).sum() / counts.sum()
    nats = {}
    for key, loss in losses.items():
        run_effects = random.normal(scale=run_deviation, size=(runs, 1))
        document_effects = random.normal(scale=document_deviation, size=documents)
        nats[key] = (loss + difficulty + run_effects + document_effects) * counts
    return Arm(name=name, format=format, seeds=tuple(range(runs)), nats=nats, counts=counts)


def plant_unigram(arm: Arm, loss: float) -> np.ndarray:
    """Make the loss of word frequencies alone, document by document."""
    return loss * arm.counts.astype(np.float64)


# ---- whole results


def plant_results(
    *,
    seeds: int = 5,
    losses: Mapping[str, Mapping[str, float]] | None = None,
    unigram: float = 5.0,
    run_deviation: float = 0.02,
    document_deviation: float = 0.05,
) -> Results:
    """Make a comparison of three arms with believable numbers."""
    formats = {"bert": PAIRS, "bert-10": PAIRS, "roberta": DOCUMENTS}
    losses = losses or {
        "bert": {PAIRS: 3.53, DOCUMENTS: 5.08},
        "bert-10": {PAIRS: 3.07, DOCUMENTS: 4.88},
        "roberta": {PAIRS: 5.17, DOCUMENTS: 3.25},
    }
    arms = {
        name: plant_arm(
            name,
            scores,
            runs=seeds,
            run_deviation=run_deviation,
            document_deviation=document_deviation,
        )
        for name, scores in losses.items()
    }
    counts = next(iter(arms.values())).counts
    return Results(
        text=plant_text(unigram=unigram, counts=counts.tolist()),
        budget={"unit": "tokens", "amount": 285_800, "description": "285,800 tokens"},
        recipes=[plant_recipe(name, formats.get(name, PAIRS)) for name in losses],
        runs=[
            plant_run(name, seed, arm, own=formats.get(name, PAIRS))
            for name, arm in arms.items()
            for seed in range(seeds)
        ],
        command="python compare.py",
        environment={"python": "3.11.7", "torch": "2.13.0", "device": "cpu, 2 cores"},
        seconds=140.0,
    )


def plant_text(*, unigram: float, counts: list[int]) -> TextFacts:
    return TextFacts(
        corpus="toy",
        digest="0f" * 16,
        tokenizer="word",
        vocab_size=581,
        parts={
            "train": PartFacts(documents=134, sentences=540, tokens=7145, unk_share=0.0),
            "validation": PartFacts(documents=19, sentences=79, tokens=1040, unk_share=0.011),
            "test": PartFacts(documents=39, sentences=157, tokens=2087, unk_share=0.012),
        },
        unigram_loss=unigram,
        document_unigram_nats=[unigram * count for count in counts],
        samples=[
            ["the mice were too", "small", "for it, the cat was", "asleep", "."],
            ["does the", "river", "sleep at night?"],
        ],
        notes=["1 file, 192 documents", "a sentence: <b>Lucy</b> & Anna."],
    )


def plant_recipe(name: str, format: str) -> Recipe:
    roberta = format == DOCUMENTS
    copies = {"bert": 1, "bert-10": 10, "roberta": None}.get(name, 1)
    return Recipe(
        name=name,
        source=f"configs/{name}.yaml",
        format=format,
        settings={
            "data.format": format,
            "data.batch_size": 64 if roberta else 16,
            "data.masking.copies": copies,
            "model.next_sentence": not roberta,
            "model.optimizer.lr": 4e-3 if roberta else 1e-3,
        },
        unjudged={"data.masking.rate": 0.15},
        stream=name,
        updates=81 if roberta else 599,
        sequences_per_update=64 if roberta else 16,
        num_examples=133 if roberta else 406,
        copies=copies,
        learning_rate=4e-3 if roberta else 1e-3,
    )


def plant_run(name: str, seed: int, arm: Arm, *, own: str) -> Run:
    updates = 81 if name == "roberta" else 599
    gap = {"bert": (1.7, 0.5), "bert-10": (0.6, 0.5), "roberta": (0.45, 0.46)}.get(name, (1, 0.5))
    end = float(arm.losses(own)[seed])
    heldout = {
        format: HeldOut(
            mlm_loss=float(arm.losses(format)[seed]),
            perplexity=float(np.exp(arm.losses(format)[seed])),
            mlm_accuracy=0.31,
            loss_by_kind={"mask": 3.6, "random": 4.8, "kept": 1.2},
            document_nats=arm.nats[format][seed].tolist(),
            buckets=plant_buckets(float(arm.nats[format][seed].sum()), int(arm.counts.sum())),
        )
        for format in arm.nats
    }
    steps = np.linspace(0, 1, 12)
    guess = {"text": "river", "probability": 0.31, "right": True}
    return Run(
        recipe=name,
        seed=seed,
        updates=updates,
        sequences=updates * (64 if name == "roberta" else 16),
        tokens=288_000,
        predictions=38_000,
        flops=3.2e11,
        seconds=9.5,
        text_passes=40.3 if name == "roberta" else 36.1,
        epochs=39.0 if name == "roberta" else 23.6,
        train_mlm_loss=end - gap[0],
        train_mlm_loss_fresh_masks=end - gap[1],
        heldout=heldout,
        calibration=plant_calibration(int(arm.counts.sum())),
        words=None,
        best_update=updates,
        heldout_best=heldout,
        validation_loss=end + 0.05,
        nsp_accuracy=None if name == "roberta" else 0.61,
        nsp_accuracy_b_alone=None if name == "roberta" else 0.5,
        curves=Curves(
            training=[(epoch, 2.5 + 3.8 * float(np.exp(-epoch / 8))) for epoch in range(1, 25)],
            validation=[
                (int(updates * step) + 1, end + (6.3 - end) * float(np.exp(-4 * step)))
                for step in steps
            ],
        ),
        guesses=[
            [
                [
                    guess | {"text": text, "right": text == "small"}
                    for text in ("small", "old", "hot")
                ]
            ]
            * 2,
            [[guess, guess | {"text": "<sheep>", "probability": 0.2, "right": False}]],
        ],
        document_predictions=arm.counts.tolist(),
        fingerprint=f"{name}-{seed}",
    )


def plant_buckets(nats: float, count: int) -> Buckets:
    """Part a loss so that rare tokens cost more, and so on."""
    names = {
        "frequency": ("1-9", "10-99", "100-999"),
        "position": ("1-7", "8-15", "16-31"),
        "piece": ("whole word", "number", "punctuation"),
        "mask": ("mask", "random", "kept"),
    }
    first, second = count // 2, count // 3
    counts = (first, second, count - first - second)
    weights = np.array([1.5, 1.0, 0.3]) * counts
    shares = nats * weights / weights.sum()
    return {
        name: {
            key: Bucket(nats=float(part), count=some, right=some // 4)
            for key, part, some in zip(keys, shares, counts, strict=True)
        }
        for name, keys in names.items()
    }


def plant_calibration(count: int) -> Calibration:
    """Make a model that is a little too sure of itself."""
    middles = np.linspace(0.05, 0.95, 10)
    counts = np.full(10, count // 10)
    counts[0] += count - counts.sum()
    right = (0.9 * middles * counts).astype(int)
    return Calibration(
        count=counts.tolist(),
        confidence=(middles * counts).tolist(),
        right=right.tolist(),
        expected_error=float(np.abs(middles * counts - right).sum() / count),
        brier_score=0.7,
    )
