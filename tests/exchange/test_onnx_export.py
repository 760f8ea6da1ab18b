"""An exported graph computes what the model does at any size, in an engine that is not torch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange import export_cli, onnx_export
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.exchange.pretrained import Pretrained, build_task_model
from lit_roberta.model.task_heads import TASK_KINDS, TaskKind
from tests.exchange.fine_tuned import fine_tuned
from tests.exchange.models import ARCHITECTURES, random_ids, tiny_pretrained

SHAPES = ((1, 1), (1, 24), (5, 3), (2, 17))
"""Rows and columns; none of them is one that the export looks at itself."""

onnx = pytest.importorskip("onnx", reason="the onnx extra is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the onnx extra is not installed")
pytest.importorskip("onnxscript", reason="the onnx extra is not installed")


def session_of(folder: Path) -> Any:
    return onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])


def wanted_of(pretrained: Pretrained, inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    ids, real = inputs["input_ids"], inputs["attention_mask"] != 0
    segments = inputs.get("token_type_ids")
    if pretrained.task is not None:
        logits = build_task_model(pretrained)(ids, segments, real)
        if pretrained.task.kind == "question-answering":
            return {"start_logits": logits[..., 0], "end_logits": logits[..., 1]}
        return {"logits": logits}
    given = pretrained.build()(ids, segments, real)
    follows = None if given.nsp_logits is None else given.nsp_logits.flip(-1)
    if not pretrained.has_masked_lm_head:
        if follows is None:
            return {"last_hidden_state": given.last_hidden_state}
        return {"logits": follows}
    found = {"logits": given.mlm_logits}
    return found if follows is None else {**found, "seq_relationship_logits": follows}


@torch.no_grad()
def assert_same_outputs(pretrained: Pretrained, folder: Path) -> None:
    session = session_of(folder)
    names = {each.name for each in session.get_inputs()}
    assert names == {"input_ids", "attention_mask"} | (
        {"token_type_ids"} if pretrained.family == "bert" else set()
    )
    is_choice = pretrained.task is not None and pretrained.task.kind == "multiple-choice"
    batches = [random_ids(pretrained)]
    for rows, columns in SHAPES:
        generator = torch.Generator().manual_seed(rows)
        ids = torch.randint(pretrained.encoder.vocab_size, (rows, columns), generator=generator)
        batches.append((ids, torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)))
    for ids, second, real in batches:
        inputs = {"input_ids": ids, "attention_mask": real.long(), "token_type_ids": second}
        inputs = {name: inputs[name][None] if is_choice else inputs[name] for name in names}
        wanted = wanted_of(pretrained, inputs)
        assert {each.name for each in session.get_outputs()} == wanted.keys()
        found = session.run(list(wanted), {name: each.numpy() for name, each in inputs.items()})
        for (name, ours), theirs in zip(wanted.items(), found, strict=True):
            if ours.shape[:2] == real.shape:
                ours, theirs = ours[real], theirs[real.numpy()]
            np.testing.assert_allclose(theirs, ours.numpy(), rtol=0, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("architecture", ["BertForPreTraining", "RobertaForMaskedLM"])
def test_a_graph_computes_what_the_model_does(architecture: str, tmp_path: Path) -> None:
    pretrained = tiny_pretrained(architecture)
    exported = export(pretrained, tmp_path / "out", onnx=True)
    assert exported.onnx_difference is not None
    assert exported.onnx_difference < 1e-5
    assert "onnxruntime on several shapes" in exported.checked
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "model.onnx" in card
    # On the left, BERT's positions are the same in transformers, and RoBERTa's are others.
    assert ("pad on the right" in card) == (pretrained.family == "roberta")
    assert_same_outputs(pretrained, tmp_path / "out")
    graph = onnx.load(tmp_path / "out" / "model.onnx")
    onnx.checker.check_model(graph)
    assert {node.domain for node in graph.graph.node} == {""}, "no operators of anybody's own"
    assert b".py" not in graph.SerializeToString(), "no paths of the machine that it was made on"
    kinds = {node.op_type for node in graph.graph.node}
    assert not any("Dropout" in kind or "Random" in kind for kind in kinds)


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_so_does_that_of_any_class(architecture: str, tmp_path: Path) -> None:
    pretrained = tiny_pretrained(architecture)
    export(pretrained, tmp_path / "out", onnx=True)
    assert_same_outputs(pretrained, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", TASK_KINDS)
def test_so_does_that_of_any_task(kind: TaskKind, family: Family, tmp_path: Path) -> None:
    pretrained = fine_tuned(kind, family)
    export(pretrained, tmp_path / "out", onnx=True)
    assert_same_outputs(pretrained, tmp_path / "out")


@pytest.mark.slow
def test_weights_that_one_file_does_not_hold_lie_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_export, "_MOST_IN_ONE_FILE", 0)
    pretrained = tiny_pretrained("BertForMaskedLM")
    export(pretrained, tmp_path / "out", onnx=True)
    files = {path.name for path in (tmp_path / "out").glob("model.onnx*")}
    assert files == {"model.onnx", "model.onnx.data"}
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    assert_same_outputs(pretrained, tmp_path / "elsewhere")


@pytest.mark.slow
def test_a_graph_that_computes_something_else_is_refused_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = onnx_export._write

    def write_another(traced: Any, *rest: Any, **more: Any) -> None:
        head = traced.model.masked_lm_head.bias
        head.add_(2e-4)
        write(traced, *rest, **more)
        head.sub_(2e-4)

    monkeypatch.setattr(onnx_export, "_write", write_another)
    with pytest.raises(UserError, match=r"logits that differ by 0\.0002 at the shape") as caught:
        export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out", onnx=True)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("package", ["onnx", "onnxscript", "onnxruntime"])
def test_without_a_package_it_is_one_line_before_any_work(
    package: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    status = export_cli.main([str(tmp_path / "no.ckpt"), str(tmp_path / "out"), "--onnx"])
    line = capsys.readouterr().err
    assert status == 2
    assert f"--onnx must have the package, got '{package}'" in line
    assert 'pip install "lit_roberta[onnx]"' in line
    assert line.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_checkpoint(tiny_pretrained("RobertaModel"), tmp_path / "it.ckpt")
    arguments = [str(tmp_path / "it.ckpt"), str(tmp_path / "out"), "--onnx"]
    assert export_cli.main(arguments) == 0
    assert "run by onnxruntime" in capsys.readouterr().err
    assert_same_outputs(tiny_pretrained("RobertaModel"), tmp_path / "out")
