from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lit_roberta.finetuning.evaluation import runs
from lit_roberta.finetuning.evaluation.evaluate_cli import parse
from lit_roberta.finetuning.evaluation.judged import judge
from lit_roberta.finetuning.evaluation.plan import plan_evaluation


def planned(folder: str) -> runs.EvaluationRun:
    """The one run of an evaluation."""
    words = ["a.ckpt", "--task-config", "texts.yaml", "--seeds", "1", "--epochs", "1"]
    (run,) = plan_evaluation(parse([*words, "--output", folder])).runs
    return run


@pytest.mark.parametrize("share", [0.2, 0.0])
def test_a_run_that_was_stopped_while_it_was_judged_is_judged_and_trained_no_more(
    place: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    config = (place / "texts.yaml").read_text("utf-8")
    config = config.replace("  test:", f"  validation_share: {share}\n  test:")
    (place / "texts.yaml").write_text(config, encoding="utf-8")
    run, judged = planned("out"), []

    def judge_and_stop(*given: Any) -> None:
        judged.append(judge(*given))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs, "judge", judge_and_stop)
        with pytest.raises(KeyboardInterrupt):
            run.execute(lambda *_: None)
    assert run.result() is None
    fitted = (run.folder / "fitted.json").read_bytes()
    run.execute(lambda *_: None)
    assert (run.folder / "fitted.json").read_bytes() == fitted
    found = run.result()
    assert found is not None
    assert found["scores"] == {part: each.scores for part, each in judged[0].items()}
    assert set(found["scores"]) == ({"validation", "test"} if share else {"test"})
