"""How files of labelled text are to be read: the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import must

Quoting = Literal["auto", "quoted", "plain"]

TEXT_COLUMNS = ("text", "sentence", "sentence1", "review", "premise", "content", "question1")
PAIR_COLUMNS = ("pair", "text_pair", "sentence2", "hypothesis", "question2")
LABEL_COLUMNS = ("label", "labels", "class", "target", "score", "gold_label")


@dataclass(frozen=True, kw_only=True)
class LabelledReading:
    """How rows of a file become examples. Columns are named by the header, or 1, 2, ... ."""

    text_column: str | None = None
    """The text. None: the first of the usual names that is there (text, sentence, sentence1,
    review, premise, ...); of two columns without a header, the first."""
    pair_column: str | None = None
    """The second text of a pair. None: the usual name beside the text's (pair, sentence2,
    hypothesis, ...), if it is there; `none` where there is no pair."""
    label_column: str | None = None
    """The label. None: the first of the usual names that is there (label, class, target, ...); of
    two columns without a header, the second."""
    words_column: str = "tokens"
    """Of rows with tags: the list of a sentence's words. Of a file in CoNLL's form: the number of
    the column that a word stands in; the first where none is given."""
    tags_column: str = "ner_tags"
    """The list of their tags; or their column, where none is given the last."""
    misplaced_answers: Literal["refuse", "leave_out"] = "refuse"
    """What becomes of an answer that is not where it is said to be in its context; a question that
    has no other is left out with it."""
    header: bool = True
    """Whether the first line of .csv and .tsv names the columns."""
    quoting: Quoting = "auto"
    """Whether fields may stand between quotes. auto: yes in .csv; no in .tsv, where a quote is a
    character like any other, as in GLUE's files."""
    encoding: str = "utf-8"
    """How the files are encoded; a byte order mark is dropped."""
    errors: Literal["strict", "replace"] = "strict"
    """Whether a byte that can't be decoded is an error, or becomes U+FFFD."""

    def __post_init__(self) -> None:
        self.as_plain()  # checks the encoding
        for name in ("text_column", "pair_column", "label_column", "words_column", "tags_column"):
            if getattr(self, name) == "":
                raise must(f"data.reading.{name}", "name a column", "", "Leave it out.")

    def setting(self, name: str) -> str:
        """Give what a setting is called where a person can give it.

        Args:
            name: Of a field.
        """
        return f"data.reading.{name}"

    def option(self, name: str) -> str:
        """Give the option that sets a field."""
        return f"--{self.setting(name).lstrip('-')}"

    def as_plain(self) -> ReadingConfig:
        """Give the part of it that concerns bytes and lines."""
        return ReadingConfig(encoding=self.encoding, errors=self.errors)
