from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from lit_roberta.data.growth import LengthStage, stage_starts

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "configs"
RECIPES = ("bert", "bert-10", "roberta")

RECIPE_KEYS = {
    "data.format",
    "data.batch_size",
    "data.masking.copies",
    "model.next_sentence",
    "model.optimizer.lr",
}
SIZE_KEYS = {
    "data.max_length",
    "model.encoder.hidden_size",
    "model.encoder.num_hidden_layers",
    "model.encoder.num_attention_heads",
    "model.encoder.intermediate_size",
    "model.encoder.max_position_embeddings",
    "model.optimizer.lr",
}


def flatten(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def settings(name: str) -> dict[str, Any]:
    return flatten(yaml.safe_load((CONFIGS / f"{name}.yaml").read_text()))


@pytest.mark.parametrize("name", RECIPES)
def test_recipe_sets_every_recipe_key_and_nothing_else(name: str) -> None:
    assert set(settings(name)) == RECIPE_KEYS


@pytest.mark.parametrize("path", sorted((CONFIGS / "size").glob("*.yaml")), ids=lambda p: p.stem)
def test_size_sets_size_keys_only(path: Path) -> None:
    assert set(settings(f"size/{path.stem}")) <= SIZE_KEYS


def test_bert_and_roberta_differ_in_the_recipe_keys_only() -> None:
    bert, roberta = settings("bert"), settings("roberta")
    assert {key for key in bert if bert[key] != roberta[key]} == RECIPE_KEYS


def test_ten_copies_are_the_only_recipe_choice_between_the_two_berts() -> None:
    # The learning rate may differ as well: each arm's is tuned on its own.
    one, ten = settings("bert"), settings("bert-10")
    differing = {key for key in one if one[key] != ten[key]}
    assert "data.masking.copies" in differing
    assert differing <= {"data.masking.copies", "model.optimizer.lr"}


@pytest.mark.parametrize("recipe", ["bert", "roberta"])
def test_notebook_holds_the_notebooks_settings(recipe: str) -> None:
    values = settings(f"notebook/{recipe}")
    static = recipe == "bert"
    stated = {
        "model.encoder.hidden_size": 128,
        "model.encoder.num_attention_heads": 4,
        "model.encoder.num_hidden_layers": 2,
        "model.encoder.intermediate_size": 4 * 128,
        "data.max_length": 64,
        "model.optimizer.lr": 1e-4,
        "data.batch_size": 16 if static else 64,
        "data.masking.copies": 1 if static else None,
        "data.masking.rate": 0.15,
        "model.next_sentence": static,
        "data.tokenizer.kind": "word",
        "data.tokenizer.split_punctuation": False,
        "trainer.max_epochs": 15,
    }
    assert {key: values[key] for key in stated} == stated


def test_every_number_of_the_papers_carries_its_source() -> None:
    for path in (CONFIGS / "paper").glob("*.yaml"):
        assert path.read_text().startswith("# "), path
        assert "2019" in path.read_text().splitlines()[0], path


def test_bert_of_the_paper_trains_short_first() -> None:
    paper = settings("paper/bert")
    stages = [LengthStage(**stage) for stage in paper["data.length_stages"]]
    starts = stage_starts(stages, total=paper["trainer.max_steps"])
    assert [stage.max_length for stage in stages] + [paper["data.max_length"]] == [128, 512]
    assert starts == (0, 900_000)
    assert all(stage.batch_size is None for stage in stages)
    assert paper["data.batch_size"] == 256


def table_rows(readme: str, heading: str) -> dict[str, list[str]]:
    """Read the first table behind a heading: the cells by the first cell of each row."""
    lines = readme[readme.index(heading) :].splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    rows = {}
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        first, *others = [cell.strip() for cell in line.strip("|").split("|")]
        rows[first] = others
    return rows


def test_readmes_recipe_table_is_the_files() -> None:
    rows = table_rows((ROOT / "README.md").read_text(encoding="utf-8"), "## The recipes")
    for column, name in enumerate(RECIPES):
        values = settings(name)
        copies = values["data.masking.copies"]
        assert rows["masking copies"][column] == ("dynamic" if copies is None else str(copies))
        assert rows["format"][column] == values["data.format"]
        assert rows["next-sentence objective"][column] == (
            "yes" if values["model.next_sentence"] else "no"
        )
        assert rows["batch size"][column] == str(values["data.batch_size"])
        assert float(rows["learning rate"][column]) == values["model.optimizer.lr"]
