"""Cloze templates: a text as a sentence with a blank, and words for the labels to fill it.

In: a template as `{text} It was {mask}.`, and label words. Out: rows of ids around the blank, cut
so that the template stays whole. Nothing here computes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.inference.text_model import TextModel

_FIELD = re.compile(r"\{(\w+)\}")
_KNOWN = ("text", "pair", "mask")
_NOTHING = TextExample(text="", pair="", label=None, place="")


class Template:
    """A sentence with places for a text, for a second text, and for the blank.

    Args:
        template: With `{text}` and `{mask}` once each, and `{pair}` for pairs.

    Raises:
        UserError: If it has no such places.
    """

    def __init__(self, template: str) -> None:
        self.fields = _FIELD.findall(template)
        for name in self.fields:
            if name not in _KNOWN:
                raise must("--template", "have {text}, {pair} and {mask} only", name, _EXAMPLE)
        for name in ("text", "mask"):
            if self.fields.count(name) != 1:
                raise must("--template", f"have {{{name}}} once", template, _EXAMPLE)
        front, _, back = template.partition("{mask}")
        self._front, self._back = front, back

    def around(self, example: TextExample) -> tuple[str, str]:
        """Give what stands before the blank and after it."""
        return _filled(self._front, example).lstrip(), _filled(self._back, example)

    def answered(self, example: TextExample, word: str) -> str:
        """Write the sentence with a word in the blank."""
        before, after = self.around(example)
        return f"{before}{word}{after}"

    def check_pairs(self, examples: Sequence[TextExample]) -> None:
        """Refuse pairs without a place for the second text, and the other way round.

        Raises:
            UserError: If they do not go together.
        """
        for example in examples:
            if (example.pair is not None) != ("pair" in self.fields):
                has = "no" if example.pair is None else "a"
                rule = f"have {{pair}} where there is a second text; {example.place} has {has}"
                remedy = "--reading.pair_column names the second text, none for none."
                raise must("--template", rule, self.fields, remedy)


class LabelWord(NamedTuple):
    """What fills the blank for a label."""

    label: str
    word: str
    tokens: list[int]
    """As they stand in the blank."""


class Prompt(NamedTuple):
    """A row of ids without [CLS] and [SEP], that has one mask."""

    ids: list[int]
    place: int
    """Of the mask."""
    shots: int
    """Answered examples of each label before it."""


def read_words(words: str, template: Template, tokenizer: Tokenizer) -> list[LabelWord]:
    """Read label words.

    Args:
        words: As `pos=great,neg=bad`.
        template: Says what stands before a word, on which its tokens depend.
        tokenizer: The model's.

    Raises:
        UserError: If there are fewer than two, or two alike, or one that the tokenizer lacks.
    """
    found: list[LabelWord] = []
    for part in words.split(","):
        label, equals, word = (piece.strip() for piece in part.partition("="))
        if not (label and equals and word):
            raise must("--words", "be LABEL=WORD, with commas between", part, _WORDS)
        tokens = _tokens_of(word, template, tokenizer)
        if not tokens or tokenizer.vocabulary.unk_id in tokens:
            raise must("--words", "be words that the tokenizer knows", word, "Take another one.")
        for other in found:
            if other.label == label or other.tokens == tokens:
                raise must("--words", "have one word for each label", part, _WORDS)
        found.append(LabelWord(label, word, tokens))
    if len(found) < 2:
        raise must("--words", "name two labels or more", words, _WORDS)
    return found


def make_prompt(
    model: TextModel,
    template: Template,
    example: TextExample | None,
    *,
    rounds: Sequence[str] = (),
    longest_word: int = 1,
) -> Prompt:
    """Write a prompt: as many answered examples as fit, then the text, cut if it must be.

    Args:
        model: It says how much fits.
        template: The sentence.
        example: The text. None: an empty one, for calibration.
        rounds: Answered examples, one of each label a round.
        longest_word: Tokens of the longest label word.

    Raises:
        UserError: If not even the template fits.
    """
    example = example or _NOTHING
    room = model.room - (longest_word - 1)
    for shots in range(len(rounds), 0, -1):
        ids = _ids(model.tokenizer, template, example, rounds[:shots])
        if len(ids) <= room:
            return _prompt(model, ids, shots)
    while len(ids := _ids(model.tokenizer, template, example, ())) > room:
        if not example.text and not example.pair:
            raise must("--template", f"have at most {room:,} tokens", len(ids), "Shorten it.")
        example = _cut(model.tokenizer, example, len(ids) - room)
    return _prompt(model, ids, 0)


_EXAMPLE = 'Write it as "{text} It was {mask}."'
_WORDS = 'Write them as "pos=great,neg=bad".'


def _filled(piece: str, example: TextExample) -> str:
    values = {"text": example.text.strip(), "pair": (example.pair or "").strip()}
    return _FIELD.sub(lambda field: values[field[1]], piece)


def _tokens_of(word: str, template: Template, tokenizer: Tokenizer) -> list[int]:
    """Give the tokens of a word in the blank: those that stand for its characters."""
    before, after = template.around(_NOTHING)
    start = len(before)
    (tokens,) = tokenizer.encode_located([f"{before}{word}{after}"])
    stop = start + len(word)
    return [each.token_id for each in tokens if each.stop > start and each.start < stop]


def _ids(
    tokenizer: Tokenizer, template: Template, example: TextExample, rounds: Sequence[str]
) -> list[int]:
    before, after = template.around(example)
    return tokenizer.encode_around_masks([" ".join([*rounds, before]), after])


def _prompt(model: TextModel, ids: list[int], shots: int) -> Prompt:
    return Prompt(ids, ids.index(model.tokenizer.vocabulary.mask_id), shots)


def _cut(tokenizer: Tokenizer, example: TextExample, surplus: int) -> TextExample:
    """Take tokens off the end of the longer text, one at least; of two as long, half of them."""
    texts = [example.text, example.pair or ""]
    located = tokenizer.encode_located(texts)
    which = int(len(located[1]) > len(located[0]))
    longer, shorter = len(located[which]), len(located[1 - which])
    kept = max(0, longer - surplus, min(shorter, longer - (surplus + 1) // 2))
    stop = located[which][kept].start if kept < longer else 0
    short = texts[which][:stop].rstrip()
    return example._replace(text=short) if which == 0 else example._replace(pair=short)
