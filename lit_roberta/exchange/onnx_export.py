"""A model as one ONNX graph, for whatever runs those; compared with the model before it is kept.

In: a model, and the class that it becomes. Out: `model.onnx`, with batch and sequence of any size.
Its inputs and outputs have the names of `transformers`.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lit_roberta.errors import must
from lit_roberta.exchange.architectures import Home
from lit_roberta.exchange.pretrained import Pretrained, build_task_model
from lit_roberta.exchange.tasks import CLASSES
from lit_roberta.model.task_heads import TaskModel

ONNX = "model.onnx"
_TOLERANCE = 1e-4
"""Absolute, in single precision."""
_NEEDED = ("onnx", "onnxscript", "onnxruntime")
_MOST_IN_ONE_FILE = 3 * 2**29
"""Bytes of weights. A file of ONNX holds less than 2 GiB; more go into a file beside it."""


class _Traced(nn.Module):
    """The model as a graph sees it: three inputs, and outputs in a fixed order."""

    def __init__(self, home: Home, pretrained: Pretrained) -> None:
        super().__init__()
        self.outputs = _outputs(home, pretrained)
        self.only_judges = home.architecture.endswith("ForNextSentencePrediction")
        is_task = pretrained.task is not None
        self.model = build_task_model(pretrained) if is_task else pretrained.build()

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None
    ) -> tuple[Tensor, ...]:
        given = self.model(input_ids, token_type_ids, attention_mask != 0)
        if isinstance(self.model, TaskModel):
            return given.unbind(-1) if len(self.outputs) == 2 else (given,)
        found = {"last_hidden_state": given.last_hidden_state, "logits": given.mlm_logits}
        if given.nsp_logits is not None:
            follows = given.nsp_logits.flip(-1)  # class 0 of theirs: B follows A
            found["logits" if self.only_judges else "seq_relationship_logits"] = follows
        return tuple(found[name] for name in self.outputs)


def require_onnx() -> None:
    """See that what writes, optimizes and runs ONNX is installed.

    Raises:
        UserError: If a part is not.
    """
    for name in _NEEDED:
        try:
            importlib.import_module(name)
        except ImportError as error:
            remedy = 'Install it: pip install "lit_roberta[onnx]".'
            raise must("--onnx", "have the package", name, remedy) from error


def write_onnx(folder: Path, home: Home, pretrained: Pretrained) -> float:
    """Write the graph, and run it beside the model.

    Args:
        folder: Where `model.onnx` goes.
        home: Where the model went.
        pretrained: The model.

    Returns:
        The largest absolute difference of any output.

    Raises:
        UserError: If what writes or runs ONNX is not installed, or if the graph computes something
            else by more than 1e-4.
    """
    require_onnx()
    traced = _Traced(home, pretrained).eval().requires_grad_(False)
    batches = list(_batches(home, pretrained))
    with _quiet():
        _write(traced, batches[0], folder / ONNX, longest=home.encoder.max_position_embeddings)
    return _compare(folder / ONNX, traced, batches)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let the exporter keep to itself what it thinks of its own parts."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _outputs(home: Home, pretrained: Pretrained) -> list[str]:
    if pretrained.task is not None:
        is_answer = pretrained.task.kind == "question-answering"
        return ["start_logits", "end_logits"] if is_answer else ["logits"]
    if home.architecture.endswith("Model"):
        return ["last_hidden_state"]
    is_both = home.architecture.endswith("ForPreTraining")
    return ["logits", "seq_relationship_logits"] if is_both else ["logits"]


def _write(traced: _Traced, inputs: Mapping[str, Tensor], path: Path, *, longest: int) -> None:
    names = ("batch", "choices")[: inputs["input_ids"].dim() - 1]
    axes: dict[int, Any] = {axis: torch.export.Dim(name) for axis, name in enumerate(names)}
    axes[len(names)] = torch.export.Dim("sequence", max=longest)
    size = sum(weight.nbytes for weight in traced.state_dict().values())
    program = torch.onnx.export(
        traced,
        (),
        kwargs=dict(inputs),
        input_names=list(inputs),
        output_names=traced.outputs,
        dynamic_shapes=dict.fromkeys(inputs, axes),
        dynamo=True,
        verbose=False,
    )
    assert program is not None
    for node in program.model.graph.all_nodes():
        node.metadata_props.clear()  # lines of our source, with paths of this machine
    program.save(path, external_data=size > _MOST_IN_ONE_FILE)


def _batches(home: Home, pretrained: Pretrained) -> Iterator[dict[str, Tensor]]:
    """Give inputs of several shapes, the first of them for the tracing: no size in it is 1."""
    generator = torch.Generator().manual_seed(0)
    longest = home.encoder.max_position_embeddings
    is_choice = home.architecture.endswith(CLASSES["multiple-choice"])
    for rows, seq in ((3, 7), (1, longest), (2, min(13, longest)), (1, 2)):
        columns = torch.arange(min(seq, longest))
        lengths = torch.tensor([max(1, seq * (rows - row) // rows) for row in range(rows)])
        real = columns < lengths[:, None]
        ids = torch.randint(home.encoder.vocab_size, real.shape, generator=generator)
        inputs = {"input_ids": ids.where(real, pretrained.pad_id), "attention_mask": real.long()}
        if home.family == "bert":
            second = (columns >= lengths[:, None] // 2) & real
            inputs["token_type_ids"] = second.long() * home.second_segment
        if is_choice:
            inputs = {name: torch.stack([each, each.flip(0)]) for name, each in inputs.items()}
        yield inputs


@torch.no_grad()
def _compare(path: Path, traced: _Traced, batches: list[dict[str, Tensor]]) -> float:
    runtime = importlib.import_module("onnxruntime")
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    largest = 0.0
    for inputs in batches:
        found = session.run(traced.outputs, {name: each.numpy() for name, each in inputs.items()})
        real = inputs["attention_mask"] != 0
        for name, ours, theirs in zip(traced.outputs, traced(**inputs), found, strict=True):
            difference = (ours - torch.from_numpy(theirs)).abs()
            if difference.shape[: real.dim()] == real.shape:
                difference = difference[real]
            size = float(difference.max())
            if not size <= _TOLERANCE:
                got = f"{name} that differ by {size:.2g} at the shape {list(real.shape)}"
                rule = f"compute the model's outputs to {_TOLERANCE:g}"
                raise must("the ONNX graph", rule, got, "Nothing was written.")
            largest = max(largest, size)
    return largest
