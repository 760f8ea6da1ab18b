"""A tokenizer as the files that `AutoTokenizer` loads, with no code of ours.

In: a tokenizer, and what the model makes of pairs. Out: `tokenizer.json`, which adds the control
tokens, cuts at the model's length and takes a mask for a word; and `tokenizer_config.json`, which
names them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lit_roberta.data.tokens.tokenizer import SpecialTokens, Tokenizer
from lit_roberta.exchange.names import Family

_WORDS_TO_TEXT = {
    "type": "Sequence",
    "decoders": [
        {"type": "Replace", "pattern": {"Regex": r"\A"}, "content": " "},
        {"type": "Fuse"},
        {"type": "Replace", "pattern": {"Regex": r" (?=[.,;:!?](?!\S))"}, "content": ""},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ],
}
"""Words with spaces between them, and none before a mark that ends something."""


def write_tokenizer(
    tokenizer: Tokenizer,
    folder: Path,
    *,
    family: Family,
    max_length: int,
    second_segment: int,
    keep_joining: bool = False,
) -> None:
    """Write what `AutoTokenizer` loads.

    Args:
        tokenizer: Ours.
        folder: An existing one.
        family: Whose way of joining a pair: RoBERTa's has two separators in the middle.
        max_length: Tokens, control tokens included, that longer text is cut to.
        second_segment: The segment of a pair's second text, in BERT's way.
        keep_joining: Keep the way that a tokenizer of others has to add control tokens. Training
            has ours, whatever the tokenizer came with.
    """
    state = _state(tokenizer)
    names = {role: name for role, name in asdict(tokenizer.special_tokens).items() if name}
    spaced = _is_bytelevel(state)
    tokens = {
        role: {
            "content": name,
            "single_word": False,
            # A space before a word is part of it, and so of the mask in its place.
            "lstrip": spaced and role == "mask_token",
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for role, name in names.items()
    }
    state["added_tokens"] = _with_control(state["added_tokens"], tokens, tokenizer)
    if not (keep_joining and joins_pairs_itself(tokenizer)):
        state["post_processor"] = _post_processor(
            tokenizer, family=family, second_segment=second_segment, spaced=spaced
        )
    if state.get("decoder") is None and state["model"]["type"] == "WordLevel":
        state["decoder"] = _WORDS_TO_TEXT
    state["truncation"] = {
        "direction": "Right",
        "max_length": max_length,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    _write(folder / "tokenizer.json", state)
    _write(folder / "tokenizer_config.json", _settings(tokens, family, max_length))


def joins_pairs_itself(tokenizer: Tokenizer) -> bool:
    """Tell whether a tokenizer came with a way of its own to add control tokens."""
    post_processor = _state(tokenizer).get("post_processor")
    # That of GPT-2's kind only moves offsets.
    return post_processor is not None and post_processor["type"] != "ByteLevel"


def _state(tokenizer: Tokenizer) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(tokenizer.to_json())["backend"]
    return state


def _is_bytelevel(state: Mapping[str, Any]) -> bool:
    """Tell whether the space before a word is part of the word."""
    return '"ByteLevel"' in json.dumps(state["pre_tokenizer"])


def _with_control(
    added: list[dict[str, Any]], tokens: Mapping[str, dict[str, Any]], tokenizer: Tokenizer
) -> list[dict[str, Any]]:
    """Have every control token found in text, also where the vocabulary did not ask for it."""
    table = {token["id"]: token for token in added}
    for role, token in tokens.items():
        number = tokenizer.word_to_id[token["content"]]
        known = table.get(number)
        if known is None or role == "mask_token":
            lstrip = token["lstrip"] or bool(known and known["lstrip"])
            token["lstrip"] = lstrip
            table[number] = {"id": number, **token}
        else:
            token.update({name: known[name] for name in token if name != "special"})
    return [table[number] for number in sorted(table)]


def _post_processor(
    tokenizer: Tokenizer, *, family: Family, second_segment: int, spaced: bool
) -> dict[str, Any]:
    special, vocabulary = tokenizer.special_tokens, tokenizer.vocabulary
    if family == "roberta":
        return {
            "type": "RobertaProcessing",
            "sep": [special.sep_token, vocabulary.sep_id],
            "cls": [special.cls_token, vocabulary.cls_id],
            "trim_offsets": spaced,
            "add_prefix_space": False,
        }
    template = _bert_template(special, tokenizer.word_to_id, second_segment)
    if not spaced:
        return template
    offsets = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    return {"type": "Sequence", "processors": [offsets, template]}


def _bert_template(
    special: SpecialTokens, word_to_id: Mapping[str, int], second_segment: int
) -> dict[str, Any]:
    def control(name: str, segment: int) -> dict[str, Any]:
        return {"SpecialToken": {"id": name, "type_id": segment}}

    def text(name: str, segment: int) -> dict[str, Any]:
        return {"Sequence": {"id": name, "type_id": segment}}

    sep, cls = special.sep_token, special.cls_token
    single = [control(cls, 0), text("A", 0), control(sep, 0)]
    second = [text("B", second_segment), control(sep, second_segment)]
    tokens = {
        name: {"id": name, "ids": [word_to_id[name]], "tokens": [name]} for name in (cls, sep)
    }
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": single + second,
        "special_tokens": tokens,
    }


def _settings(
    tokens: Mapping[str, dict[str, Any]], family: Family, max_length: int
) -> dict[str, Any]:
    inputs = ["input_ids", "attention_mask"]
    if family == "bert":
        inputs.insert(1, "token_type_ids")
    named = {role: {"__type": "AddedToken", **token} for role, token in tokens.items()}
    if family == "roberta":
        named |= {"bos_token": named["cls_token"], "eos_token": named["sep_token"]}
    return {
        **named,
        "clean_up_tokenization_spaces": False,
        "model_input_names": inputs,
        "model_max_length": max_length,
        "padding_side": "right",
        "tokenizer_class": "PreTrainedTokenizerFast",
        "truncation_side": "right",
    }


def _write(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
