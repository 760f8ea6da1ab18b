"""What `predict` can't do as it was asked to, said in one line before anything is predicted.

In: the options of the command line, and the kind of the model's task. It reads no file.
"""

from __future__ import annotations

from pathlib import Path

from jsonargparse import Namespace

from lit_roberta.data.text.files import kind_of
from lit_roberta.data.text.rows import ROW_KINDS
from lit_roberta.errors import must
from lit_roberta.finetuning.predict_inputs import LIST_KINDS, STRUCTURED
from lit_roberta.finetuning.reading.conll import WORD_FILES
from lit_roberta.inference.inputs import STANDARD_INPUT
from lit_roberta.model.task_heads import TaskKind

_QUESTIONS = ".json"
"""What SQuAD's files end in; any other model would read the marks of JSON as text."""
_SEPARATED = (".csv", ".tsv")
_DEFAULTS = {
    "text_column": None,
    "pair_column": None,
    "words_column": None,
    "header": True,
    "quoting": "auto",
}
_USED_BY = {
    "text_column": tuple(ROW_KINDS),
    "pair_column": tuple(ROW_KINDS),
    "words_column": (*LIST_KINDS, *WORD_FILES),
    "header": _SEPARATED,
    "quoting": _SEPARATED,
}
"""Kinds of files that an option says something about."""


def check_reading(asked: Namespace) -> None:
    """Refuse what says how rows are read where there are none.

    Raises:
        UserError: Names the option.
    """
    kind = _kind(asked.input)
    for name, default in _DEFAULTS.items():
        given, used = getattr(asked, name), _USED_BY[name]
        if given != default and kind not in used:
            remedy = f"It would not be read: it is for {', '.join(used)}."
            raise must(_option(name), "be left out without rows", given, remedy)


def check_for_task(asked: Namespace, kind: TaskKind) -> None:
    """Refuse what says nothing to a model of a kind.

    Raises:
        UserError: Names the option.
    """
    tags, reads_pairs = kind == "token-classification", kind == "sequence-classification"
    useless = {
        "words_column": (asked.words_column, tags, "The model tags no words."),
        "pair_column": (asked.pair_column, reads_pairs, "The model reads no pairs."),
        "pairs": (asked.pairs or None, reads_pairs, "The model reads no pairs."),
        "text_column": (
            asked.text_column,
            kind != "question-answering",
            "Rows have the columns question and context.",
        ),
    }
    for name, (given, is_read, reason) in useless.items():
        if given is not None and not is_read:
            raise must(_option(name), "be left out", given, reason)
    is_words = _kind(asked.input) in WORD_FILES and not tags
    is_json = _kind(asked.input) == _QUESTIONS and kind != "question-answering"
    if is_words or is_json:
        lines = "" if kind in STRUCTURED else "lines of text, or "
        rule = f"hold {lines}rows of {', '.join(ROW_KINDS)}"
        remedy = "In a .jsonl each line is a row." if is_json else "The model tags no words."
        raise must("--input", rule, asked.input, remedy)


def _kind(source: str | None) -> str:
    return "" if source in (None, STANDARD_INPUT) else kind_of(Path(str(source)))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
