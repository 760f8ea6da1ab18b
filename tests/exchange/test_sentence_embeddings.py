"""A folder that sentence-transformers loads, whose vectors are those of `lit-roberta encode`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange import export_cli
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.inference.encoding import encode
from lit_roberta.inference.text_model import load_model
from tests.exchange.fine_tuned import fine_tuned
from tests.exchange.models import SENTENCES, tiny_pretrained

TEXTS = [*dict.fromkeys(SENTENCES), "x", "the dog " * 40]
"""Also one that is cut."""
WHOLE = {"bert": "BertForPreTraining", "roberta": "RobertaForMaskedLM"}


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_files_say_what_encode_does(family: Family, tmp_path: Path) -> None:
    pretrained = tiny_pretrained(WHOLE[family])
    exported = export(pretrained, tmp_path / "out", sentence_embeddings=True)
    assert exported.architecture == {"bert": "BertModel", "roberta": "RobertaModel"}[family]
    assert any(line.startswith("Left out: masked_lm_head.*") for line in exported.notices)
    modules = read(tmp_path / "out" / "modules.json")
    assert [module["idx"] for module in modules] == [0, 1]
    assert [module["type"].rpartition(".")[2] for module in modules] == ["Transformer", "Pooling"]
    assert read(tmp_path / "out" / modules[0]["path"] / "config.json")["model_type"] == family
    pooling = read(tmp_path / "out" / modules[1]["path"] / "config.json")
    assert pooling.pop("word_embedding_dimension") == pretrained.encoder.hidden_size
    assert [name for name, is_used in pooling.items() if is_used] == ["pooling_mode_mean_tokens"]
    text = read(tmp_path / "out" / "sentence_bert_config.json")
    assert text["max_seq_length"] == pretrained.encoder.max_position_embeddings
    back = load_pretrained(str(tmp_path / "out"))
    assert not back.has_masked_lm_head
    ids = torch.arange(9)[None]
    states = [one.build()(ids).last_hidden_state for one in (pretrained, back)]
    assert torch.equal(*states)


def test_a_fine_tuned_model_leaves_its_head(tmp_path: Path) -> None:
    drawn = fine_tuned("sequence-classification", "roberta")
    exported = export(drawn, tmp_path / "out", sentence_embeddings=True)
    assert exported.architecture == "RobertaModel"
    assert any(line.startswith("Left out: task_head.*") for line in exported.notices)
    assert load_pretrained(str(tmp_path / "out")).task is None


def test_without_tokenizer_it_is_one_line(tmp_path: Path) -> None:
    bare = replace(tiny_pretrained("BertModel"), tokenizer=None)
    with pytest.raises(UserError, match="for sentence embeddings must have a tokenizer"):
        export(bare, tmp_path / "out", sentence_embeddings=True)
    assert not list(tmp_path.iterdir())


def test_the_command_writes_it(tmp_path: Path) -> None:
    write_checkpoint(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "it.ckpt")
    arguments = [str(tmp_path / "it.ckpt"), str(tmp_path / "out"), "--sentence-embeddings"]
    assert export_cli.main(arguments) == 0
    assert (tmp_path / "out" / "modules.json").is_file()
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "SentenceTransformer" in card
    assert "pipeline_tag: sentence-similarity" in card


@pytest.mark.parametrize("family", FAMILIES)
def test_sentence_transformers_gives_our_vectors(family: Family, tmp_path: Path) -> None:
    library = pytest.importorskip("sentence_transformers", reason="the reader is not installed")
    export(tiny_pretrained(WHOLE[family]), tmp_path / "out", sentence_embeddings=True)
    theirs = library.SentenceTransformer(str(tmp_path / "out"), device="cpu")
    ours = encode(load_model(str(tmp_path / "out"), device="cpu"), TEXTS)
    np.testing.assert_allclose(theirs.encode(TEXTS), ours, rtol=0, atol=1e-5)
