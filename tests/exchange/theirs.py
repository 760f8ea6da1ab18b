"""What `transformers` makes of a folder, and what our model gives on the same input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from lit_roberta.exchange.pretrained import Pretrained
from tests.exchange.models import random_ids


def load(folder: Path, architecture: str) -> Any:
    """Load by the class, and see that nothing was missing, left over or of another shape."""
    transformers = pytest.importorskip("transformers", reason="the reader is not installed")
    model, info = getattr(transformers, architecture).from_pretrained(
        folder, output_loading_info=True
    )
    for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        assert not info[kind], kind
    return model.eval()


@torch.no_grad()
def outputs_of(theirs: Any, pretrained: Pretrained, *, segments: bool) -> dict[str, Tensor]:
    """Compute what the class gives, under our names."""
    ids, second, real = random_ids(pretrained)
    arguments = {"input_ids": ids, "attention_mask": real.long(), "output_hidden_states": True}
    if segments:
        arguments["token_type_ids"] = second
    given = theirs(**arguments)
    found = {"hidden": given.hidden_states[-1][real]}
    architecture = type(theirs).__name__
    if architecture == "BertForPreTraining":
        found["mlm"] = given.prediction_logits[real]
        found["nsp"] = given.seq_relationship_logits.flip(-1)
    elif architecture == "BertForNextSentencePrediction":
        found["nsp"] = given.logits.flip(-1)
    elif architecture.endswith("MaskedLM"):
        found["mlm"] = given.logits[real]
    else:
        found["pooled"] = given.pooler_output
    return found


@torch.no_grad()
def wanted_of(pretrained: Pretrained, *, segments: bool) -> dict[str, Tensor]:
    ids, second, real = random_ids(pretrained)
    model = pretrained.build(next_sentence=pretrained.has_pooler)
    given = model(ids, second if segments else None, real)
    found = {"hidden": given.last_hidden_state[real], "mlm": given.mlm_logits[real]}
    if given.nsp_logits is not None:
        assert model.next_sentence_head is not None
        found["nsp"] = given.nsp_logits
        pooler = model.next_sentence_head.pooler
        assert pooler is not None
        found["pooled"] = torch.tanh(pooler(given.last_hidden_state[:, 0]))
    return found
