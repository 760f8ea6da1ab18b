"""A model as sentence-transformers loads it: an encoder, and the mean of its tokens' vectors.

In: a model. Out: the model without heads, and the files that say how a vector of a text is made.
They are of the oldest form that has all of it, which every version since 2.0 reads.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from lit_roberta.errors import must
from lit_roberta.exchange.architectures import Home
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.tasks import HEAD

_POOLING = "1_Pooling"
_HEADS = ("masked_lm_head.", "next_sentence_head.classifier.", HEAD)
_MODES = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens")


def encoder_of(pretrained: Pretrained) -> Pretrained:
    """Leave out the heads, which a vector of a text does not need, and say so.

    Raises:
        UserError: If there is no tokenizer.
    """
    if pretrained.tokenizer is None:
        remedy = "Put its tokenizer.json or vocab.txt beside its weights."
        raise must("a model for sentence embeddings", "have a tokenizer", None, remedy)
    left = [head for head in _HEADS if any(name.startswith(head) for name in pretrained.weights)]
    return replace(
        pretrained,
        task=None,
        weights={
            name: weight
            for name, weight in pretrained.weights.items()
            if not name.startswith(_HEADS)
        },
        notices=[
            *pretrained.notices,
            *(f"Left out: {head}*, which no vector of a text needs." for head in left),
        ],
    )


def write_modules(folder: Path, home: Home) -> None:
    """Write what sentence-transformers reads beside a model of transformers.

    Args:
        folder: Where the model was written.
        home: Where the model went.
    """
    kinds = ("Transformer", "Pooling")
    modules = [
        {
            "idx": number,
            "name": str(number),
            "path": "" if number == 0 else _POOLING,
            "type": f"sentence_transformers.models.{kind}",
        }
        for number, kind in enumerate(kinds)
    ]
    pooling = {f"pooling_mode_{mode}": mode == "mean_tokens" for mode in _MODES}
    (folder / _POOLING).mkdir()
    _write(folder / "modules.json", modules)
    _write(
        folder / "sentence_bert_config.json",
        # The case of words is the tokenizer's own matter.
        {"max_seq_length": home.max_length, "do_lower_case": False},
    )
    _write(
        folder / _POOLING / "config.json",
        {"word_embedding_dimension": home.encoder.hidden_size, **pooling},
    )
    _write(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
