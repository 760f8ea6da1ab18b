from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.comparison.design.ladder import build_ladder
from lit_roberta.comparison.design.recipes import PlannedRecipe, RecipeReader
from lit_roberta.comparison.design.switches import Switch, find_switches
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.design.walking import Trial, each_alone, walk, walk_in_order
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.errors import UserError

_BERT: dict[str, Any] = {
    "data.masking.copies": 1,
    "model.next_sentence": True,
    "data.format": "sentence-pair",
    "data.batch_size": 16,
    "model.optimizer.lr": 5e-4,
    "trainer.precision": None,
    "data.corpus": "toy",
}
_ROBERTA = _BERT | {
    "data.masking.copies": None,
    "model.next_sentence": False,
    "data.format": "doc-sentences",
    "data.batch_size": 64,
    "model.optimizer.lr": 2e-3,
}
_OFTEN = _ROBERTA | {"data.masking.rate": 0.4}
_FILES = {"bert": _BERT, "roberta": _ROBERTA, "roberta-often": _OFTEN}


class _Reader(RecipeReader):
    """Reads no text, and knows one rule: next-sentence prediction needs pairs."""

    def __init__(self, files: Mapping[str, dict[str, Any]] = _FILES) -> None:
        super().__init__()
        self._files = files

    def settings(self, variant: Variant | None) -> dict[str, Any]:
        assert variant is not None
        return self._files[variant.path().stem]

    def read(self, variant: Variant, name: str) -> PlannedRecipe:
        own = dict(setting.split("=", 1) for setting in variant.settings)
        values = self.settings(variant)
        nsp = own.get("model.next_sentence", str(values["model.next_sentence"]).lower())
        format = own.get("data.format", values["data.format"])
        if nsp == "true" and format != "sentence-pair":
            raise UserError("Next-sentence prediction needs pairs.")
        return None  # type: ignore[return-value]  # only refusals matter


@pytest.fixture(autouse=True)
def _files_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Variant, "path", lambda self, **_: Path(f"{self.source}.yaml"))


def _build(
    *names: str, order: Sequence[str] = (), **settings: Any
) -> tuple[list[Variant], Design]:
    return build_ladder(names, order=order, reader=_Reader(), **settings)


def _walked(design: Design) -> list[tuple[str, str]]:
    return [(rung.before, rung.arm) for rung in design.rungs if not rung.alone]


def test_a_ladder_walks_one_switch_at_a_time_and_tries_each_alone() -> None:
    variants, design = _build("bert", "roberta")
    assert design.kind == "ladder"
    assert [variant.name for variant in variants] == [
        *("bert", "1-masking-copies", "2-nsp", "3-format", "roberta"),
        *("alone-nsp", "alone-nsp-format", "alone-batch"),
    ]
    assert _walked(design) == [
        ("bert", "1-masking-copies"),
        ("1-masking-copies", "2-nsp"),
        ("2-nsp", "3-format"),
        ("3-format", "roberta"),
    ]
    alone = [rung for rung in design.rungs if rung.alone]
    assert [(rung.before, rung.arm) for rung in alone] == [
        ("bert", "1-masking-copies"),  # the first rung is alone already
        ("bert", "alone-nsp"),
        ("bert", "alone-nsp-format"),
        ("bert", "alone-batch"),
    ]
    assert [rung.note for rung in alone] == [
        *("", ""),
        "format needs next-sentence prediction switched with it (alone: Next-sentence prediction "
        "needs pairs).",
        "",
    ]
    assert [rung.judge for rung in design.rungs] == [
        *("loss", "loss", "probes", "loss"),
        *("loss", "loss", "probes", "loss"),
    ]


def test_every_rung_is_its_recipe_with_what_is_switched_and_the_last_one_is_the_other_file() -> (
    None
):
    variants, design = _build("bert", "roberta")
    by_name = {variant.name: variant for variant in variants}
    for rung in design.rungs:
        before, after = by_name[rung.before], by_name[rung.arm]
        if rung.arm == "roberta":
            assert after == Variant(source="roberta", name="roberta")
            continue
        assert after.source == "bert"
        assert set(before.settings) < set(after.settings)
        added = {
            setting.partition("=")[0] for setting in set(after.settings) - set(before.settings)
        }
        assert added == set(rung.changes)


def test_the_order_is_the_users_and_a_plus_joins() -> None:
    _, design = _build(
        "bert", "roberta", order=["nsp+format", "batch size with its learning rate"]
    )
    walked = [rung.switch for rung in design.rungs if not rung.alone]
    assert walked == [
        "next-sentence prediction and format",
        "batch size with its learning rate",
        "masking copies",
    ]
    _, design = _build("bert", "roberta", order=["data.batch_size"], alone=False)
    assert [rung.switch for rung in design.rungs] == [
        *("batch size with its learning rate", "masking copies"),
        *("next-sentence prediction", "format"),
    ]


def test_a_switch_that_cannot_be_run_yet_waits_in_the_usual_order() -> None:
    _, design = _build("roberta", "bert", alone=False)
    assert [rung.switch for rung in design.rungs] == [
        *("masking copies", "format", "next-sentence prediction"),
        "batch size with its learning rate",
    ]


def test_several_recipes_are_walked_through_in_turn() -> None:
    variants, design = _build("bert", "roberta", "roberta-often", order=["masking-rate", "nsp"])
    assert [variant.name for variant in variants] == [
        *("bert", "1-nsp", "2-masking-copies", "3-format", "roberta", "roberta-often"),
        *("alone-masking-copies", "alone-nsp-format", "alone-batch"),
    ]
    assert _walked(design)[-1] == ("roberta", "roberta-often")


@pytest.mark.parametrize(
    ("names", "order", "message"),
    [
        (["bert"], [], r"^--ladder must name two recipes, got 'bert'\. "),
        (["bert", "bert"], [], r"^--ladder must have different names, got "),
        (["bert", "roberta"], ["nps"], r"^--order must name switches, got 'nps'\. There are: mas"),
        (["bert", "roberta"], ["nsp", "format+nsp"], r"^--order must name each switch once, got "),
        (
            ["bert", "roberta"],
            ["format", "nsp"],
            r"^--order must be one that can be run, got 'format'\. format can't be switched "
            r"there: Next-sentence prediction needs pairs\. It needs next-sentence prediction "
            r"before it, or at once: nsp\+format\.$",
        ),
    ],
)
def test_what_is_no_ladder_is_refused(names: list[str], order: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        _build(*names, order=order)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, r"^--ladder must lead from one recipe to another, got 'bert and other'"),
        ({"trainer.precision": "16-mixed"}, r"differ in it: give --trainer\.precision for all"),
        (
            {"trainer.precision": "16-mixed", "data.format": "doc-sentences"},
            r"^--ladder must lead from recipe to recipe: .* got 'trainer\.precision'",
        ),
    ],
)
def test_recipes_without_a_switch_between_them_have_no_ladder(
    changes: dict[str, Any], message: str
) -> None:
    reader = _Reader({"bert": _BERT, "other": _BERT | changes})
    with pytest.raises(UserError, match=message):
        build_ladder(["bert", "other"], reader=reader)


# ---- walking, whatever needs what


class _Needing(_Reader):
    """Refuses what is switched without what it needs."""

    def __init__(self, needs: Mapping[str, str]) -> None:
        super().__init__({"first": {}})
        self.needs = needs

    def read(self, variant: Variant, name: str) -> PlannedRecipe:
        switched = {setting.partition("=")[0] for setting in variant.settings}
        for key, needed in self.needs.items():
            if key in switched and needed not in switched:
                raise UserError(f"{key} needs {needed}.")
        return None  # type: ignore[return-value]


_KEYS = ("model.a", "model.b", "model.c", "model.d")
_NEEDS = st.dictionaries(st.sampled_from(_KEYS), st.sampled_from(_KEYS))


def _trial(needs: Mapping[str, str]) -> Trial:
    switches = find_switches(dict.fromkeys(_KEYS, 0), dict.fromkeys(_KEYS, 1))
    return Trial(Variant(source="first", name="first"), switches, _Needing(needs))


@given(_NEEDS)
def test_whatever_needs_what_every_rung_of_a_walk_can_be_run(needs: dict[str, str]) -> None:
    trial = _trial(needs)
    behind: list[Switch] = []
    for step in walk(trial):
        left = [switch for switch in trial.switches if switch not in behind]
        alone = [switch for switch in left if trial.objection([*behind, switch]) is None]
        assert trial.objection([*behind, *step]) is None
        assert (len(step) == 1) is bool(alone)
        behind += step
    assert sorted(switch.slug for switch in behind) == ["a", "b", "c", "d"]


@given(_NEEDS)
def test_whatever_needs_what_each_switch_is_tried_with_what_it_needs_and_no_more(
    needs: dict[str, str],
) -> None:
    trial = _trial(needs)
    steps = each_alone(trial)
    assert {switch.slug for step, _ in steps for switch in step} == {"a", "b", "c", "d"}
    for step, note in steps:
        assert trial.objection(step) is None
        assert bool(note) is (len(step) > 1)
        for key, needed in needs.items():
            slugs = [switch.slug for switch in step]
            assert key[-1] not in slugs or needed[-1] in slugs


@given(_NEEDS, st.permutations(_KEYS))
def test_an_order_is_walked_as_it_is_or_refused(needs: dict[str, str], keys: list[str]) -> None:
    trial = _trial(needs)
    by_slug = {switch.slug: switch for switch in trial.switches}
    order = [(by_slug[key[-1]],) for key in keys]
    fits = all(keys.index(needed) <= keys.index(key) for key, needed in needs.items())
    if fits:
        assert walk_in_order(trial, order) == order
    else:
        with pytest.raises(UserError, match=r"^--order must be one that can be run, got '[abcd]'"):
            walk_in_order(trial, order)
