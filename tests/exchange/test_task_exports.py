"""Fine-tuned models leave as what they compute, in the classes that others have for them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.exchange.tasks import CLASSES
from lit_roberta.model.task_heads import TASK_KINDS, TaskKind
from tests.exchange.fine_tuned import LABELS, assert_same_logits, config_of, fine_tuned, task_of
from tests.exchange.test_checking import change_weights, damaged_export, negate


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", TASK_KINDS)
def test_what_leaves_computes_the_same_in_their_class(
    kind: TaskKind, family: Family, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="the reader is not installed")
    drawn = fine_tuned(kind, family)
    exported = export(drawn, tmp_path / "out")
    assert exported.architecture == {"bert": "Bert", "roberta": "Roberta"}[family] + CLASSES[kind]
    assert exported.check is not None
    assert exported.check.difference < 1e-5
    assert any("masked_lm_head.*" in notice for notice in exported.notices)
    automatic = getattr(transformers, "AutoModel" + CLASSES[kind])
    theirs, info = automatic.from_pretrained(tmp_path / "out", output_loading_info=True)
    assert not any(info[f"{what}_keys"] for what in ("missing", "unexpected", "mismatched"))
    assert type(theirs).__name__ == exported.architecture
    assert_same_logits(drawn, theirs.eval())
    if drawn.task and drawn.task.labels:
        assert theirs.config.id2label == dict(enumerate(LABELS))
        assert theirs.config.label2id == {label: row for row, label in enumerate(LABELS)}
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "AutoModel" + CLASSES[kind] in card
    back = load_pretrained(str(tmp_path / "out"))
    assert back.task == drawn.task
    for name, weight in back.weights.items():
        wanted = drawn.weights[name]
        assert torch.equal(weight, wanted[: len(weight)] if "segment" in name else wanted), name
    assert not back.has_masked_lm_head


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", TASK_KINDS)
def test_any_weight_of_a_head_that_is_another_is_found(
    kind: TaskKind, family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers", reason="the reader is not installed")
    drawn = replace(fine_tuned(kind, family), tokenizer=None)
    export(drawn, tmp_path / "right" / "out")
    stored = load_file(tmp_path / "right" / "out" / "model.safetensors")
    heads = [name for name in stored if not name.startswith(("bert.e", "roberta.e"))]
    assert len(heads) == (2 if kind in ("token-classification", "question-answering") else 4)
    (tmp_path / "wrong").mkdir()
    for name in heads:
        damage = partial(change_weights, change=partial(negate, name=name))
        line = damaged_export(monkeypatch, drawn, tmp_path / "wrong" / "out", damage)
        assert "logits that differ by" in line, name


@pytest.mark.parametrize("family", FAMILIES)
def test_one_label_is_a_number(family: Family, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the reader is not installed")
    kind: TaskKind = "sequence-classification"
    for problem_type in (None, "regression"):
        task = task_of(kind, ("stars",), problem_type=problem_type)
        assert task.is_regression
        folder = tmp_path / f"{problem_type}"
        export(fine_tuned(kind, family, task), folder)
        assert load_pretrained(str(folder)).task == task
    assert config_of(tmp_path / "regression")["problem_type"] == "regression"
    several = task_of(kind, problem_type="multi_label_classification", dropout=0.5)
    export(fine_tuned(kind, family, several), tmp_path / "several")
    assert load_pretrained(str(tmp_path / "several")).task == several
    assert not several.is_regression
