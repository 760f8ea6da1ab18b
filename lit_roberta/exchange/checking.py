"""Whether an exported folder computes what the model does, by `transformers` itself.

In: the folder, and the model that it was written from. Out: by how much the two differ, or one
line that says where. Nothing else in the package needs `transformers`, and this does without.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import torch

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError, must
from lit_roberta.exchange.architectures import Home
from lit_roberta.exchange.outputs import Inputs, largest_difference
from lit_roberta.exchange.pretrained import Pretrained, build_task_model
from lit_roberta.exchange.tokenizer_files import joins_pairs_itself
from lit_roberta.model.bert import BertModel
from lit_roberta.model.task_heads import TaskModel

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
        transformers = _import()
    except ImportError:
        return None
    with _quiet(transformers):
        theirs = _load_model(transformers, folder, home, pretrained)
        batches = list(_random_inputs(home, pretrained))
        if pretrained.tokenizer is not None:
            with _failures_in_one_line("load the tokenizer"):
                found = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
            batches += _real_inputs(found, home, pretrained.tokenizer)
        ours = pretrained.build() if pretrained.task is None else build_task_model(pretrained)
        difference = max(_difference(ours, theirs, inputs, home, pretrained) for inputs in batches)
    compared = "on random ids" if pretrained.tokenizer is None else "on random ids and on text"
    return Check(transformers.__version__, difference, compared)


def _import() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("transformers")


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Let transformers report nothing for a while: what is wrong is said here."""
    logging = transformers.utils.logging
    level, had_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if had_bar:
            logging.enable_progress_bar()


@contextmanager
def _failures_in_one_line(what: str) -> Iterator[None]:
    """Say what transformers can't do with the folder, whatever kind of error it raises for it."""
    try:
        yield
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise _refusal(f"let transformers {what}", reason) from error


def _load_model(transformers: Any, folder: Path, home: Home, pretrained: Pretrained) -> Any:
    with _failures_in_one_line("load it"):
        settings = transformers.AutoConfig.from_pretrained(folder, local_files_only=True)
        model, info = getattr(transformers, settings.architectures[0]).from_pretrained(
            folder, output_loading_info=True, local_files_only=True
        )
    is_drawn = home.architecture.endswith("Model") and not pretrained.has_pooler
    for kind in ("missing", "unexpected", "mismatched"):
        names = sorted(map(str, info[f"{kind}_keys"]))
        names = [name for name in names if not (is_drawn and name.startswith("pooler."))]
        if names:
            raise _refusal(f"have no {kind} weight in transformers", names[0])
    return model.float().eval()


def _random_inputs(home: Home, pretrained: Pretrained) -> Iterator[Inputs]:
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
        ids = torch.randint(home.encoder.vocab_size - 1, real.shape, generator=generator)
        ids = (ids + (ids >= pretrained.pad_id)).where(real, pretrained.pad_id)
        second = (columns >= lengths[:, None] // 2) & real
        yield Inputs(name, ids, second.long() * home.second_segment, real)


def _real_inputs(theirs: Any, home: Home, ours: Tokenizer) -> list[Inputs]:
    """Encode text by the exported tokenizer, after seeing that ours gives the same ids."""
    vocabulary = ours.vocabulary
    for role in ("pad", "cls", "sep", "mask"):
        wanted, given = getattr(vocabulary, f"{role}_id"), getattr(theirs, f"{role}_token_id")
        if given != wanted:
            raise _refusal(f"have the {role} token {wanted}", given)
    fitting = []
    for texts in (*((text,) for text in _TEXTS), *_PAIRS):
        ids = theirs(*texts)["input_ids"]
        expected, found = _encode(ours, texts, home), ids
        if home.keep_joining and joins_pairs_itself(ours):
            expected, found = (
                [number for number in each if number not in vocabulary.special_ids]
                for each in (expected, ids)
            )
        if found != expected:
            raise _refusal(f"encode {' / '.join(texts)!r} as {expected}", found)
        if len(ids) <= home.max_length:
            fitting.append(texts)
    cut = len(theirs(_TEXTS[0] * home.max_length, truncation=True)["input_ids"])
    if cut != home.max_length:
        raise _refusal(f"cut text to {home.max_length} tokens", cut)
    batches = [[t for t in fitting if len(t) == count] for count in (1, 2)]
    return [_collate(theirs, batch) for batch in batches if batch]


def _encode(tokenizer: Tokenizer, texts: Sequence[str], home: Home) -> list[int]:
    vocabulary = tokenizer.vocabulary
    ids = [vocabulary.cls_id]
    for number, text in enumerate(texts):
        ids += [vocabulary.sep_id] * (home.family == "roberta" and number > 0)
        ids += [*tokenizer.encode(text), vocabulary.sep_id]
    return ids


def _collate(theirs: Any, batch: Sequence[Sequence[str]]) -> Inputs:
    columns = [list(column) for column in zip(*batch, strict=True)]
    encoded = theirs(*columns, padding=True, return_tensors="pt")
    ids = encoded["input_ids"]
    segments = encoded.get("token_type_ids", torch.zeros_like(ids))
    name = "real text" if len(columns) == 1 else "real pairs of texts"
    return Inputs(name, ids, segments, encoded["attention_mask"].bool())


def _difference(
    ours: BertModel | TaskModel, theirs: Any, inputs: Inputs, home: Home, pretrained: Pretrained
) -> float:
    """Give the largest difference, in double precision where single rounds too much."""
    output, size = "", math.nan
    for number_type in (torch.float32, torch.float64):
        if not size <= _TOLERANCE:
            with _failures_in_one_line(f"run on {inputs.name}"):
                output, size = largest_difference(
                    ours.to(number_type),
                    theirs.to(number_type),
                    inputs,
                    home=home,
                    pretrained=pretrained,
                )
    ours.float(), theirs.float()
    if not size <= _TOLERANCE:
        got = f"{output} that differ by {size:.2g} on {inputs.name}"
        raise _refusal(f"compute the model's outputs to {_TOLERANCE:g}", got)
    return size


def _refusal(rule: str, got: object) -> UserError:
    return must("the exported model", rule, got, "Nothing was written.")
