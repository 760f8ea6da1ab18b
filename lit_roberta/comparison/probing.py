"""The last checkpoint of each run, asked what it knows besides its loss.

In: finished runs and their folders. Out: the same runs with their answers to the package's own
minimal pairs, which are kept beside the run's result, so that each is asked once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from lit_roberta.comparison.design.fingerprints import digest
from lit_roberta.comparison.runs.run import ProbeScores, Run, write_json
from lit_roberta.inference.text_model import load_model
from lit_roberta.probing.minimal_pairs import judge_minimal_pairs
from lit_roberta.probing.pairs import MinimalPair, built_in_pairs
from lit_roberta.training.checkpoint_files import CHECKPOINT_FOLDER, LAST

PROBES = "probes.json"


def probe_runs(runs: Sequence[Run], folder: Path, console: Console) -> list[Run]:
    """Ask each run for the better sentence of each minimal pair.

    All models get segment 0 everywhere, which those that were trained on single texts know as
    well as those that were trained on pairs.

    Args:
        runs: Finished ones.
        folder: Where they lie, as `<folder>/<recipe>/seed-<n>`.
        console: Told how far it is.

    Raises:
        UserError: If a run's last checkpoint can't be read any more.
    """
    pairs = built_in_pairs()
    found: dict[Path, ProbeScores] = {}
    places = [folder / (run.same_as or run.recipe) / f"seed-{run.seed}" for run in runs]
    with console.status("Probing") as status:
        for number, (run, place) in enumerate(zip(runs, places, strict=True), start=1):
            status.update(f"Probing run {number} of {len(runs)}")
            if place not in found:
                found[place] = _probes(run, place, pairs)
    return [replace(run, probes=found[place]) for run, place in zip(runs, places, strict=True)]


def _probes(run: Run, place: Path, pairs: Sequence[MinimalPair]) -> ProbeScores:
    """Read what was answered before, or ask."""
    key = digest({"run": run.fingerprint, "pairs": pairs})
    stored = _stored(place / PROBES)
    if stored.get("key") == key:
        return ProbeScores(**stored["probes"])
    checkpoint = place / CHECKPOINT_FOLDER / LAST
    scores = judge_minimal_pairs(load_model(str(checkpoint), predicts=True), pairs)
    probes = ProbeScores(
        accuracy=None if scores.overall is None else scores.overall.share,
        by_phenomenon={name: each.share for name, each in scores.by_phenomenon.items()},
        phenomena=[pair.phenomenon for pair in pairs],
        right=scores.right,
    )
    write_json(place / PROBES, {"key": key, "probes": asdict(probes)})
    return probes


def _stored(path: Path) -> dict[str, Any]:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) and isinstance(stored.get("probes"), dict) else {}
