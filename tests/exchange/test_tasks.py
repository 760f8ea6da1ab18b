"""Fine-tuned models come in as they are, with their labels, or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jaxtyping
import pytest
import torch
from safetensors.torch import load_file

from lit_roberta.errors import UserError
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.import_cli import describe
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import build_task_model
from lit_roberta.exchange.task_settings import task_settings
from lit_roberta.exchange.tasks import Task
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from tests.exchange.fine_tuned import (
    KINDS,
    LABELS,
    assert_same_logits,
    config_of,
    fine_tuned,
    peer,
    task_of,
)
from tests.exchange.folders import same_model
from tests.exchange.models import random_ids, tiny_pretrained
from tests.model.examples import tiny_config
from tests.model.peers import build


@pytest.mark.parametrize("kind", KINDS)
def test_theirs_to_ours_to_theirs(kind: str, tmp_path: Path) -> None:
    """Also by way of a checkpoint: the same bits, settings, labels and logits."""
    theirs = peer(kind)
    source, back, checkpoint = (tmp_path / name for name in ("source", "back", "it.ckpt"))
    theirs.save_pretrained(source)
    first = load_pretrained(str(source))
    write_checkpoint(first, checkpoint)
    found = load_pretrained(str(checkpoint))
    assert same_model(first, found)
    state = torch.load(checkpoint, weights_only=True)["state_dict"]
    assert not any("task_head" in name for name in state), "pretraining has no place for it"
    assert found.task == first.task
    assert found.task is not None
    assert found.task.labels == (LABELS if "Classification" in kind else ())
    assert any(line.startswith(f"Task: {found.task.kind}") for line in describe(found))
    assert_same_logits(found, theirs)
    export(found, back)
    before, after = (load_file(folder / "model.safetensors") for folder in (source, back))
    assert before.keys() == after.keys()
    assert all(torch.equal(weight, after[name]) for name, weight in before.items())
    assert config_of(source) == config_of(back)


def test_labels_without_names_are_those_of_transformers(tmp_path: Path) -> None:
    theirs = build("BertForSequenceClassification", BertModel(tiny_config()))
    theirs.save_pretrained(tmp_path / "two")
    found = load_pretrained(str(tmp_path / "two"))
    assert found.task is not None
    assert found.task.labels == ("LABEL_0", "LABEL_1")
    export(found, tmp_path / "back")
    assert config_of(tmp_path / "two") == config_of(tmp_path / "back")


def test_a_number_of_labels_goes_before_their_names_as_in_transformers(tmp_path: Path) -> None:
    peer("BertForSequenceClassification").save_pretrained(tmp_path / "it")
    path = tmp_path / "it" / "config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    stale = {**settings, "num_labels": 3, "id2label": {"0": "a", "1": "b"}, "label2id": {}}
    path.write_text(json.dumps(stale), encoding="utf-8")
    found = load_pretrained(str(tmp_path / "it"))
    assert found.task is not None
    assert found.task.labels == ("LABEL_0", "LABEL_1", "LABEL_2")
    export(found, tmp_path / "back")
    assert config_of(tmp_path / "back") == stale
    named = replace(found, task=task_of("sequence-classification"))
    export(named, tmp_path / "named")
    assert load_pretrained(str(tmp_path / "named")).task == named.task
    fewer = task_settings(task_of("sequence-classification", ("a", "b")), stale)
    assert fewer["num_labels"] == 2


def test_other_labels_win_over_those_that_it_came_with(tmp_path: Path) -> None:
    peer("BertForSequenceClassification").save_pretrained(tmp_path / "it")
    found = load_pretrained(str(tmp_path / "it"))
    task = task_of("sequence-classification", ("a", "b", "c"))
    export(replace(found, task=task), tmp_path / "out")
    settings = config_of(tmp_path / "out")
    assert settings["id2label"] == {"0": "a", "1": "b", "2": "c"}
    assert settings["label2id"] == {"a": 0, "b": 1, "c": 2}
    assert settings["classifier_dropout"] is None


def test_the_encoder_of_a_fine_tuned_model_is_a_model_by_itself(tmp_path: Path) -> None:
    peer("RobertaForTokenClassification").save_pretrained(tmp_path / "it")
    found = load_pretrained(str(tmp_path / "it"))
    ids, _, real = random_ids(found)
    states = found.build()(ids, None, real).last_hidden_state
    model = build_task_model(found)
    assert torch.equal(states, model.encoder(model.embeddings(ids), real))


# ---- what can't be done is one line


def test_labels_that_do_not_fit_the_rows_are_refused_on_both_ways(tmp_path: Path) -> None:
    peer("BertForTokenClassification").save_pretrained(tmp_path / "it")
    path = tmp_path / "it" / "config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**settings, "id2label": {"0": "a", "1": "b"}}), encoding="utf-8")
    with pytest.raises(UserError, match="the labels must be 3, one for each row"):
        load_pretrained(str(tmp_path / "it"))
    path.write_text(json.dumps({**settings, "id2label": {"1": "a", "3": "b"}}), encoding="utf-8")
    with pytest.raises(UserError, match=r"id2label in .* must name the rows 0, 1"):
        load_pretrained(str(tmp_path / "it"))
    for count in ("x", -1, 2.5, 10**7, 10**30):
        path.write_text(json.dumps({**settings, "id2label": None, "num_labels": count}))
        with pytest.raises(UserError, match=r"num_labels in .* must be a number of labels"):
            load_pretrained(str(tmp_path / "it"))
    drawn = fine_tuned("token-classification", "bert")
    fewer = replace(drawn, task=task_of("token-classification", ("a", "b")))
    with pytest.raises(UserError, match="the labels must be 3, one for each row"):
        export(fewer, tmp_path / "out")
    with pytest.raises(UserError, match="the labels must be 3"):
        build_task_model(fewer)
    other = replace(drawn, task=Task(kind="question-answering"))
    with pytest.raises(UserError, match="the classifier must have 2 rows"):
        export(other, tmp_path / "out")
    assert [each.name for each in tmp_path.iterdir()] == ["it"]


def test_a_task_without_its_head_is_not_exported(tmp_path: Path) -> None:
    drawn = replace(tiny_pretrained("BertForMaskedLM"), task=task_of("sequence-classification"))
    with pytest.raises(UserError, match="must have the head of its task"):
        export(drawn, tmp_path / "out")
    with pytest.raises(UserError, match="the model must have a task"):
        build_task_model(tiny_pretrained("BertForMaskedLM"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kind": "summarization"}, "the task must be one of sequence-classification"),
        ({"kind": "token-classification"}, "must be named"),
        ({"kind": "question-answering", "labels": ["a"]}, "must be left out"),
        (
            {"kind": "sequence-classification", "labels": ["a", "b"], "problem_type": "rank"},
            "problem_type must be one of regression",
        ),
        (
            {"kind": "multiple-choice", "problem_type": "regression"},
            "problem_type must be left out",
        ),
        (
            {
                "kind": "sequence-classification",
                "labels": ["a"],
                "problem_type": "single_label_classification",
            },
            "another for one label",
        ),
        ({"kind": "multiple-choice", "dropout": 2.0}, "classifier_dropout must be a number"),
    ],
)
def test_a_task_that_makes_no_sense_is_one_line(
    settings: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)  # as for a user
    with pytest.raises(UserError, match=words) as caught:
        Task(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["BertForQuestionAnswering", "RobertaForMultipleChoice"])
def test_a_head_that_no_class_names_is_refused_and_so_is_a_cut_one(
    kind: str, tmp_path: Path
) -> None:
    peer(kind).save_pretrained(tmp_path / "it")
    path = tmp_path / "it" / "config.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**settings, "architectures": None}), encoding="utf-8")
    with pytest.raises(UserError, match="under architectures: BertForSequenceClassification"):
        load_pretrained(str(tmp_path / "it"))
    prefix = kind.partition("For")[0]
    other = {**settings, "architectures": [f"{prefix}ForTokenClassification"]}
    path.write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(UserError):
        load_pretrained(str(tmp_path / "it"))


def test_one_seed_gives_the_encoder_of_pretraining() -> None:
    drawn = replace(
        tiny_pretrained("BertForMaskedLM"), task=task_of("multiple-choice"), weights={}
    )
    bare: EncoderConfig = replace(drawn.encoder, tanh_pooler=False)
    wanted = BertModel(bare, seed=7).state_dict()
    for name, weight in build_task_model(drawn, seed=7).state_dict().items():
        if not name.startswith("task_head"):
            assert torch.equal(weight, wanted[name]), name
