from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.fairseq import read_fairseq
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.weights import to_ours, to_theirs
from tests.exchange.fairseq_files import (
    LAYERS,
    NEW,
    OLD,
    POSITIONS,
    STYLES,
    VOCAB,
    in_style,
    tiny_settings,
    tiny_weights,
    twin,
    write,
)

SAPIENS = Path(__file__).parents[2] / "../shared/data/models/sapiens_v1"
needs_sapiens = pytest.mark.skipif(not SAPIENS.is_dir(), reason="no shared models here")

every_style = pytest.mark.parametrize("style", STYLES)


def read(folder: Path, *, style: str = NEW, **changes: Any) -> Pretrained:
    return read_fairseq(write(folder, in_style(tiny_weights(), tiny_settings(**changes), style)))


@pytest.mark.parametrize("is_archive", [True, False])
@every_style
def test_every_style_computes_what_transformers_computes(
    tmp_path: Path, style: str, is_archive: bool
) -> None:
    weights = tiny_weights()
    path = write(tmp_path, in_style(weights, tiny_settings(), style), is_archive=is_archive)
    pretrained = read_fairseq(path)
    assert pretrained.family == "roberta"
    assert pretrained.pad_id == 1
    assert pretrained.notices == []
    assert pretrained.encoder.attention_probs_dropout_prob == 0.2
    assert pretrained.encoder.max_position_embeddings == POSITIONS
    ids = torch.randint(4, VOCAB, (3, POSITIONS), generator=torch.Generator().manual_seed(0))
    mask = torch.arange(POSITIONS) < torch.tensor([[POSITIONS], [7], [1]])
    ids[~mask] = 1
    output = pretrained.build()(ids, attention_mask=mask)
    theirs = twin(weights)(ids, attention_mask=mask.long(), output_hidden_states=True)
    assert_close(output.last_hidden_state[mask], theirs.hidden_states[-1][mask])
    assert_close(output.mlm_logits[mask], theirs.logits[mask])


@every_style
def test_there_and_back_changes_no_bit(tmp_path: Path, style: str) -> None:
    there = read(tmp_path, style=style)
    theirs = to_theirs(
        there.weights, there.unused, family="roberta", num_layers=LAYERS, pad_id=there.pad_id
    )
    original = tiny_weights()["encoder.sentence_encoder.embed_positions.weight"]
    assert torch.equal(theirs["roberta.embeddings.position_embeddings.weight"], original)
    back = to_ours(theirs, family="roberta", num_layers=LAYERS, pad_id=1)
    assert back.weights.keys() == there.weights.keys()
    for name, weight in back.weights.items():
        assert torch.equal(weight, there.weights[name]), name


@every_style
def test_it_goes_on_to_hugging_face_and_comes_back_as_it_was(tmp_path: Path, style: str) -> None:
    there = read(tmp_path, style=style)
    export(there, tmp_path / "exported")
    back = load_pretrained(str(tmp_path / "exported"))
    assert (back.family, back.encoder, back.pad_id) == (there.family, there.encoder, there.pad_id)
    for found, expected in ((back.weights, there.weights), (back.unused, there.unused)):
        assert found.keys() == expected.keys()
        for name, weight in found.items():
            assert torch.equal(weight, expected[name]), name
    assert there.tokenizer is not None
    assert back.tokenizer is not None
    assert back.tokenizer.vocabulary == there.tokenizer.vocabulary
    assert back.tokenizer.encode("the A b") == there.tokenizer.encode("the A b") == [4, 9, 3]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_weight_that_is_no_number_is_refused_by_name(tmp_path: Path, value: float) -> None:
    weights = tiny_weights()
    weights["encoder.lm_head.bias"][3] = value
    with pytest.raises(UserError, match=r"finite in masked_lm_head\.bias"):
        read_fairseq(write(tmp_path, in_style(weights, tiny_settings(), NEW)))


def test_it_is_found_by_its_file_and_by_its_folder(tmp_path: Path) -> None:
    path = write(tmp_path, in_style(tiny_weights(), tiny_settings(), NEW))
    by_file, by_folder = load_pretrained(str(path)), load_pretrained(str(tmp_path))
    assert by_file.source == by_folder.source == str(path)
    other = path.rename(tmp_path / "best.pt")
    assert load_pretrained(str(other)).encoder == by_file.encoder


def test_half_precision_is_widened_without_loss(tmp_path: Path) -> None:
    half = {name: weight.half() for name, weight in tiny_weights().items()}
    pretrained = read_fairseq(write(tmp_path, in_style(half, tiny_settings(), NEW)))
    assert {weight.dtype for weight in pretrained.weights.values()} == {torch.float32}
    embedding = half["encoder.sentence_encoder.embed_tokens.weight"]
    assert torch.equal(pretrained.weights["embeddings.token.weight"], embedding.float())


@pytest.mark.parametrize(
    "kind", [torch.int8, torch.int64, torch.bool, torch.complex64, torch.float8_e4m3fn]
)
def test_what_are_no_floats_is_refused_by_name(tmp_path: Path, kind: torch.dtype) -> None:
    weights = tiny_weights()
    name = "encoder.sentence_encoder.layers.1.fc1.bias"
    weights[name] = weights[name].to(kind)
    with pytest.raises(UserError, match=r"be floats in encoder\.layers\.1\.feed_forward\.inner"):
        read_fairseq(write(tmp_path, in_style(weights, tiny_settings(), NEW)))


def test_a_model_without_its_head_is_an_encoder(tmp_path: Path) -> None:
    weights = {name: w for name, w in tiny_weights().items() if ".lm_head." not in name}
    pretrained = read_fairseq(write(tmp_path, in_style(weights, tiny_settings(), NEW)))
    assert not pretrained.has_masked_lm_head


def test_heads_of_tasks_are_left_out_by_name(tmp_path: Path) -> None:
    heads = {
        "classification_heads.mnli.dense.weight": torch.ones(2, 2),
        "classification_heads.mnli.dense.bias": torch.ones(2),
        "encoder.regression_head.0.weight": torch.ones(2),
        "encoder._ema": torch.ones(1),
    }
    checkpoint = in_style(tiny_weights() | heads, tiny_settings(encoder_layerdrop=0.2), NEW)
    pretrained = read_fairseq(write(tmp_path, checkpoint))
    assert pretrained.notices == [
        "encoder_layerdrop 0.2 is left out: it counts in training only, and is not had here",
        "classification_heads.mnli is left out: it is no part of the language model",
        "regression_head is left out: it is no part of the language model",
        "_ema is left out: it is no part of the language model",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("activation_fn", "gelu_accurate"),
        ("activation_fn", "relu"),
        ("untie_weights_roberta", True),
        ("encoder_learned_pos", False),
        ("no_token_positional_embeddings", True),
        ("no_scale_embedding", False),
        ("adaptive_input", True),
        ("quant_noise_pq", 0.1),
        ("quant_noise_scalar", 0.5),
        ("encoder_layers_to_keep", "0,1"),
        ("model_parallel_size", 2),
        ("encoder_normalize_before", True),
        ("encoder_attention_heads", None),
        ("encoder_attention_heads", True),
        ("encoder_attention_heads", 4.0),
        ("encoder_attention_heads", 5),
        ("encoder_layers", 3),
        ("encoder_embed_dim", 31),
        ("encoder_ffn_embed_dim", 64),
        ("max_positions", 512),
        ("dropout", "much"),
        ("attention_dropout", 1.5),
        ("activation_fn", torch.ones(2)),
    ],
)
def test_what_is_not_implemented_or_does_not_fit_is_refused_by_name(
    tmp_path: Path, name: str, value: Any
) -> None:
    ours = {"encoder_attention_heads": "(num|encoder)_attention_heads"}.get(name, name)
    ours = {"attention_dropout": "attention_probs_dropout_prob"}.get(ours, ours)
    with pytest.raises(UserError, match=ours):
        read(tmp_path, **{name: value})


def test_the_first_encoder_is_post_ln_whatever_is_set(tmp_path: Path) -> None:
    assert read(tmp_path, style=OLD, encoder_normalize_before=True).notices == []


def last_name(name: str) -> str:
    """Say what fairseq's last version calls a weight."""
    name = re.sub(r"^(en|de)coder\.(sentence_encoder\.)?", "", name)
    return name.replace("emb_layer_norm", "layernorm_embedding").replace("in_proj_", "q_proj.")


@every_style
def test_each_weight_that_is_missing_or_strange_is_named(tmp_path: Path, style: str) -> None:
    whole = in_style(tiny_weights(), tiny_settings(), style)
    for name in list(whole["model"]):
        if name.endswith("version"):
            continue
        lacking = {other: weight for other, weight in whole["model"].items() if other != name}
        with pytest.raises(UserError, match=f"hold {re.escape(last_name(name))}, got"):
            read_fairseq(write(tmp_path, whole | {"model": lacking}))
    for strange in ("encoder.sentence_encoder.layer_norm.weight", "encoder.quant_noise.weight"):
        more = whole["model"] | {strange: torch.ones(1)}
        with pytest.raises(UserError, match=strange.rsplit(".", 2)[1]):
            read_fairseq(write(tmp_path, whole | {"model": more}))


def test_a_weight_of_another_shape_is_named(tmp_path: Path) -> None:
    whole = tiny_weights()
    for number, (name, weight) in enumerate(whole.items()):
        other = (weight[..., :-1], weight[None], weight[:0])[number % 3]
        checkpoint = in_style(whole | {name: other}, tiny_settings(), NEW)
        with pytest.raises(UserError, match=r"shape|matrix|as the weights have it"):
            read_fairseq(write(tmp_path, checkpoint))


def test_a_decoder_of_its_own_is_refused(tmp_path: Path) -> None:
    weights = tiny_weights()
    weights["encoder.lm_head.weight"] = weights["encoder.lm_head.weight"] + 1
    with pytest.raises(UserError, match="tied"):
        read_fairseq(write(tmp_path, in_style(weights, tiny_settings(), NEW)))


def test_a_weight_that_is_there_under_both_names_is_refused(tmp_path: Path) -> None:
    weights = tiny_weights()
    weights["decoder.lm_head.bias"] = weights["encoder.lm_head.bias"]
    with pytest.raises(UserError, match=r"lm_head\.bias.* twice"):
        read_fairseq(write(tmp_path, in_style(weights, tiny_settings(), NEW)))


ADALIMUMAB_HEAVY = (
    "EVQLVESGGGLVQPGRSLRLSCAASGFTFDDYAMHWVRQAPGKGLEWVSAITWNSGHIDYADSVEGRFTISRDNAKNSLYLQ"
    "MNSLRAEDTAVYYCAKVSYLSTASSLDYWGQGTLVTVSS"
)
ADALIMUMAB_LIGHT = (
    "DIQMTQSPSSLSASVGDRVTITCRASQGIRNYLAWYQQKPGKAPKLLIYAASTLQSGVPSRFSGSGSGTDFTLTISSLQPED"
    "VATYYCQRYNRAPYTFGQGTKVEIK"
)
DURVALUMAB_HEAVY = (
    "EVQLVESGGGLVQPGGSLRLSCAASGFTFSRYWMSWVRQAPGKGLEWVANIKQDGSEKYYVDSVKGRFTISRDNAKNSLYLQ"
    "MNSLRAEDTAVYYCAREGGWFGELAFDYWGQGTLVTVSS"
)


@needs_sapiens
@pytest.mark.parametrize(
    ("chain", "sequence", "accuracy", "loss"),
    [
        ("vh", ADALIMUMAB_HEAVY, 0.868, 0.56),
        ("vh", DURVALUMAB_HEAVY, 0.967, 0.26),
        ("vl", ADALIMUMAB_LIGHT, 0.944, 0.35),
    ],
)
def test_real_weights_know_antibodies(
    chain: str, sequence: str, accuracy: float, loss: float
) -> None:
    pretrained = read_fairseq(SAPIENS / f"checkpoint_{chain}.pt")
    assert pretrained.tokenizer is not None
    vocabulary = pretrained.tokenizer.vocabulary
    targets = torch.tensor(pretrained.tokenizer.encode(" ".join(sequence)))
    places = torch.arange(len(targets))
    rows = torch.nn.functional.pad(targets, (1, 1)).repeat(len(targets), 1)
    rows[:, 0], rows[:, -1] = vocabulary.cls_id, vocabulary.sep_id
    rows[places, places + 1] = vocabulary.mask_id  # each amino acid hidden once
    with torch.no_grad():
        logits = pretrained.build()(rows).mlm_logits[places, places + 1]
    assert round((logits.argmax(-1) == targets).float().mean().item(), 3) == accuracy
    assert round(torch.nn.functional.cross_entropy(logits, targets).item(), 2) == loss


@needs_sapiens
def test_real_weights_give_the_probabilities_that_fairseq_gives() -> None:
    """Against the figures in the description of PyPI's sapiens 1.0.5, six digits each."""
    sequence = (
        "**QLV*SGVEVKKPGASVKVSCKASGYTFTNYYMYWVRQAPGQGLEWMGGINPSNGGTNFNEKFKNRVTLTTDSSTTTAYM"
        "ELKSLQFDDTAVYYCARRDYRFDMGFDYWGQGTTVTVSS"
    )
    pretrained = read_fairseq(SAPIENS / "checkpoint_vh.pt")
    assert pretrained.tokenizer is not None
    ids = {**pretrained.tokenizer.word_to_id, "*": pretrained.tokenizer.vocabulary.mask_id}
    row = torch.tensor([[ids["<s>"], *(ids[letter] for letter in sequence), ids["</s>"]]])
    with torch.no_grad():
        found = pretrained.build()(row).mlm_logits[0, 1:6].softmax(-1)
    expected = [
        [0.003272, 0.004147, 0.004011, 0.004590],
        [0.012038, 0.003854, 0.006803, 0.008174],
        [0.003384, 0.003895, 0.003726, 0.004068],
        [0.004612, 0.005325, 0.004443, 0.004641],
        [0.005519, 0.003664, 0.003555, 0.005269],
    ]
    acids = [ids[letter] for letter in "ACDE"]
    assert_close(found[:, acids], torch.tensor(expected), rtol=0, atol=6e-7)  # as printed
