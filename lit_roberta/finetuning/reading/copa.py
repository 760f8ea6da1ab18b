"""COPA: what caused a thing, or came of it. Its wording, and its own XML.

Source: Roemmele et al. 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.reading.right_choice import choice_example, label_place

_LABEL = "most-plausible-alternative"
_WORDS = {"cause": "because", "effect": "so"}


def copa_choices(
    premise: str, question: str, choices: Sequence[str], *, place: str
) -> list[tuple[str, str | None]]:
    """Put a question into words: the premise with because or so, beside each choice.

    Args:
        premise: What is so.
        question: cause or effect.
        choices: Sentences.
        place: Where it stands.

    Raises:
        UserError: If it asks for something else.

    Example:
        >>> copa_choices("It rained.", "effect", ["The grass grew."], place="a file, line 1")
        [('It rained so', 'The grass grew.')]
    """
    if question not in _WORDS:
        raise must(f"the question at {place}", "be cause or effect", question, "Repair the row.")
    first = f"{premise.strip().removesuffix('.')} {_WORDS[question]}"
    return [(first, choice) for choice in choices]


def read_copa_xml(path: Path) -> list[ChoiceExample]:
    """Read the XML that COPA is published as. No entity and no other file is looked up.

    Raises:
        UserError: If it is no such file. Names the item.
    """
    if not path.is_file():
        raise must("the file of examples", "exist", str(path), "Give the path of one.")
    try:
        root = ElementTree.fromstring(path.read_bytes())
    except ElementTree.ParseError as error:
        raise UserError(
            f"{path} must be valid XML, and is not: {error}. Download it once more."
        ) from error
    return [_item(each, f"{path}, item {each.get('id')}") for each in root.iter("item")]


def _item(item: ElementTree.Element, place: str) -> ChoiceExample:
    label = label_place(item.get(_LABEL), _LABEL, place)
    texts = [_text(item, name, place) for name in ("p", "a1", "a2")]
    choices = copa_choices(texts[0], item.get("asks-for", ""), texts[1:], place=place)
    return choice_example(choices, None if label is None else label - 1, place)


def _text(item: ElementTree.Element, name: str, place: str) -> str:
    text = (item.findtext(name) or "").strip()
    if not text:
        raise must(f"{place},", f"have a text <{name}>", text, "Repair the item.")
    return text
