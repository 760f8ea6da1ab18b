"""Tiny random models of `transformers`, and what they compute beside what ours does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from lit_roberta.exchange.names import Family
from lit_roberta.exchange.weights import to_ours
from lit_roberta.model.bert import BertModel
from tests.model.examples import (
    Example,
    assert_same_gradients,
    pretraining_gradients,
    pretraining_loss,
)

PAD_IDS: dict[Family, int] = {"bert": 0, "roberta": 1}


def family_of(theirs: nn.Module) -> Family:
    config: Any = theirs.config
    return "bert" if config.model_type == "bert" else "roberta"


def under_our_names(
    ours: BertModel, theirs: nn.Module, read: Callable[[Tensor], Tensor | None]
) -> dict[str, Tensor]:
    """Read something of each of their parameters, and give it our names and our order of rows."""
    config: Any = theirs.config
    values = {name: read(parameter) for name, parameter in theirs.named_parameters()}
    found = to_ours(
        {name: value for name, value in values.items() if value is not None},
        family=family_of(theirs),
        num_layers=ours.config.num_hidden_layers,
        pad_id=config.pad_token_id,
    ).weights
    assert found.keys() == dict(ours.named_parameters()).keys()
    return found


def copy_weights(ours: BertModel, theirs: nn.Module) -> None:
    ours.load_state_dict(under_our_names(ours, theirs, lambda parameter: parameter.detach()))


def their_gradients(ours: BertModel, theirs: nn.Module) -> dict[str, Tensor]:
    return under_our_names(ours, theirs, lambda parameter: parameter.grad)


def build(kind: str, ours: BertModel, *, pad_id: int | None = None) -> Any:
    """Build their model of one kind at the sizes of ours."""
    transformers = pytest.importorskip("transformers", reason="the peer is not installed")
    config = ours.config
    name = kind.partition("For")[0].removesuffix("Model")
    family: Family = "bert" if name == "Bert" else "roberta"
    shared = {name: getattr(config, name) for name in vars(config) if name != "tanh_pooler"}
    shared["pad_token_id"] = PAD_IDS[family] if pad_id is None else pad_id
    if family == "roberta":
        shared["max_position_embeddings"] += shared["pad_token_id"] + 1
    settings = getattr(transformers, f"{name}Config")(**shared, attn_implementation="sdpa")
    return getattr(transformers, kind)(settings).train()  # dropout is 0: the path of training


def inputs(example: Example) -> dict[str, Tensor]:
    """Name the inputs of an example as they do."""
    batch = example.batch
    segments = batch.segment_ids
    assert batch.attention_mask is not None
    return {
        "input_ids": batch.input_ids,
        "token_type_ids": torch.zeros_like(batch.input_ids) if segments is None else segments,
        "attention_mask": batch.attention_mask.long(),
    }


def hidden_states(ours: BertModel, example: Example) -> list[Tensor]:
    """Give what each layer of ours computes, the embeddings first."""
    found: list[Tensor] = []
    parts = [ours.embeddings, *ours.encoder.layers]
    hooks = [part.register_forward_hook(lambda *args: found.append(args[2])) for part in parts]
    ours(*example.batch[:3])
    for hook in hooks:
        hook.remove()
    return found


def assert_same_states(ours: BertModel, output: Any, example: Example) -> None:
    """Compare what all layers compute, at real tokens."""
    real = example.batch.attention_mask
    states = hidden_states(ours, example)
    assert len(states) == len(output.hidden_states)
    for mine, other in zip(states, output.hidden_states, strict=True):
        # layers compute no padding: what they give is the real tokens
        assert_close(mine if mine.dim() == 2 else mine[real], other[real])


def compare(ours: BertModel, theirs: Any, example: Example) -> None:
    """Compare hidden states, logits, losses and gradients."""
    labels = {"labels": example.dense_labels}
    if ours.next_sentence_head is not None:
        assert example.batch.next_sentence_labels is not None
        # Theirs calls "B follows A" class 0.
        labels["next_sentence_label"] = 1 - example.batch.next_sentence_labels
    output = theirs(**inputs(example), **labels, output_hidden_states=True)
    assert_same_states(ours, output, example)
    real, dense = example.batch.attention_mask, ours(*example.batch[:3])
    logits = output.prediction_logits if "prediction_logits" in output else output.logits
    assert_close(dense.mlm_logits[real], logits[real])
    if dense.nsp_logits is not None:
        assert_close(dense.nsp_logits.flip(-1), output.seq_relationship_logits)
    output.loss.backward()
    wanted = their_gradients(ours, theirs)
    for sparse in (False, True):
        assert_close(pretraining_loss(ours, example, sparse=sparse), output.loss)
        assert_same_gradients(pretraining_gradients(ours, example, sparse=sparse), wanted)
