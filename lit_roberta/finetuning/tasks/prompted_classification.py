"""One label for a text or for a pair of texts, as a word that fills a blank beside it.

The head is that of pretraining: at first it says what a cloze says without any training.

Source: Schick and Schuetze 2021, "Exploiting Cloze Questions for Few Shot Text Classification and
Natural Language Inference", section 3.1, with one pattern and without its further steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Shaped

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.pretrained import Pretrained, build_cloze_model
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.reading.texts import label_names
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.inference.cloze import (
    EXAMPLE,
    WORDS,
    Template,
    make_prompt,
    read_words,
    split_words,
)
from lit_roberta.model.cloze import ClozeModel

_TEMPLATE, _WORDS = "data.options.template", "data.options.words"


class PromptedClassification(Classification):
    """One of several labels, read at the mask of a template.

    Args:
        labels: In the order of their numbers; empty for that of their words.
        metrics: As for classification.
        options: `template`, such as `{text} It was {mask}.`, and `words`, the word of each label:
            a mapping, or `pos=great,neg=bad`.

    Raises:
        UserError: If there are other options, if the template has no such places, or if labels
            and words are not each other's.
    """

    learns_labels = False
    option_names = ("template", "words")

    def __init__(
        self,
        labels: Sequence[str] = (),
        *,
        metrics: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        options = dict(options or {})
        written = options.get("template")
        if not isinstance(written, str):
            raise must(_TEMPLATE, "be a sentence with a blank", written, EXAMPLE)
        self.template = Template(written, setting=_TEMPLATE)
        self.words = _in_order(_words(options.get("words")), labels)
        options |= {"template": written, "words": self.words}
        super().__init__(tuple(self.words), metrics=metrics, options=options)

    def with_options(self, asked: Mapping[str, Any]) -> PromptedClassification:
        """Give the task itself: the weights stand on its template and words.

        Raises:
            UserError: If others are asked for.
        """
        other = super().with_options(asked)
        for name, value in self.options.items():
            if other.options[name] != value:
                remedy = "Leave it out: the weights stand on it."
                rule = f"be the checkpoint's {value!r}"
                raise must(f"data.options.{name}", rule, other.options[name], remedy)
        return self

    # ---- from texts to rows

    def items(self, examples: Sequence[TextExample], layout: Layout) -> list[Item]:
        """Put each example into the template, cut where there is no room for all of it.

        Raises:
            UserError: If there is no room for a token beside the template, if pairs and template
                do not go together, or if a label has no word.
        """
        make_prompt(layout.tokenizer, self.template, room=_room(layout) - 1)
        labels = [self._label(example) for example in examples]
        return [
            self._item(number, example, label, layout)
            for number, (example, label) in enumerate(zip(examples, labels, strict=True))
        ]

    def length(self, example: TextExample, layout: Layout) -> int:
        """Count the tokens of a prompt, all of its text in it."""
        self.template.check_pair(example.pair, place=example.place)
        parts = self.template.around(example.text, example.pair)
        ids = layout.tokenizer.encode_around_masks(parts)
        return len(ids) + layout.num_control(pair=False)

    def _item(
        self, number: int, example: TextExample, label: Shaped[np.ndarray, ""], layout: Layout
    ) -> Item:
        self.template.check_pair(example.pair, place=example.place)
        prompt = make_prompt(
            layout.tokenizer, self.template, example.text, example.pair, room=_room(layout)
        )
        return Item((layout.row(prompt.ids),), label, number, prompt.is_cut)

    def _label(self, example: TextExample) -> Shaped[np.ndarray, ""]:
        if example.label is None:
            return np.asarray(IGNORE_INDEX)
        if example.label not in self.labels:
            rule, remedy = f"be one of {', '.join(self.labels)}", f"Give it a word: {_WORDS}."
            raise must(f"the label at {example.place}", rule, example.label, remedy)
        return np.asarray(self.labels.index(str(example.label)))

    # ---- the model

    def exchange_task(self) -> None:
        """Give none: the model stays one that fills masks."""

    def build_model(self, pretrained: Pretrained, *, seed: int = 0) -> ClozeModel:
        """Build the model with the head of its pretraining, in evaluation mode.

        Raises:
            UserError: If a word is not one token.
        """
        assert pretrained.tokenizer is not None, "a data module looks at that"
        word_ids = self.word_ids(pretrained.tokenizer)
        return build_cloze_model(pretrained, word_ids=word_ids, seed=seed)

    def word_ids(self, tokenizer: Tokenizer) -> list[int]:
        """Give the token of each label's word, as it stands in the blank.

        Raises:
            UserError: If one has none, or several.
        """
        found = read_words(self.words, self.template, tokenizer, setting=_WORDS)
        for each in found:
            if len(each.tokens) > 1:
                remedy = f"The tokenizer cuts it into {len(each.tokens)}: take a more usual word."
                raise must(_WORDS, "be words of one token each", each.word, remedy)
        return [each.tokens[0] for each in found]


def _room(layout: Layout) -> int:
    return layout.max_length - layout.num_control(pair=False)


def _words(asked: Any) -> dict[str, str]:
    """Read label words as a file of settings or a command line has them."""
    if isinstance(asked, str):
        return split_words(asked, setting=_WORDS)
    if not isinstance(asked, Mapping):
        raise must(_WORDS, "give a word for each label", asked, WORDS)
    labels = label_names(list(asked), setting=_WORDS) or []
    for word in asked.values():
        if not isinstance(word, str) or not word.strip():
            remedy = 'In YAML, yes, no, on, off and numbers stand in quotes: "yes".'
            raise must(_WORDS, "be words", word, remedy)
    return dict(zip(labels, (word.strip() for word in asked.values()), strict=True))


def _in_order(words: dict[str, str], labels: Sequence[str]) -> dict[str, str]:
    """Put words into the order of labels, where there is one."""
    if not labels:
        return words
    for label in labels:
        if label not in words:
            raise must(_WORDS, f"have a word for {label}", words, "Each label needs one.")
    for label in words:
        if label not in labels:
            rule, remedy = f"be of the labels {', '.join(labels)}", "Leave it out."
            raise must(_WORDS, rule, label, remedy)
    return {label: words[label] for label in labels}
