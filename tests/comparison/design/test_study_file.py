from __future__ import annotations

import datetime
import json
import math
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from lit_roberta.comparison.arranging import arrange
from lit_roberta.comparison.cli import parse
from lit_roberta.comparison.design.recipes import RecipeReader
from lit_roberta.comparison.design.study_file import as_words, read_study, study_names
from lit_roberta.comparison.design.study_values import known_keys
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.errors import UserError

MADE: dict[str, Any] = {
    "title": "Copies",
    "question": "Do copies help?",
    "judge": "loss",
    "base": "roberta",
    "arms": {"one": {"data.masking.copies": 1}, "none": {"data": {"masking": {"copies": None}}}},
    "seeds": 3,
    "budget": {"unit": "updates", "amount": 7},
    "settings": {"data.max_length": 32},
    "paper": {"source": "A 2019", "columns": ["F1"], "rows": {"one": [78.3]}},
}


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


def written(folder: Path, **changes: Any) -> str:
    values = {key: value for key, value in (MADE | changes).items() if value is not ...}
    path = folder / "copies.yaml"
    path.write_text(yaml.safe_dump(values, sort_keys=False))
    return str(path)


@pytest.mark.parametrize(
    ("judge", "words"), [("probes", ["--probes"]), ("fine-tuning", ["--finetune", "task.yaml"])]
)
def test_whoever_judges_a_study_is_asked(tmp_path: Path, judge: str, words: list[str]) -> None:
    study = ["--study", written(tmp_path, judge=judge)]
    reader = RecipeReader(overlays=(), overrides=())
    with pytest.raises(UserError, match=f"--study must ask for its judge, .*{judge}"):
        arrange(parse(study), reader)
    _, design = arrange(parse([*study, *words]), reader)
    assert design.judge == judge


def test_a_study_is_its_arms_its_options_and_what_the_paper_found(tmp_path: Path) -> None:
    asked = parse(["--study", written(tmp_path), "--jobs", "1", "--data.batch_size", "8"])
    assert asked.recipes == (
        Variant(source="roberta", settings=("data.masking.copies=1",), name="one"),
        Variant(source="roberta", settings=("data.masking.copies=null",), name="none"),
    )
    assert (asked.seeds, asked.budget.unit, asked.budget.amount) == (3, "updates", 7)
    assert asked.overrides == ("data.max_length=32", "data.batch_size=8")
    assert asked.study is not None
    design = asked.study.of(Design())
    assert (design.question, design.judge) == ("Do copies help?", "loss")
    assert design.paper is not None
    assert design.paper.rows == [["one", 78.3]]
    assert len(design.paper.columns) == 2


def test_the_command_line_wins_over_the_file(tmp_path: Path) -> None:
    study = written(tmp_path)
    asked = parse(["--seeds", "2", "--study", study, "--budget.amount=9"])
    assert (asked.seeds, asked.budget.unit, asked.budget.amount) == (2, "updates", 9)


@pytest.mark.parametrize("name", study_names())
def test_every_shipped_study_asks_a_question_and_names_its_arms(name: str) -> None:
    given = {"MODEL": "nowhere"} if name == "initialisation" else None
    if given:
        with pytest.raises(UserError, match=r"^--set must give MODEL, the model to go on from"):
            read_study(name)
        return
    study = read_study(name)
    assert study.question.endswith("?")
    assert study.title
    assert study.variants or {"recipes", "ladder", "grid"} & set(study.options)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": ...}, "must have a title"),
        ({"question": 3}, "must have a question"),
        ({"judge": "luck"}, "must name its judge"),
        ({"judge": ...}, "must name its judge"),
        ({"arm": {}}, "must hold only"),
        ({"arms": {}}, "must hold arms as"),
        ({"arms": ["one"]}, "must hold arms as"),
        ({"arms": {"one": 3}}, "must hold the settings of one"),
        ({"arms": {"one two": {}}}, "the name of a recipe must be one word"),
        ({"arms": {"one": {"data.seed": 3}}}, "--data.seed must be left to the comparison"),
        ({"base": ...}, "must name the recipe that its arms stand on"),
        ({"base": "nowhere"}, "nowhere"),
        ({"arms": ...}, "must name what is compared"),
        ({"seeds": "three"}, "must give seeds as int"),
        ({"seeds": True}, "must give seeds as int"),
        ({"settings": ["a"]}, "must hold settings as"),
        ({"paper": {"source": "A"}}, "must have of a paper"),
        ({"paper": MADE["paper"] | {"columns": ["F1", "EM"]}}, "a value for each column"),
        ({"asks": {"MODEL": "a model"}}, "--set must give MODEL, a model"),
        ({"asks": {"MODEL": 3}}, "must say in words what it asks for"),
        ({"recipes": ["bert"]}, "must say once what is compared, got 'arms and recipes'"),
        ({"ladder": ["bert", "roberta"]}, "must say once what is compared"),
        ({"arms": ..., "recipes": ["bert"]}, "must have arms where it has a base for them"),
        ({"arms": ..., "base": ..., "recipes": []}, "must name what is compared"),
        ({"arms": {"one": {"like": 3}}}, "must give like of one in words"),
        ({"arms": {"one": {"base": None}}}, "must give base of one in words"),
        ({"arms": {"..": {}}}, "must have names of letters that can be read, got '..'"),
        ({"arms": {"a" * 300: {}}}, "must have names of at most 200 bytes"),
    ],
)
def test_what_makes_no_sense_in_a_study_is_one_line(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        check(written(tmp_path, **changes))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


_ODD = [
    *(None, 3, 2.5, True, "x", [1], [None], [["a"]], {"a": 1}, {"a": None}, {1: 2}),
    *({"unit": "weeks"}, {"unit": "updates", "amount": "x"}, {"a": [1]}),
    *(datetime.date(2019, 7, 26), math.inf, [math.nan], {"a": [datetime.date(2019, 7, 26)]}),
]
_IN_PAPER = ("paper.source", "paper.note", "paper.columns", "paper.rows")


def refusal_of(act: Callable[[], object]) -> str | None:
    try:
        act()
    except UserError as error:
        return str(error)
    return None


@pytest.mark.parametrize("key", [*known_keys(), *_IN_PAPER])
def test_whatever_stands_at_a_key_is_read_or_refused_in_one_line(tmp_path: Path, key: str) -> None:
    for value in _ODD:
        values = MADE | ({"arms": ..., "base": ...} if key in ("recipes", "ladder") else {})
        first, _, second = key.partition(".")
        odd = MADE[first] | {second: value} if second else value
        study = written(tmp_path, **values | {first: odd})
        refused = refusal_of(partial(parse, ["--study", study]))
        assert "\n" not in (refused or "")
        if refused is None:  # then the report can hold it
            json.dumps(asdict(read_study(study)), allow_nan=False)


@pytest.mark.parametrize("tag", ["!mine x", "!!python/object:os.system x", "!!int abc"])
def test_a_tag_that_makes_no_value_is_one_line(tmp_path: Path, tag: str) -> None:
    path = Path(written(tmp_path))
    path.write_text(path.read_text().replace("title: Copies", f"title: {tag}"))
    with pytest.raises(UserError, match=r"must be valid YAML, got: [^\n]+$"):
        read_study(str(path))


def check(path: str) -> None:
    from lit_roberta.comparison.design.recipes import read_recipes

    read_recipes(read_study(path).variants)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--study", "nowhere"], "--study must name a study"),
        (["--study"], "study"),
        (["--set", "MODEL=x"], "--set must come with a study"),
        (["--study", "masking_copies", "--set", "MODEL=x"], "--set must name what the study asks"),
        (["--study", "masking_copies", "--set", "MODEL"], "--set must be NAME=VALUE"),
        (["--study", "masking_copies", "--recipes", "bert"], "--recipes must not be given"),
        (["--study", "masking_copies", "--ladder=a"], "--ladder must not be given"),
    ],
)
def test_words_about_studies_that_make_no_sense_are_refused(
    words: list[str], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        parse(words)
    assert message in str(caught.value)


def test_settings_become_words_that_a_command_line_reads_back() -> None:
    settings = {
        "data.length_stages": [{"max_length": 32, "share": 0.9}],
        "model": {"schedule": {"kind": "cosine"}, "next_sentence": False},
    }
    assert as_words(settings) == [
        'data.length_stages=[{"max_length": 32, "share": 0.9}]',
        "model.schedule.kind=cosine",
        "model.next_sentence=false",
    ]
