"""What `transformers` saves and we load computes the same: states, logits, losses, gradients."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.model.bert import BertModel
from tests.model.examples import Example, random_batch, randomize, tiny_config
from tests.model.peers import assert_same_states, build, compare, inputs

FULL = tiny_config().max_position_embeddings

CASES: list[tuple[str, int, int, int, float]] = [
    # kind, pad id, heads, length, epsilon
    ("BertForPreTraining", 0, 4, 16, 1e-12),
    ("BertForPreTraining", 3, 1, FULL, 1e-5),
    ("BertForMaskedLM", 1, 2, FULL, 1e-2),
    ("RobertaForMaskedLM", 1, 4, FULL, 1e-5),
    ("RobertaForMaskedLM", 0, 8, 16, 1e-12),
    ("RobertaForMaskedLM", 3, 2, FULL, 1e-2),
    ("XLMRobertaForMaskedLM", 1, 4, 16, 1e-5),
    ("CamembertForMaskedLM", 1, 1, FULL, 1e-5),
]


def padded(example: Example, pad_id: int) -> Example:
    """Put the padding's id where the padding is, and nowhere else."""
    batch = example.batch
    assert batch.attention_mask is not None
    ids = batch.input_ids.masked_fill(~batch.attention_mask, pad_id)
    return replace(example, batch=batch._replace(input_ids=ids))


def example_for(kind: str, *, pad_id: int, seq: int, seed: int = 0) -> Example:
    example = random_batch(seed=seed, seq=seq, segments=kind.startswith("Bert"))
    return padded(example, pad_id)


def peer(kind: str, *, pad_id: int, heads: int = 4, epsilon: float = 1e-5, seed: int = 0) -> Any:
    changes = {"num_attention_heads": heads, "layer_norm_eps": epsilon}
    if not kind.startswith("Bert"):
        changes["type_vocab_size"] = 1
    theirs = build(kind, BertModel(tiny_config(**changes)), pad_id=pad_id)
    randomize(theirs, seed=seed)  # also what begins as 0: a bias that is lost would not be seen
    return theirs


def through_files(theirs: Any, folder: Path, *, twice: bool = False) -> BertModel:
    theirs.save_pretrained(folder)
    found = load_pretrained(str(folder))
    if twice:
        write_checkpoint(found, folder / "it.ckpt")
        found = load_pretrained(str(folder / "it.ckpt"))
    return found.build()


@pytest.mark.parametrize(("kind", "pad_id", "heads", "seq", "epsilon"), CASES)
def test_what_is_loaded_computes_and_learns_the_same(
    kind: str, pad_id: int, heads: int, seq: int, epsilon: float, tmp_path: Path
) -> None:
    theirs = peer(kind, pad_id=pad_id, heads=heads, epsilon=epsilon)
    ours = through_files(theirs, tmp_path, twice=kind.startswith("R"))
    compare(ours, theirs, example_for(kind, pad_id=pad_id, seq=seq))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("kind", "pad_id", "heads", "seq", "epsilon"), CASES)
def test_so_it_does_for_any_draw(
    kind: str, pad_id: int, heads: int, seq: int, epsilon: float, seed: int, tmp_path: Path
) -> None:
    theirs = peer(kind, pad_id=pad_id, heads=heads, epsilon=epsilon, seed=seed)
    ours = through_files(theirs, tmp_path)
    compare(ours, theirs, example_for(kind, pad_id=pad_id, seq=seq, seed=seed))


def test_so_it_does_from_the_shards_that_transformers_makes(tmp_path: Path) -> None:
    theirs = peer("RobertaForMaskedLM", pad_id=1)
    theirs.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("model-*-of-*.safetensors"))) > 2
    ids = torch.randint(5, 99, (2, 9), generator=torch.Generator().manual_seed(4))
    assert_close(load_pretrained(str(tmp_path)).build()(ids).mlm_logits, theirs(ids).logits)


@pytest.mark.parametrize("kind", ["BertModel", "RobertaModel"])
def test_a_model_without_heads_gives_the_same_states(kind: str, tmp_path: Path) -> None:
    pad_id = 1 if kind.startswith("R") else 0
    theirs = peer(kind, pad_id=pad_id)
    ours = through_files(theirs, tmp_path)
    example = example_for(kind, pad_id=pad_id, seq=FULL)
    output = theirs(**inputs(example), output_hidden_states=True)
    assert_same_states(ours, output, example)


@pytest.mark.parametrize("pad_id", [0, 1, 3])
@pytest.mark.parametrize("kind", ["BertForMaskedLM", "RobertaForMaskedLM"])
def test_every_position_is_usable_and_one_more_is_an_error(
    kind: str, pad_id: int, tmp_path: Path
) -> None:
    theirs = peer(kind, pad_id=pad_id)
    ours = through_files(theirs, tmp_path)
    full = torch.randint(5, 99, (2, FULL), generator=torch.Generator().manual_seed(1))
    logits = ours(full).mlm_logits
    assert_close(logits, theirs(full).logits)
    # From embeddings they count the positions without looking at ids.
    assert_close(logits, theirs(inputs_embeds=theirs.get_input_embeddings()(full)).logits)
    with pytest.raises(UserError, match=f"at most {FULL} positions"):
        ours(torch.cat([full, full[:, :1]], dim=1))


@pytest.mark.parametrize("kind", ["BertForMaskedLM", "RobertaForMaskedLM"])
def test_padding_and_mode_change_nothing_at_real_tokens(kind: str, tmp_path: Path) -> None:
    """Alone, with seven pads behind it, among longer ones; in training and in evaluation."""
    pad_id = 1 if kind.startswith("R") else 0
    theirs = peer(kind, pad_id=pad_id)
    ours = through_files(theirs, tmp_path)
    ids = torch.randint(5, 99, (1, 11), generator=torch.Generator().manual_seed(2))
    wanted = theirs(ids).logits[0]
    longer = torch.randint(5, 99, (2, 18), generator=torch.Generator().manual_seed(3))
    longer[0] = torch.cat([ids[0], torch.full((7,), pad_id)])
    mask = torch.ones(2, 18, dtype=torch.bool)
    mask[0, 11:] = False
    for training in (False, True):
        ours.train(training)
        assert_close(ours(ids).mlm_logits[0], wanted)
        for rows in (1, 2):
            found = ours(longer[:rows], attention_mask=mask[:rows]).mlm_logits[0, :11]
            assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    # On the left, too: RoBERTa's positions begin at the text, where ours begin at the row.
    left = torch.cat([torch.full((1, 7), pad_id), ids], dim=1)
    hidden = torch.zeros(1, 18, dtype=torch.bool)
    hidden[:, 7:] = True
    shifted = theirs(
        left, attention_mask=hidden.long(), position_ids=torch.arange(18)[None] + _offset(theirs)
    )
    assert_close(ours(left, attention_mask=hidden).mlm_logits[0, 7:], shifted.logits[0, 7:])


def _offset(theirs: Any) -> int:
    return 0 if theirs.config.model_type == "bert" else theirs.config.pad_token_id + 1


def test_a_model_of_random_biases_misses_none_of_them(tmp_path: Path) -> None:
    """Each weight that is moved alone moves what we compute: none is left behind."""
    theirs = peer("RobertaForMaskedLM", pad_id=1)
    ids = torch.randint(5, 99, (2, 9), generator=torch.Generator().manual_seed(4))
    theirs.save_pretrained(tmp_path / "before")
    before = load_pretrained(str(tmp_path / "before")).build()(ids).mlm_logits
    layer = theirs.roberta.encoder.layer[1]
    for number, parameter in enumerate(
        (theirs.lm_head.bias, theirs.lm_head.dense.bias, layer.attention.self.value.bias)
    ):
        with torch.no_grad():
            generator = torch.Generator().manual_seed(number)
            parameter.add_(torch.randn(parameter.shape, generator=generator))
        folder = tmp_path / f"{number}"
        theirs.save_pretrained(folder)
        after = load_pretrained(str(folder)).build()(ids).mlm_logits
        assert_close(after, theirs(ids).logits)
        assert (after - before).abs().max() > 0.01
        before = after


def test_the_config_says_what_transformers_would_take_it_for(tmp_path: Path) -> None:
    theirs = peer("RobertaForMaskedLM", pad_id=1, epsilon=1e-3)
    theirs.save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    short = {"model_type", "vocab_size", "hidden_size", "num_hidden_layers", "layer_norm_eps"}
    short |= {"num_attention_heads", "intermediate_size", "max_position_embeddings"}
    stored = json.loads(path.read_text())
    kept = {name: stored[name] for name in short} | {"type_vocab_size": 1}
    path.write_text(json.dumps(kept))
    found = load_pretrained(str(tmp_path))
    again = type(theirs.config).from_pretrained(tmp_path)
    assert found.pad_id == again.pad_token_id
    assert found.encoder.hidden_dropout_prob == again.hidden_dropout_prob
    assert found.encoder.initializer_range == again.initializer_range
