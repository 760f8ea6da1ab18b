"""Whether an exported folder computes what the model does, by `transformers` itself.

In: the folder, and the model that it was written from. Out: by how much the two differ, or one
line that says where. Nothing else in the package needs `transformers`, and this does without.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError, must
from lit_roberta.exchange.architectures import Home
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.model.bert import BertModel

_TOLERANCE = 1e-4
"""Absolute, in single precision."""
_TEXTS = (
    "The dog slept under the table while it rained.",
    "Is 3.5 more than 2,500? No!",
    "na\u00efve caf\u00e9s \u2013 \u4e2d\u6587, \U0001f600  and  two  spaces",
    "x",
)
_PAIRS = ((_TEXTS[0], _TEXTS[1]), (_TEXTS[2], _TEXTS[3]))
_ROWS, _COLUMNS = 3, 32


class Check(NamedTuple):
    """What was compared, and how close it came."""

    version: str
    """Of transformers."""
    difference: float
    """The largest absolute one of any output."""
    compared: str
    """On what, as the end of a sentence."""


class _Inputs(NamedTuple):
    name: str
    ids: Tensor
    segments: Tensor
    real: Tensor


def check_export(folder: Path, home: Home, pretrained: Pretrained) -> Check | None:
    """Load what was written and compare it with the model.

    Args:
        folder: What was written.
        home: Where the model went.
        pretrained: The model.

    Returns:
        None where transformers is not installed.

    Raises:
        UserError: If a weight was not found or not wanted, if the tokenizer gives other ids, or
            if the outputs differ by more than 1e-4.
    """
    try:
        with _quiet() as transformers:
            theirs = _load_model(transformers, folder, home, pretrained)
            batches = list(_random_inputs(home, pretrained))
            if pretrained.tokenizer is not None:
                found = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
                batches += _real_inputs(found, home, pretrained.tokenizer)
    except ImportError:
        return None
    ours = pretrained.build()
    difference = max(_difference(ours, theirs, inputs, home, pretrained) for inputs in batches)
    compared = "on random ids" if pretrained.tokenizer is None else "on random ids and on text"
    return Check(transformers.__version__, difference, compared)


@contextmanager
def _quiet() -> Iterator[Any]:
    """Import transformers, and let it report nothing: what is wrong is said here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers = importlib.import_module("transformers")
        logging = transformers.utils.logging
        level, had_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
        logging.set_verbosity(logging.CRITICAL)
        logging.disable_progress_bar()
        try:
            yield transformers
        finally:
            logging.set_verbosity(level)
            if had_bar:
                logging.enable_progress_bar()


def _load_model(transformers: Any, folder: Path, home: Home, pretrained: Pretrained) -> Any:
    settings = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
    (architecture,) = settings.architectures
    model, info = getattr(transformers, architecture).from_pretrained(
        folder, output_loading_info=True, local_files_only=True
    )
    drawn = "pooler." if architecture.endswith("Model") and not pretrained.has_pooler else None
    for kind in ("missing", "unexpected", "mismatched"):
        names = sorted(map(str, info[f"{kind}_keys"]))
        names = [name for name in names if drawn is None or not name.startswith(drawn)]
        if names:
            raise _refusal(f"have no {kind} weight in transformers", names[0])
    return model.float().eval()


def _random_inputs(home: Home, pretrained: Pretrained) -> Iterator[_Inputs]:
    """Give one row of the greatest length, and some shorter ones with padding and two texts."""
    generator = torch.Generator().manual_seed(0)
    longest = home.encoder.max_position_embeddings
    seq = min(_COLUMNS, longest)
    padded = torch.tensor([max(1, seq * (_ROWS - row) // _ROWS) for row in range(_ROWS)])
    for name, lengths in (
        ("random ids of the greatest length", torch.tensor([longest])),
        ("random ids with padding and pairs", padded),
    ):
        columns = torch.arange(int(lengths.max()))
        real = columns < lengths[:, None]
        others = [n for n in range(home.encoder.vocab_size) if n != pretrained.pad_id]
        chosen = torch.randint(len(others), real.shape, generator=generator)
        ids = torch.tensor(others)[chosen].where(real, pretrained.pad_id)
        second = (columns >= lengths[:, None] // 2) & real
        yield _Inputs(name, ids, second.long() * home.second_segment, real)


def _real_inputs(theirs: Any, home: Home, ours: Tokenizer) -> list[_Inputs]:
    """Encode text by the exported tokenizer, after seeing that ours gives the same ids."""
    found = []
    for texts in (*((text,) for text in _TEXTS), *_PAIRS):
        wanted = _encode(ours, texts, double=home.family == "roberta")
        given = theirs(*texts)["input_ids"]
        if given != wanted:
            raise _refusal(f"encode {' / '.join(texts)!r} as {wanted}", given)
        if len(wanted) <= home.max_length:
            found.append(texts)
    cut = len(theirs(_TEXTS[0] * home.max_length, truncation=True)["input_ids"])
    if cut != home.max_length:
        raise _refusal(f"cut text to {home.max_length} tokens", cut)
    batches = [[t for t in found if len(t) == count] for count in (1, 2)]
    return [_collate(theirs, batch) for batch in batches if batch]


def _encode(tokenizer: Tokenizer, texts: Sequence[str], *, double: bool) -> list[int]:
    vocabulary = tokenizer.vocabulary
    ids = [vocabulary.cls_id]
    for number, text in enumerate(texts):
        ids += [vocabulary.sep_id] * (double and number > 0)
        ids += [*tokenizer.encode(text), vocabulary.sep_id]
    return ids


def _collate(theirs: Any, batch: Sequence[Sequence[str]]) -> _Inputs:
    columns = [list(column) for column in zip(*batch, strict=True)]
    encoded = theirs(*columns, padding=True, return_tensors="pt")
    ids = encoded["input_ids"]
    segments = encoded.get("token_type_ids", torch.zeros_like(ids))
    name = "real text" if len(columns) == 1 else "real pairs of texts"
    return _Inputs(name, ids, segments, encoded["attention_mask"].bool())


def _difference(
    ours: BertModel, theirs: Any, inputs: _Inputs, home: Home, pretrained: Pretrained
) -> float:
    """Give the largest difference, in double precision where that of single rounds too much."""
    name, difference = _compare(ours, theirs, inputs, home, pretrained)
    if not difference <= _TOLERANCE:
        ours, theirs = ours.double(), theirs.double()
        name, difference = _compare(ours, theirs, inputs, home, pretrained)
        ours.float(), theirs.float()
    if not difference <= _TOLERANCE:
        got = f"{name} that differ by {difference:.2g} on {inputs.name}"
        raise _refusal(f"compute the model's outputs to {_TOLERANCE:g}", got)
    return difference


@torch.no_grad()
def _compare(
    ours: BertModel, theirs: Any, inputs: _Inputs, home: Home, pretrained: Pretrained
) -> tuple[str, float]:
    real = inputs.real
    arguments = {"input_ids": inputs.ids, "attention_mask": real.long()}
    if home.family == "bert":
        arguments["token_type_ids"] = inputs.segments
    given = theirs(**arguments, output_hidden_states=True)
    wanted = ours(inputs.ids, inputs.segments, real)
    hidden = wanted.last_hidden_state
    pairs = [("hidden states", hidden[real], given.hidden_states[-1][real])]
    if pretrained.has_masked_lm_head:
        logits = given["prediction_logits" if "prediction_logits" in given else "logits"]
        pairs.append(("logits", wanted.mlm_logits[real], logits[real]))
    if home.architecture.endswith(("ForPreTraining", "ForNextSentencePrediction")):
        is_both = "seq_relationship_logits" in given
        logits = given["seq_relationship_logits" if is_both else "logits"]
        pairs.append(("next-sentence logits", wanted.nsp_logits.flip(-1), logits))
    if home.architecture.endswith("Model") and pretrained.has_pooler:
        weights = [
            pretrained.weights[f"next_sentence_head.pooler.{kind}"].to(hidden.dtype)
            for kind in ("weight", "bias")
        ]
        pooled = torch.tanh(F.linear(hidden[:, 0], *weights))
        pairs.append(("pooled vectors", pooled, given.pooler_output))
    # By the negation: what is no number differs most.
    return max(
        ((name, float((one - other).abs().max())) for name, one, other in pairs),
        key=lambda each: (each[1] != each[1], each[1]),
    )


def _refusal(rule: str, got: object) -> UserError:
    return must("the exported model", rule, got, "Nothing was written.")
