from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.errors import UserError
from lit_roberta.finetuning.examples import WordsExample
from lit_roberta.finetuning.items import Item, Layout, make_batch
from lit_roberta.finetuning.reading.words import split_words
from lit_roberta.finetuning.tasks.losses import PLAIN
from lit_roberta.finetuning.tasks.tagging import Tagging
from tests.inference.models import KINDS, train_tokenizer
from tests.training.commands import Command

LABELS = ("O", "B-LOC", "B-PER", "I-LOC", "I-PER")
TOKENIZERS = {kind: train_tokenizer(kind) for kind in KINDS}
VANISHING = ("\u3000", "\u2003", "")
WORDS = st.one_of(
    st.sampled_from(["rain", "tea", "captain", "Caf\u00e9", "rain" * 9, *VANISHING]),
    st.text(st.characters(codec="utf-8"), max_size=5),
)
SENTENCES = st.lists(
    st.lists(st.tuples(WORDS, st.sampled_from(LABELS)), max_size=10), min_size=1, max_size=3
)
TASK = Tagging(LABELS)
CONFIG = Path(__file__).parents[3] / "configs" / "finetune" / "wnut17.yaml"


def layout(kind: str, length: int = 16) -> Layout:
    tokenizer = TOKENIZERS[kind]
    return Layout(tokenizer=tokenizer, family="bert", max_length=length, segments=True)


def example(*pairs: tuple[str, str], place: str = "a.conll, line 1") -> WordsExample:
    return WordsExample(tuple(word for word, _ in pairs), tuple(tag for _, tag in pairs), place)


def perfect_logits(items: list[Item]) -> torch.Tensor:
    """Logits that say of each labelled place what it is labelled with, and rubbish elsewhere."""
    batch = make_batch(items, pad_id=0, segments=False)
    labels = torch.where(batch.labels == IGNORE_INDEX, batch.input_ids % len(LABELS), batch.labels)
    return torch.nn.functional.one_hot(labels, len(LABELS)).float() * 9


@pytest.mark.parametrize("kind", KINDS)
@given(pairs=SENTENCES, length=st.integers(6, 20))
def test_every_word_comes_back_with_its_tag(
    kind: str, pairs: list[list[tuple[str, str]]], length: int
) -> None:
    examples = [example(*sentence) for sentence in pairs]
    items = TASK.items(examples, layout(kind, length))
    assert max(item.seq for item in items) <= length
    predictions = TASK.predictions(items, perfect_logits(items))
    assert len(predictions) == len(examples)
    lost = 0
    for number, (sentence, prediction) in enumerate(zip(examples, predictions, strict=True)):
        rows = [item for item in items if item.example == number]
        found = [word for item in rows for word in item.spans.numbers.tolist()]
        assert found == sorted(set(found))
        lost += len(sentence.words) - len(found)
        there = [tag if word in found else "O" for word, tag in enumerate(sentence.tags or ())]
        assert list(prediction.tags) == there
        for item in rows:
            labelled = np.flatnonzero(item.labels != IGNORE_INDEX)
            assert labelled.tolist() == item.spans.places.tolist()
    told = [note for note in TASK.notes(items) if "no token" in note]
    assert bool(told) == bool(lost)
    assert all(note.startswith(f"{lost} word") for note in told)


@pytest.mark.parametrize("kind", ["word", "wordpiece"])
def test_a_word_is_read_at_its_own_first_token(kind: str) -> None:
    words = ["captain", "tea", "captain", "rain"]
    own = layout(kind)
    (item,) = TASK.items([example(*((word, "O") for word in words))], own)
    first = [own.tokenizer.encode(word)[0] for word in words]
    assert item.rows[0].input_ids[item.spans.places].tolist() == first
    assert item.rows[0].input_ids[item.labels != IGNORE_INDEX].tolist() == first


def test_a_word_that_vanishes_is_taken_for_o_and_told() -> None:
    sentence = example(("\u3000", "B-PER"), ("tea", "B-LOC"), ("", "B-LOC"))
    items = TASK.items([sentence], layout("wordpiece"))
    (prediction,) = TASK.predictions(items, perfect_logits(items))
    assert prediction.tags == ("O", "B-LOC", "O")
    assert TASK.notes(items) == ["2 words have no token in this vocabulary: they are taken for O."]
    assert TASK.scores([sentence], [prediction])["recall"] == pytest.approx(1 / 3, abs=1e-6)
    one = TASK.items([example(("\u3000", "B-PER"), ("tea", "B-LOC"))], layout("wordpiece"))
    assert TASK.notes(one) == ["1 word has no token in this vocabulary: it is taken for O."]


def test_a_long_sentence_is_read_in_several_rows_and_a_long_word_cut() -> None:
    long = example(*[("captain", "B-PER"), ("tea", "O")] * 20)
    word = example(("rain" * 30, "B-LOC"), ("tea", "O"))
    items = TASK.items([long, word], layout("bytelevel-bpe", 12))
    assert [item.is_cut for item in items if item.example == 0] == [False] * (len(items) - 2)
    assert [item.is_cut for item in items if item.example == 1] == [True, False]
    assert TASK.notes(items) == ["2 sentences are longer than a row, and read in several."]
    one = TASK.items([long], layout("bytelevel-bpe", 12))
    assert TASK.notes(one) == ["1 sentence is longer than a row, and read in several."]


@pytest.mark.parametrize("kind", KINDS)
def test_entities_stand_where_they_say(kind: str) -> None:
    text = 'So  the "old ship" rained; Caf\u00e9!'
    words = split_words(text)
    names = [word.text for word in words]
    assert names == ["So", "the", '"', "old", "ship", '"', "rained", ";", "Caf\u00e9", "!"]
    tags = ["O", "O", "O", "B-LOC", "I-LOC", "O", "O", "O", "B-PER", "O"]
    items = TASK.items([example(*zip(names, tags, strict=True))], layout(kind, 10))
    (prediction,) = TASK.predictions(items, perfect_logits(items))
    joined = " ".join(names)
    assert [(e.type, e.start_word, e.stop_word) for e in prediction.entities] == [
        ("LOC", 3, 5),
        ("PER", 8, 9),
    ]
    assert [joined[e.start : e.stop] for e in prediction.entities] == ["old ship", "Caf\u00e9"]
    there = prediction.in_text(text, [word.start for word in words], names)
    assert [text[e.start : e.stop] for e in there.entities] == ["old ship", "Caf\u00e9"]
    assert [e.text for e in there.entities] == ["old ship", "Caf\u00e9"]
    assert all(0.99 < e.score <= 1 for e in there.entities)
    assert there.as_dict()["tags"] == tags
    json.dumps(there.as_dict())


def test_losses_count_words_alone() -> None:
    items = TASK.items([example(("captain", "B-PER"), ("tea", "O"))], layout("wordpiece"))
    batch = make_batch(items, pad_id=0, segments=False)
    logits = perfect_logits(items)
    right = TASK.losses(logits, batch.labels, PLAIN)
    assert int(right.num_correct) == 2
    assert float(right.loss) < 0.01
    elsewhere = torch.where((batch.labels == IGNORE_INDEX)[..., None], -logits, logits)
    assert float(TASK.losses(elsewhere, batch.labels, PLAIN).loss) == float(right.loss)


def test_labels_are_found_o_first() -> None:
    found = Tagging.found_labels([example(("a", "B-Z"), ("b", "O")), example(("c", "B-A"))])
    assert found == ("O", "B-A", "B-Z")
    with pytest.raises(UserError, match=r"data.train must hold two tags or more, got \['O'\]"):
        Tagging.found_labels([example(("a", "O")), WordsExample(("b",), None, "there")])
    with pytest.raises(UserError, match=r"data.labels must name the tags that are numbers"):
        Tagging.found_labels([WordsExample(("a", "b"), (0, 1), "there")])


def test_a_tag_that_is_no_label_is_named_with_its_place() -> None:
    strange = example(("a", "O"), ("tea", "B-FOOD"), place="test.conll, line 7")
    told = r"the label at test.conll, line 7, word 2 must be one of O, .*, got 'B-FOOD'"
    with pytest.raises(UserError, match=told):
        TASK.items([strange], layout("word"))
    with pytest.raises(UserError, match=told):
        TASK.scores([strange], [TASK.naive_prediction([])])


def test_numbers_are_places_among_the_labels() -> None:
    numbered = WordsExample(("a", "b"), (0, 2), "rows.jsonl, line 1")
    named = example(("a", "O"), ("b", "B-PER"))
    found = [item.labels.tolist() for item in TASK.items([numbered, named], layout("word"))]
    assert found[0] == found[1]
    for number in (5, -1):
        with pytest.raises(UserError, match=rf"line 1, word 1 must be one of .*, got '{number}'"):
            TASK.items([numbered._replace(tags=(number, 0))], layout("word"))


def test_what_is_said_without_reading_is_the_most_frequent_tag() -> None:
    sentence = example(("a", "O"), ("b", "B-PER"), ("c", "O"))
    scores = TASK.scores([sentence], [TASK.naive_prediction([sentence])])
    assert scores["f1"] == 0.0
    assert scores["accuracy"] == pytest.approx(2 / 3, abs=1e-6)
    parts = Tagging(("NOUN", "VERB"))
    verbs = example(("a", "VERB"), ("b", "VERB"), ("c", "NOUN"))
    assert parts.scores([verbs], [parts.naive_prediction([verbs])]) == {"accuracy": 0.666667}


def test_unlabelled_sentences_are_predicted_and_not_judged() -> None:
    there = WordsExample(("rain", "tea"), None, "a.conll, line 1")
    items = TASK.items([there], layout("word"))
    assert (items[0].labels == IGNORE_INDEX).all()
    (prediction,) = TASK.predictions(items, torch.zeros(1, items[0].seq, len(LABELS)))
    assert len(prediction.tags) == 2
    assert TASK.scores([there], [prediction]) == {}


def write_sentences(path: Path, copies: int) -> None:
    """Write sentences in which the captain is a person, and the old ship a place."""
    lines = []
    for copy in range(copies):
        lines += ["the\tO", "captain\tB-PER", "said\tO", f"{copy}\tO", "", "so\tO"]
        lines += ["the\tO", "old\tB-LOC", "ship\tI-LOC", "\u3000\tO", f"{copy}\tO", "\t"]
    path.write_text("\n".join(lines) + "\n")


def test_tags_are_learned_judged_and_predicted(command: Command, pretrained: Path) -> None:
    write_sentences(command.folder / "train.conll", 12)
    write_sentences(command.folder / "test.conll", 4)
    words = ["--data.task=tagging", "--data.train=train.conll", "--data.test=test.conll"]
    words += ["--data.max_length=8", "--data.batch_size=8", "--trainer.accelerator=cpu"]
    words += ["--trainer.enable_progress_bar=false", f"--model.pretrained={pretrained}"]
    learning = ["--model.optimizer.lr=5e-3", "--trainer.max_epochs=6"]
    assert command("fit", *words, *learning) == 0, command.messages
    said = command.messages
    assert "Task: tagging, 4 labels: O, B-LOC, B-PER, I-LOC." in said
    assert "In the training part:" in said
    assert "longer than a row, and read in several." in said
    assert "Best validation f1: 1.0000" in said
    assert command("test", *words) == 0, command.messages
    assert "test/f1" in command.messages
    assert command("predict", *words) == 0, command.messages
    path = command.folder / "runs/finetuning/predictions.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(rows) == 8
    assert all(row["prediction"]["tags"] == row["tags"] for row in rows)
    entity = rows[1]["prediction"]["entities"][0]
    assert (entity["type"], entity["text"]) == ("LOC", "old ship")
    bad = "the\tO\ncaptain\tB-SHIP\n"
    (command.folder / "bad.conll").write_text(bad)
    assert command("test", *words, "--data.test=bad.conll") == 2
    assert "the label at bad.conll, line 1, word 2 must be one of O" in command.messages


def test_files_of_lines_for_each_label_are_refused(command: Command, pretrained: Path) -> None:
    (command.folder / "a.txt").write_text("tea\n")
    asked = ["fit", "--data.task=tagging", "--data.max_length=8"]
    asked += ['--data.train={"a": "a.txt", "b": "a.txt"}']
    assert command(*asked, f"--model.pretrained={pretrained}") == 2
    assert "data.train must be one file for tagging" in command.messages


def test_the_shipped_configuration_runs(command: Command, pretrained: Path) -> None:
    for name in ("train", "validation", "test"):
        write_sentences(command.folder / f"{name}.conll", 2)
    words = ["fit", f"--config={CONFIG}", "--trainer.fast_dev_run=true", "--data.max_length=16"]
    words += [f"--data.{name}={name}.conll" for name in ("train", "validation", "test")]
    words += ["--model.class_weights=balanced", "--model.label_smoothing=0.1"]
    assert command(*words, f"--model.pretrained={pretrained}") == 0, command.messages
    assert "Task: tagging" in command.messages
