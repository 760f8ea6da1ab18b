from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.errors import UserError
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.items import Layout, make_batch
from lit_roberta.finetuning.tasks.losses import PLAIN
from lit_roberta.finetuning.tasks.multiple_choice import MultipleChoice
from tests.finetuning.examples import LIKED, NOT_LIKED
from tests.finetuning.layouts import write_benchmark, write_jsonl
from tests.inference.models import train_tokenizer
from tests.training.commands import Command

LAYOUT = Layout(
    tokenizer=train_tokenizer("wordpiece"), family="bert", max_length=16, segments=True
)
TASK = MultipleChoice()


def example(*choices: str, label: int | None = 0, place: str = "a file, line 1") -> ChoiceExample:
    return ChoiceExample(tuple(("it is", choice) for choice in choices), label, place)


def test_a_choice_is_a_row_and_an_example_an_item() -> None:
    examples = [example("tea", "rain and rain"), example("rain", "it", label=None)]
    items = TASK.items(examples, LAYOUT)
    assert [len(item.rows) for item in items] == [2, 2]
    assert [int(item.labels) for item in items] == [0, IGNORE_INDEX]
    batch = make_batch(items, pad_id=0, segments=True)
    assert batch.input_ids.shape == (2, 2, items[0].seq)
    alone = LAYOUT.lay_out(*(LAYOUT.tokenizer.encode(text) for text in ("it is", "rain and rain")))
    assert items[0].rows[1].input_ids.tolist() == alone[0].input_ids.tolist()


def test_each_choice_is_cut_alone() -> None:
    items = TASK.items([example("tea", "rain " * 30)], LAYOUT)
    assert [len(row.input_ids) for row in items[0].rows][1] == 16
    assert items[0].is_cut


def test_examples_with_another_number_of_choices_are_named() -> None:
    other = example("tea", "rain", "it", place="a file, line 9")
    message = "a file, line 9, must have 2 choices as a file, line 1 has, got 3"
    with pytest.raises(UserError, match=message):
        TASK.items([example("tea", "rain"), other], LAYOUT)


def test_the_loss_is_the_cross_entropy_over_the_choices() -> None:
    logits = torch.tensor([[0.0, math.log(3.0)], [2.0, 2.0], [5.0, 9.0]])
    found = TASK.losses(logits, torch.tensor([1, 0, IGNORE_INDEX]), PLAIN)
    assert float(found.loss) == pytest.approx(math.log(4 / 3) + math.log(2))
    assert float(found.num_correct) == 2


def test_the_most_probable_choice_is_predicted_and_counted() -> None:
    examples = [
        example("tea", "rain", label=1),
        example("tea", "rain", label=1),
        example("a", "b", label=None),
    ]
    items = TASK.items(examples, LAYOUT)
    predictions = TASK.predictions(items, torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 9.0]]))
    assert [each.choice for each in predictions] == [1, 0, 1]
    assert predictions[0].probabilities[1] == pytest.approx(1 / (1 + math.exp(-1)))
    assert TASK.scores(examples, predictions) == {"accuracy": 0.5}
    assert TASK.scores(examples[2:], predictions[2:]) == {}


def test_without_reading_the_most_frequent_place_is_said() -> None:
    examples = [example("a", "b", "c", label=label) for label in (2, 1, 2, None)]
    assert TASK.naive_prediction(examples).probabilities == (0.0, 0.0, 1.0)


def test_scores_that_there_are_not_are_refused() -> None:
    with pytest.raises(UserError, match=r"data\.metrics must be accuracy"):
        MultipleChoice(metrics=["f1"]).scores([example("a", "b")], [])


def test_a_choice_is_learned_and_predicted(command: Command, pretrained: Path) -> None:
    rows = [
        {
            "text": f"so it is {n}",
            "choices": [NOT_LIKED[n % 4], LIKED[n // 4 % 4]][:: (1, -1)[n % 2]],
            "label": 1 - n % 2,
        }
        for n in range(32)
    ]
    write_jsonl(command.folder / "train.jsonl", rows)
    write_jsonl(command.folder / "test.jsonl", rows[:8])
    words = ["--data.task=multiple-choice", "--data.train=train.jsonl", "--data.test=test.jsonl"]
    words += [f"--model.pretrained={pretrained}", "--data.max_length=24", "--data.batch_size=8"]
    words += ["--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]
    learning = ["--model.optimizer.lr=5e-3", "--trainer.max_epochs=12"]
    assert command("fit", *words, *learning) == 0, command.messages
    assert "Best validation accuracy: 1.0000" in command.messages
    assert command("predict", *words) == 0, command.messages
    path = command.folder / "runs/finetuning/predictions.jsonl"
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [each["prediction"]["choice"] == each["label"] for each in found].count(True) >= 7


@pytest.mark.parametrize("name", ["race", "copa", "swag"])
def test_a_benchmark_is_judged_by_its_name(command: Command, pretrained: Path, name: str) -> None:
    write_benchmark(command.folder / "data", name)
    words = [f"--data.task={name}", "--data.folder=data", f"--model.pretrained={pretrained}"]
    words += ["--data.max_length=32", "--trainer.accelerator=cpu"]
    words += ["--trainer.enable_progress_bar=false"]
    assert command("fit", *words, "--trainer.max_steps=1") == 0, command.messages
    assert command("test" if name == "race" else "validate", *words) == 0, command.messages
    wanted = ["test/accuracy", "test_middle/accuracy", "test_high/accuracy"]
    for tag in wanted if name == "race" else ["val/accuracy"]:
        assert tag in command.messages
