from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.errors import UserError
from lit_roberta.finetuning.parts import PartsConfig, load_parts
from lit_roberta.finetuning.tasks.table import find_task


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("text", ["text,label\na,\nb,\nc,\n", "text,other\na,1\nb,2\nc,3\n"])
def test_a_training_part_without_any_label_is_refused(
    tmp_path: Path, task: str, text: str
) -> None:
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"data\.train must hold labels, got 'none'"):
        load_parts(find_task(task), PartsConfig(train=str(tmp_path / "a.csv")))


SHARES = st.sampled_from([(0.1, 0.0), (0.2, 0.1), (0.0, 0.25), (0.5, 0.4)])
TEXTS = st.lists(st.integers(0, 30), min_size=12, max_size=40).filter(
    lambda numbers: len(set(numbers)) > 5
)
"""Texts by a number, some of them more than once."""


@given(TEXTS, SHARES, st.randoms(use_true_random=False))
def test_shares_are_held_out_by_the_text_whatever_its_place(
    tmp_path_factory: pytest.TempPathFactory,
    numbers: list[int],
    shares: tuple[float, float],
    chance: random.Random,
) -> None:
    folder, found = tmp_path_factory.getbasetemp(), []
    mixed = chance.sample(numbers, len(numbers))
    for order in (numbers, mixed):
        with (folder / "a.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *((f"tea {n}", n) for n in order)])
        config = PartsConfig(
            train=str(folder / "a.csv"), validation_share=shares[0], test_share=shares[1]
        )
        parts = load_parts(find_task("regression"), config)
        held_out = [list(part.get("", ())) for part in (parts.validation, parts.test)]
        found.append([[each.text for each in part] for part in (parts.train, *held_out)])
    # each text is whole on one side, however often it is there
    train, *others = map(set, found[0])
    assert not others[0] & others[1]
    assert train
    assert not train & (others[0] | others[1])
    assert sum(map(len, found[0])) == len(numbers)
    assert sorted(text for part in found[0] for text in part) == sorted(
        f"tea {n}" for n in numbers
    )
    assert [sorted(part) for part in found[0]] == [sorted(part) for part in found[1]]
    for share, part in zip(shares, found[0][1:], strict=True):
        assert bool(part) == (share > 0)
    places = [f"tea {n}" for n in numbers]  # in the order of the file
    for part in found[0]:
        walk = iter(places)
        assert all(text in walk for text in part)
    if len(set(numbers)) == len(numbers) >= 10:
        for share, part in zip(shares, found[0][1:], strict=True):
            assert abs(len(part) - share * len(numbers)) <= 1


@pytest.mark.parametrize("shares", [(0.1, 0.0), (0.0, 0.1), (0.1, 0.1)])
@pytest.mark.parametrize("task", ["classification", "question-answering"])
def test_too_few_texts_to_split_are_said_to_be_too_few(
    tmp_path: Path, task: str, shares: tuple[float, float]
) -> None:
    path = tmp_path / "a.jsonl"
    wanted = 1 + sum(share > 0 for share in shares)
    answers = {"text": ["tea"], "answer_start": [0]}
    for count in range(1, wanted + 1):
        texts = [f"tea {n % count}" for n in range(12)]
        rows = [
            {"text": text, "label": n % 2}
            if task == "classification"
            else {"id": n, "question": "what?", "context": text, "answers": answers}
            for n, text in enumerate(texts)
        ]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        config = PartsConfig(train=str(path), validation_share=shares[0], test_share=shares[1])
        if count < wanted:
            rule = f"must hold {wanted} different texts, got {count}\\..*--data.validation FILE"
            with pytest.raises(UserError, match=rule):
                load_parts(find_task(task), config)
        else:
            parts = load_parts(find_task(task), config)
            assert len(parts.train) == 12 // wanted


def test_fewer_examples_are_part_of_more(tmp_path: Path) -> None:
    rows = "".join(f"tea {n},{n % 2}\n" for n in range(40))
    (tmp_path / "a.csv").write_text(f"text,label\n{rows}", encoding="utf-8")
    chosen = []
    for count in (4, 16, None):
        config = PartsConfig(train=str(tmp_path / "a.csv"), num_train_examples=count)
        chosen.append(
            {each.text for each in load_parts(find_task("classification"), config).train}
        )
    assert [len(each) for each in chosen] == [4, 16, 36]
    assert chosen[0] < chosen[1] < chosen[2]
