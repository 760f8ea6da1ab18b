"""Ready tokenizers that the library reads, or stumbles over, and that no model can have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError
from tests.data.tokens.test_loading import write_bert


@pytest.mark.parametrize(
    "changes",
    [
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
        {
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "[NONE]", "type_id": 0}}],
                "pair": [{"SpecialToken": {"id": "[NONE]", "type_id": 0}}],
                "special_tokens": {},
            }
        },
    ],
)
def test_what_the_library_stumbles_over_is_refused(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    whole = tmp_path / "whole"
    Tokenizer.from_path(write_bert(tmp_path, do_lower_case=True)).save(whole)
    state = json.loads((whole / "tokenizer.json").read_text(encoding="utf-8"))
    (whole / "tokenizer.json").write_text(json.dumps(state | changes), encoding="utf-8")
    with pytest.raises(UserError, match=r"be a tokenizer, got .* It fails with: "):
        Tokenizer.from_path(str(whole))


@pytest.mark.parametrize(
    ("role", "other"),
    [("mask_token", "unk_token"), ("mask_token", "sep_token"), ("pad_token", "mask_token")],
)
def test_a_mask_and_a_padding_are_nothing_else(tmp_path: Path, role: str, other: str) -> None:
    same: dict[str, Any] = {role: "[SEP]", other: "[SEP]"}
    with pytest.raises(UserError, match=r"_token of its own, got .*\[SEP\] is the "):
        Tokenizer.from_path(write_bert(tmp_path, do_lower_case=True, **same))


def test_a_padding_may_stand_for_what_is_unknown(tmp_path: Path) -> None:
    same: dict[str, Any] = {"pad_token": "[UNK]", "unk_token": "[UNK]"}
    vocabulary = Tokenizer.from_path(write_bert(tmp_path, do_lower_case=True, **same)).vocabulary
    assert vocabulary.pad_id == vocabulary.unk_id
