"""Fine-tuned models come in and leave as what they compute, with their labels, or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jaxtyping
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.import_cli import describe
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.exchange.pretrained import Pretrained, build_task_model
from lit_roberta.exchange.tasks import CLASSES, Task
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.task_heads import TASK_KINDS, TaskKind
from tests.exchange.folders import same_model
from tests.exchange.models import random_ids, tiny_pretrained
from tests.model.examples import randomize, tiny_config
from tests.model.peers import build

LABELS = ("no", "yes", "may\u00adbe: 'never'")
KINDS = [
    *(prefix + ending for prefix in ("Bert", "Roberta") for ending in CLASSES.values()),
    "XLMRobertaForTokenClassification",
    "CamembertForSequenceClassification",
]


def task_of(kind: TaskKind, labels: tuple[str, ...] = LABELS, **more: Any) -> Task:
    has_labels = kind in ("sequence-classification", "token-classification")
    return Task(kind=kind, labels=labels if has_labels else (), **more)


def fine_tuned(kind: TaskKind, family: Family, task: Task | None = None) -> Pretrained:
    """Draw a model as fine-tuning would leave it: from pretraining, with all of its heads."""
    is_bert = family == "bert"
    first = tiny_pretrained("BertForPreTraining" if is_bert else "RobertaForMaskedLM")
    drawn = replace(first, task=task_of(kind) if task is None else task)
    model = build_task_model(drawn)
    randomize(model)
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    return replace(drawn, weights={**first.weights, **weights})


def peer(kind: str) -> Any:
    """Draw a model of theirs, with the sizes and the labels of a user."""
    changes = {} if kind.startswith("Bert") else {"type_vocab_size": 1}
    theirs = build(kind, BertModel(tiny_config(**changes)))
    if "Classification" in kind:
        settings = theirs.config
        settings.id2label = dict(enumerate(LABELS))
        settings.label2id = {label: row for row, label in enumerate(LABELS)}
        settings.classifier_dropout = 0.25
        theirs = type(theirs)(settings)
    randomize(theirs)
    return theirs.eval()


@torch.no_grad()
def logits_of(theirs: Any, inputs: tuple[Tensor, ...], *, is_choice: bool) -> Tensor:
    ids, second, real = (each[None] if is_choice else each for each in inputs)
    segments = {"token_type_ids": second} if theirs.config.type_vocab_size > 1 else {}
    given = theirs(input_ids=ids, attention_mask=real.long(), **segments)
    if "start_logits" in given:
        return torch.stack([given.start_logits, given.end_logits], dim=-1)
    logits: Tensor = given.logits
    return logits


def assert_same_logits(pretrained: Pretrained, theirs: Any) -> None:
    """Compare at real places, and see that nothing that is compared is zero."""
    ids, second, real = inputs = random_ids(pretrained)
    model = build_task_model(pretrained)
    is_choice = model.kind == "multiple-choice"
    rows = [each[None] if is_choice else each for each in (ids, second, real)]
    if theirs.config.type_vocab_size == 1:
        rows[1] = torch.zeros_like(rows[1])
    with torch.no_grad():
        ours = model(*rows)
    wanted = logits_of(theirs, inputs, is_choice=is_choice)
    assert ours.shape == wanted.shape
    if ours.dim() == 3:
        ours, wanted = ours[real], wanted[real]
    assert ours.std() > 0.01
    assert_close(ours, wanted, rtol=0, atol=1e-5)


def config_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return found


# ---- out


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", TASK_KINDS)
def test_what_leaves_computes_the_same_in_their_class(
    kind: TaskKind, family: Family, tmp_path: Path
) -> None:
    transformers = pytest.importorskip("transformers", reason="the reader is not installed")
    drawn = fine_tuned(kind, family)
    exported = export(drawn, tmp_path / "out")
    assert exported.architecture == {"bert": "Bert", "roberta": "Roberta"}[family] + CLASSES[kind]
    assert exported.check is not None
    assert exported.check.difference < 1e-5
    assert any("masked_lm_head.*" in notice for notice in exported.notices)
    automatic = getattr(transformers, "AutoModel" + CLASSES[kind])
    theirs, info = automatic.from_pretrained(tmp_path / "out", output_loading_info=True)
    assert not any(info[f"{what}_keys"] for what in ("missing", "unexpected", "mismatched"))
    assert type(theirs).__name__ == exported.architecture
    assert_same_logits(drawn, theirs.eval())
    if drawn.task and drawn.task.labels:
        assert theirs.config.id2label == dict(enumerate(LABELS))
        assert theirs.config.label2id == {label: row for row, label in enumerate(LABELS)}
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "AutoModel" + CLASSES[kind] in card
    back = load_pretrained(str(tmp_path / "out"))
    assert back.task == drawn.task
    for name, weight in back.weights.items():
        wanted = drawn.weights[name]
        assert torch.equal(weight, wanted[: len(weight)] if "segment" in name else wanted), name
    assert not back.has_masked_lm_head


@pytest.mark.parametrize("family", FAMILIES)
def test_one_label_is_a_number(family: Family, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="the reader is not installed")
    kind: TaskKind = "sequence-classification"
    for problem_type in (None, "regression"):
        task = task_of(kind, ("stars",), problem_type=problem_type)
        assert task.is_regression
        folder = tmp_path / f"{problem_type}"
        export(fine_tuned(kind, family, task), folder)
        assert load_pretrained(str(folder)).task == task
    assert config_of(tmp_path / "regression")["problem_type"] == "regression"
    several = task_of(kind, problem_type="multi_label_classification", dropout=0.5)
    export(fine_tuned(kind, family, several), tmp_path / "several")
    assert load_pretrained(str(tmp_path / "several")).task == several
    assert not several.is_regression


# ---- in


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
    path.write_text(json.dumps({**settings, "id2label": None, "num_labels": "x"}))
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
