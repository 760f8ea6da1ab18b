"""Cloze templates: a text as a sentence with a blank, and words for the labels to fill it.

In: a template as `{text} It was {mask}.`, and label words. Out: rows of ids around the blank, cut
so that the template stays whole. Nothing here computes: it knows a tokenizer, and no model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must

_FIELD = re.compile(r"\{(\w+)\}")
_KNOWN = ("text", "pair", "mask")
_ANY_TEXT = "."
"""Stands for a text where only what is around the blank counts: a word behind a text and a space
has other tokens than one that begins the sentence."""


class Template:
    """A sentence with places for a text, for a second text, and for the blank.

    Args:
        template: With `{text}` and `{mask}` once each, and `{pair}` for pairs.
        setting: What it was given as, for messages.

    Raises:
        UserError: If it has no such places.
    """

    def __init__(self, template: str, *, setting: str = "--template") -> None:
        self.written, self.setting = template, setting
        self.fields = _FIELD.findall(template)
        for name in self.fields:
            if name not in _KNOWN:
                raise must(setting, "have {text}, {pair} and {mask} only", name, EXAMPLE)
        for name in _KNOWN:
            most = self.fields.count(name)
            if most > 1 or (most == 0 and name != "pair"):
                raise must(setting, f"have {{{name}}} once", template, EXAMPLE)
        front, _, back = template.partition("{mask}")
        self._front, self._back = front, back

    def around(self, text: str, pair: str | None = None) -> tuple[str, str]:
        """Give what stands before the blank and after it."""
        values = {"text": text.strip(), "pair": (pair or "").strip()}
        before, after = (
            _FIELD.sub(lambda field: values[field[1]], piece)
            for piece in (self._front, self._back)
        )
        return before.lstrip(), after

    def answered(self, word: str, text: str, pair: str | None = None) -> str:
        """Write the sentence with a word in the blank."""
        before, after = self.around(text, pair)
        return f"{before}{word}{after}"

    def check_pair(self, pair: str | None, *, place: str) -> None:
        """Refuse a pair without a place for the second text, and the other way round.

        Args:
            pair: The second text; None for none.
            place: Where the example stands, for messages.

        Raises:
            UserError: If they do not go together.
        """
        if (pair is not None) != ("pair" in self.fields):
            has = "no" if pair is None else "a"
            rule = f"have {{pair}} where there is a second text; {place} has {has}"
            remedy = "--reading.pair_column names the second text, none for none."
            if self.setting.startswith("data."):
                remedy = remedy.replace("--", "--data.")
            raise must(self.setting, rule, self.fields, remedy)


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
    is_cut: bool
    """Whether the text had to be cut."""


def split_words(words: str, *, setting: str = "--words") -> dict[str, str]:
    """Take label words apart.

    Args:
        words: As `pos=great,neg=bad`.
        setting: What they were given as, for messages.

    Returns:
        The word of each label.

    Raises:
        UserError: If they are written otherwise, or if a label comes twice.

    Example:
        >>> split_words("pos=great, neg=bad")
        {'pos': 'great', 'neg': 'bad'}
    """
    found: dict[str, str] = {}
    for part in words.split(","):
        label, equals, word = (piece.strip() for piece in part.partition("="))
        if not (label and equals and word):
            raise must(setting, "be LABEL=WORD, with commas between", part, WORDS)
        if label in found:
            raise must(setting, "have one word for each label", part, WORDS)
        found[label] = word
    return found


def read_words(
    words: Mapping[str, str],
    template: Template,
    tokenizer: Tokenizer,
    *,
    setting: str = "--words",
) -> list[LabelWord]:
    """Find the tokens of label words.

    Args:
        words: The word of each label.
        template: Says what stands before a word, on which its tokens depend.
        tokenizer: The model's.
        setting: What they were given as, for messages.

    Raises:
        UserError: If there are fewer than two, or two alike, or one that the tokenizer lacks.
    """
    found: list[LabelWord] = []
    for label, word in words.items():
        tokens = _tokens_of(word, template, tokenizer)
        if not tokens or tokenizer.vocabulary.unk_id in tokens:
            raise must(setting, "be words that the tokenizer knows", word, "Take another one.")
        for other in found:
            if other.tokens == tokens:
                got = f"{other.label}={other.word},{label}={word}"
                raise must(setting, "have one word for each label", got, "Take another one.")
        found.append(LabelWord(label, word, tokens))
    if len(found) < 2:
        raise must(setting, "name two labels or more", dict(words), WORDS)
    return found


def make_prompt(
    tokenizer: Tokenizer,
    template: Template,
    text: str = "",
    pair: str | None = None,
    *,
    room: int,
    rounds: Sequence[str] = (),
) -> Prompt:
    """Write a prompt: as many answered examples as fit, then the text, cut if it must be.

    Args:
        tokenizer: The model's.
        template: The sentence.
        text: The text; an empty one for calibration.
        pair: The second text.
        room: The most tokens, [CLS] and [SEP] not counted, the mask as one.
        rounds: Answered examples, one of each label a round.

    Raises:
        UserError: If not even the template fits.
    """
    for shots in range(len(rounds), 0, -1):
        ids = _ids(tokenizer, template, (text, pair), rounds[:shots])
        if len(ids) <= room:
            return _prompt(tokenizer, ids, shots=shots)
    texts, is_cut = (text, pair), False
    while len(ids := _ids(tokenizer, template, texts, ())) > room:
        if not any(texts):
            rule = f"have at most {room:,} tokens"
            raise must(template.setting, rule, len(ids), "Shorten it.")
        texts, is_cut = _cut(tokenizer, texts, len(ids) - room), True
    return _prompt(tokenizer, ids, is_cut=is_cut)


EXAMPLE = 'Write it as "{text} It was {mask}."'
WORDS = 'Write them as "pos=great,neg=bad".'

_Texts = tuple[str, str | None]


def _tokens_of(word: str, template: Template, tokenizer: Tokenizer) -> list[int]:
    """Give the tokens of a word in the blank: those that stand for its characters."""
    before, after = template.around(_ANY_TEXT, _ANY_TEXT)
    start = len(before)
    (tokens,) = tokenizer.encode_located([f"{before}{word}{after}"])
    stop = start + len(word)
    return [each.token_id for each in tokens if each.stop > start and each.start < stop]


def _ids(
    tokenizer: Tokenizer, template: Template, texts: _Texts, rounds: Sequence[str]
) -> list[int]:
    before, after = template.around(*texts)
    return tokenizer.encode_around_masks([" ".join([*rounds, before]), after])


def _prompt(
    tokenizer: Tokenizer, ids: list[int], *, shots: int = 0, is_cut: bool = False
) -> Prompt:
    return Prompt(ids, ids.index(tokenizer.vocabulary.mask_id), shots, is_cut)


def _cut(tokenizer: Tokenizer, texts: _Texts, surplus: int) -> _Texts:
    """Take tokens off the end of the longer text, one at least; of two as long, half of them."""
    written = [texts[0], texts[1] or ""]
    located = tokenizer.encode_located(written)
    which = int(len(located[1]) > len(located[0]))
    longer, shorter = len(located[which]), len(located[1 - which])
    kept = max(0, longer - surplus, min(shorter, longer - (surplus + 1) // 2))
    stop = located[which][kept].start if kept < longer else 0
    written[which] = written[which][:stop].rstrip()
    return written[0], None if texts[1] is None else written[1]
