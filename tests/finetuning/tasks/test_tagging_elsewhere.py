from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.exchange.pretrained import Pretrained, build_task_model
from lit_roberta.finetuning.examples import WordsExample
from lit_roberta.finetuning.items import Layout, make_batch
from lit_roberta.finetuning.tasks.tagging import Tagging
from tests.exchange.models import tiny_pretrained
from tests.model.examples import randomize

LABELS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")
SENTENCES = ["I love tea", "rain , you", "a ship : Caf\u00e9", "tea"]


def tagger(task: Tagging, family: Family) -> Pretrained:
    """Draw a model whose tags are of many kinds."""
    is_bert = family == "bert"
    first = tiny_pretrained(
        "BertForPreTraining" if is_bert else "RobertaForMaskedLM",
        kind="wordpiece" if is_bert else "bytelevel-bpe",
    )
    drawn = replace(first, task=task.exchange_task())
    model = build_task_model(drawn)
    randomize(model)
    with torch.no_grad():
        logits = model.eval()(torch.arange(5, 25)[None])
        model.task_head.classifier.bias.sub_(logits.mean(dim=(0, 1)))
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    return replace(drawn, weights={**first.weights, **weights})


@pytest.mark.parametrize("family", FAMILIES)
def test_what_leaves_tags_as_it_did_here(family: Family, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="the reader is not installed")
    task = Tagging(LABELS)
    drawn = tagger(task, family)
    export(drawn, tmp_path / "out")
    pipeline = transformers.pipeline("token-classification", str(tmp_path / "out"), device="cpu")
    assert drawn.tokenizer is not None
    layout = Layout.of(drawn, drawn.tokenizer, max_length=24)
    model = build_task_model(drawn).eval()
    said = set()
    for sentence in SENTENCES:
        example = WordsExample(tuple(sentence.split()), None, "there")
        items = task.items([example], layout)
        batch = make_batch(items, pad_id=drawn.pad_id, segments=layout.segments)
        with torch.no_grad():
            (prediction,) = task.predictions(items, model(*batch[:3]))
        theirs = {each["index"]: each for each in pipeline(sentence, ignore_labels=[])}
        (item,) = items
        assert np.array_equal(item.spans.numbers, np.arange(len(example.words)))
        found = [theirs[place]["entity"] for place in item.spans.places.tolist()]
        assert found == list(prediction.tags)
        for word, place in enumerate(item.spans.places.tolist()):
            start, stop = theirs[place]["start"], theirs[place]["end"]
            assert sentence[start:stop].strip() in example.words[word]
        said |= set(found)
    assert len(said) > 1
