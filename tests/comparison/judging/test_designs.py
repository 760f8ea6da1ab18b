from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from lit_roberta.comparison.judging.designs import Design, PaperTable, Rung
from tests.comparison.planted import plant_results

_RUNGS = [
    Rung(
        arm="roberta",
        before="bert",
        switch="masking copies",
        changes={"data.masking.copies": [10, None]},
    ),
    Rung(
        arm="often",
        before="bert",
        switch="masking rate",
        changes={"data.masking.rate": [0.15, 0.4]},
        judge="probes",
        alone=True,
    ),
]
_PAPER = PaperTable(
    source="Liu et al. 2019, table 1",
    columns=["masking", "SQuAD 2.0"],
    rows=[["static", 78.3], ["dynamic", 78.7], ["reference", None]],
    note="base size",
)


@pytest.mark.parametrize(
    "design",
    [
        Design(),
        Design(kind="ladder", rungs=_RUNGS),
        Design(kind="grid", axes={"model.optimizer.lr": [1e-4, 1e-3], "data.batch_size": [16]}),
        Design(kind="seeds", question="Does the order matter?", judge="probes", paper=_PAPER),
    ],
    ids=lambda design: design.kind,
)
def test_a_design_is_read_from_results_as_it_was(design: Design) -> None:
    written = json.loads(json.dumps(replace(plant_results(), design=design).as_json()))
    assert Design.from_json(written["design"]) == design


def test_results_that_know_of_no_design_are_plain() -> None:
    written = plant_results().as_json()
    del written["design"]
    assert Design.from_json(written.get("design")) == Design()
    assert asdict(Design())["kind"] == "plain"
