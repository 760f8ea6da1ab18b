"""Tokenizers of other people's kinds, small, and text that finds their corners."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, trainers

TEXT = [
    "The old ship's captain sailed to caf\u00e9s and \u4e2d\u6587 harbours.",
    "a keeper lit the lamp all night \U0001f600",
    "the the the old old ship sank, they say",
] * 5

AWKWARD = [
    "Hello world",
    "  two  spaces ",
    "",
    " ",
    "caf\u00e9 cafe\u0301 \u00c5ngstr\u00f6m na\u00efve A\u0300\u0301B",
    "\u4e2d\u6587 \u5b57and kanji\u65e5\u672c \U00020000\U0002a6df \uac00\u1100\u1161",
    "\U0001f469\u200d\U0001f52c emoji \U0001f600!",
    "a\tb\nc\r\nd \u2028 \x85 \x1c e",
    "don't I'll we've DON'T O'Neil's",
    "\u0130stanbul \u00df \u039f\u0394\u03a5\u03a3 \ufb01ne \u00bd\u00b2 \u0660\u0661",
    "x\u00a0y\u3000z\u200bw\ufeffv \u00adsoft hy\u00adphen \ufffd",
    "\x00nul\x01",
    "a" * 300,
    "1234567.89 $%^&*() -- ---... ''\"\u201c\u201d` [x] <y> I <3 u ##s ##the",
    "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22 \u2581the _ \u2581 \u0120the",
]
CONTROL = ["<s>", "</s>", "<pad>", "<unk>", "<mask>", "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"]

NAMES = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "unk_token": "<unk>",
    "pad_token": "<pad>",
    "mask_token": "<mask>",
}


def write_unigram(folder: Path, *, splits: bool = True, size: int = 80) -> str:
    """Write a tokenizer.json of the kind that XLM-R and CamemBERT have."""
    backend = tokenizers.Tokenizer(models.Unigram())
    backend.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    spaces = pre_tokenizers.Metaspace(split=splits)
    if splits:
        backend.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaces])
    else:
        backend.pre_tokenizer = spaces
    backend.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=size, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    backend.train_from_iterator(TEXT, trainer)
    backend.add_special_tokens([*special, AddedToken("<mask>", lstrip=True, special=True)])
    backend.save(str(folder / "tokenizer.json"))
    settings = NAMES | {"tokenizer_class": "PreTrainedTokenizerFast"}
    return write_settings(folder, tokenizer_config=settings)


def write_settings(folder: Path, **files: Any) -> str:
    """Write settings beside a vocabulary, each under the name of its file."""
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return str(folder)
