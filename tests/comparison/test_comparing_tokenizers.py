"""Recipes with different tokenizers through the real command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.comparison.cli import main
from tests.comparison.texts import write_text

_SMALL = (
    "--model.encoder.hidden_size=16",
    "--model.encoder.num_attention_heads=2",
    "--trainer.accelerator=cpu",
)


@pytest.mark.slow
def test_recipes_with_different_tokenizers_are_judged_by_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])
    text = write_text(tmp_path)
    recipes = []
    for kind, size in (("wordpiece", 80), ("bytelevel-bpe", 280)):
        path = tmp_path / f"{kind}.yaml"
        tokenizer = f"tokenizer: {{kind: {kind}, vocab_size: {size}}}"
        path.write_text(f"data:\n  format: doc-sentences\n  batch_size: 4\n  {tokenizer}\n")
        recipes.append(str(path))
    budget = ("--budget.unit", "updates", "--budget.amount", "4", "--seeds", "2", "--jobs", "1")
    output = tmp_path / "report"
    asked = ["--corpus", str(text), "--output", str(output), *_SMALL, "--recipes", *recipes]
    assert main([*asked, *budget]) == 0
    results: dict[str, Any] = json.loads((output / "results.json").read_text("utf-8"))
    facts = results["words"]
    assert set(facts["nats_per_word"]) == {"wordpiece", "bytelevel-bpe"}
    assert 0 < facts["common"] <= facts["sampled"]
    assert results["verdict"]["sentences"][0].startswith("The recipes have different tokens")
    for run in results["runs"]:
        nats = run["words"]["nats"]["doc-sentences"]
        scored = [value for value in nats if value is not None]
        assert len(scored) >= facts["common"]
    assert "held-out words" in (output / "report.html").read_text("utf-8")
