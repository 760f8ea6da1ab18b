"""What `transformers` makes of an exported model, with its own tokenizer and its own pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.inference.encoding import encode
from lit_roberta.inference.filling import fill_mask
from lit_roberta.inference.text_model import TextModel, load_model
from tests.inference.models import LENGTH, TEXTS, write_model

pytestmark = pytest.mark.slow

MASKED = ["I _ you.", "_ you.", "I_you", "tea, _ and _!", "It (_) rained", "_"]
"""With at most one space before a mask: more of them the exported tokenizer takes for one."""


@pytest.fixture(params=[("bert", "wordpiece"), ("roberta", "bytelevel-bpe"), ("bert", "word")])
def exported(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[TextModel, str]:
    """A model of ours from its checkpoint, and the folder that it was exported to."""
    pytest.importorskip("transformers", reason="the peer is not installed")
    family, kind = request.param
    segments = 2 if family == "bert" else 1
    path = write_model(tmp_path / "model.ckpt", kind=kind, type_vocab_size=segments)
    folder = str(tmp_path / "folder")
    export(load_pretrained(str(path)), folder, family=family)
    return load_model(str(path)), folder


@torch.no_grad()
def test_vectors_are_those_of_transformers(exported: tuple[TextModel, str]) -> None:
    transformers: Any = pytest.importorskip("transformers")
    model, folder = exported
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    theirs = transformers.AutoModel.from_pretrained(folder).eval()
    texts = [*TEXTS, "so " * LENGTH]
    batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    states = theirs(**batch).last_hidden_state
    real = batch["attention_mask"][:, :, None]
    mean = ((states * real).sum(dim=1) / real.sum(dim=1)).numpy()
    np.testing.assert_allclose(encode(model, texts), mean, rtol=1e-4, atol=1e-5)
    cls = encode(model, texts, pooling="cls")
    np.testing.assert_allclose(cls, states[:, 0].numpy(), rtol=1e-4, atol=1e-5)


def test_predictions_are_those_of_the_pipeline(exported: tuple[TextModel, str]) -> None:
    transformers: Any = pytest.importorskip("transformers")
    model, folder = exported
    pipeline = transformers.pipeline("fill-mask", model=folder, device="cpu")
    size = model.tokenizer.vocab_size
    mask = pipeline.tokenizer.mask_token
    for masked in MASKED:
        text = masked.replace("_", mask)
        guesses = pipeline(text, top_k=size)
        found = fill_mask(model, [text], top_k=3)[0]
        for ours, theirs in zip(
            found.masks, guesses if "_" in masked.replace("_", "", 1) else [guesses], strict=True
        ):
            by_id = {guess["token"]: guess["score"] for guess in theirs}
            for one in ours:
                np.testing.assert_allclose(one.probability, by_id[one.token_id], rtol=1e-4)
