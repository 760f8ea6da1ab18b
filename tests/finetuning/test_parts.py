from __future__ import annotations

from pathlib import Path

import pytest

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
