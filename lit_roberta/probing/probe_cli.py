"""`lit-roberta probe MODEL --minimal-pairs`, ...: what an encoder knows without fine-tuning."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from jsonargparse import ArgumentParser, Namespace

from lit_roberta.command_line import read_attribute_docstrings
from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.inference.arguments import model_of, model_parser
from lit_roberta.inference.cloze import Template, read_words, split_words
from lit_roberta.inference.encoding import Pooling
from lit_roberta.inference.pipes import Command, to_json, write_line
from lit_roberta.inference.scoring import WithinWord
from lit_roberta.probing.labelled import read_labelled
from lit_roberta.probing.linear import judge_linear
from lit_roberta.probing.minimal_pairs import judge_minimal_pairs
from lit_roberta.probing.pairs import built_in_pairs, read_pairs
from lit_roberta.probing.similarity import judge_similarity, read_similar
from lit_roberta.probing.telling import (
    tell_linear,
    tell_minimal_pairs,
    tell_similarity,
    tell_zero_shot,
)
from lit_roberta.probing.zero_shot import judge_zero_shot

_BUILT_IN = "built-in"


class _Found(NamedTuple):
    values: dict[str, Any]
    lines: Iterable[str]


def _parse(words: Sequence[str]) -> Namespace:
    read_attribute_docstrings(wanted="--help" in words or "-h" in words)
    parser = model_parser(
        "probe", "Say what an encoder knows without fine-tuning, by one of four judges."
    )
    parser.add_argument(
        "--minimal-pairs",
        metavar="FILE",
        nargs="?",
        const=_BUILT_IN,
        type=str,
        help="How often a good sentence is found more likely than a bad one: of the package's own "
        "pairs, or of a file with sentence_good and sentence_bad as columns, or with two "
        "sentences a line and a tab between them.",
    )
    for name, what in (
        ("zero-shot", "How many labels a cloze gets right: --template and --words."),
        ("linear", "How many labels logistic regression reads off frozen vectors."),
        ("similarity", "How cosines of pairs of texts go along with numbers."),
    ):
        parser.add_argument(f"--{name}", action="store_true", help=what)
    _add_texts(parser)
    _add_settings(parser)
    parser.add_argument("--json", action="store_true", help="Print one line of JSON.")
    return parser.parse_args(list(words))


def _add_texts(parser: ArgumentParser) -> None:
    """Add where labelled texts lie, and how they are read."""
    parser.add_argument(
        "--data",
        type=str | None,
        help="Labelled texts, as for fine-tuning; for --similarity also STS-B's folder.",
    )
    parser.add_argument(
        "--test",
        type=str | None,
        help="With --linear: texts to judge it on; without, a fifth of --data.",
    )
    parser.add_argument(
        "--examples", type=str | None, help="With --shots: labelled texts that are shown answered."
    )
    parser.add_class_arguments(LabelledReading, "reading")


def _add_settings(parser: ArgumentParser) -> None:
    """Add what the judges can be told."""
    parser.add_argument(
        "--template", type=str | None, help='With --zero-shot: as "{text} It was {mask}."'
    )
    parser.add_argument(
        "--words", type=str | None, help='With --zero-shot: as "pos=great,neg=bad".'
    )
    parser.add_argument(
        "--shots", type=int, default=0, help="With --zero-shot: answered examples of each label."
    )
    parser.add_argument(
        "--pooling",
        type=Pooling,
        default="mean",
        help="With --linear and --similarity: one vector a text, mean or cls.",
    )
    parser.add_argument(
        "--layer", type=int, default=-1, help="Of these vectors: 0 the embeddings, -1 the last."
    )
    parser.add_argument(
        "--within-word",
        type=WithinWord,
        default="left-to-right",
        help="With --minimal-pairs: what a token's prediction sees of the rest of its word.",
    )


def _probe(asked: Namespace) -> None:
    chosen = [name for name in _JUDGES if getattr(asked, name) not in (None, False)]
    if len(chosen) != 1:
        options = ", ".join(_option(name) for name in _JUDGES)
        got = " ".join(map(_option, chosen)) or "none"
        raise must("the probe", f"be one of {options}", got, "Choose one.")
    _refuse_unread(asked, chosen[0])
    judge, _ = _JUDGES[chosen[0]]
    try:
        found = judge(asked)
    except UserError as error:
        # The same settings lie elsewhere in fine-tuning, which messages name.
        raise UserError(str(error).replace("data.reading.", "reading.")) from error
    for line in [to_json(found.values)] if asked.json else found.lines:
        write_line(line)


main = Command(_parse, _probe)


def _minimal_pairs(asked: Namespace) -> _Found:
    source = asked.minimal_pairs
    pairs = built_in_pairs() if source == _BUILT_IN else read_pairs(source)
    model = model_of(asked, predicts=True)
    scores = judge_minimal_pairs(model, pairs, within_word=asked.within_word)
    if scores.overall is None:
        rule = "have a pair that the model has all the words of, and room for"
        raise must("--minimal-pairs", rule, source, "Give pairs in the language of its text.")
    return _Found(scores.as_json(), tell_minimal_pairs(scores))


def _zero_shot(asked: Namespace) -> _Found:
    for name, how in (("template", '"{text} It was {mask}."'), ("words", '"pos=great,neg=bad"')):
        if getattr(asked, name) is None:
            raise must(f"--{name}", "be given with --zero-shot", None, f"Write it as {how}.")
    if (asked.shots > 0) != (asked.examples is not None) or asked.shots < 0:
        raise must("--shots", "be 1 or more with --examples", asked.shots, "Or leave out both.")
    template, words = Template(asked.template), split_words(asked.words)
    examples = read_labelled(_data(asked), _reading(asked))
    answered = read_labelled(asked.examples, _reading(asked)) if asked.examples else []
    model = model_of(asked, predicts=True)
    scores = judge_zero_shot(
        model,
        examples,
        template=template,
        words=read_words(words, template, model.tokenizer),
        answered=answered,
        shots=asked.shots,
    )
    return _Found(scores.as_json(), tell_zero_shot(scores))


def _linear(asked: Namespace) -> _Found:
    examples = read_labelled(_data(asked), _reading(asked))
    test = read_labelled(asked.test, _reading(asked)) if asked.test else None
    scores = judge_linear(model_of(asked), examples, test=test, **_vectors(asked))
    return _Found(scores.as_json(), tell_linear(scores))


def _similarity(asked: Namespace) -> _Found:
    examples = read_similar(_data(asked), _reading(asked))
    scores = judge_similarity(model_of(asked), examples, **_vectors(asked))
    return _Found({**scores, "pairs": len(examples)}, tell_similarity(scores, len(examples)))


_JUDGES: dict[str, tuple[Callable[[Namespace], _Found], tuple[str, ...]]] = {
    "minimal_pairs": (_minimal_pairs, ("within_word",)),
    "zero_shot": (_zero_shot, ("data", "examples", "template", "words", "shots")),
    "linear": (_linear, ("data", "test", "pooling", "layer", "on_too_long")),
    "similarity": (_similarity, ("data", "pooling", "layer", "on_too_long")),
}
"""By option: what it does, and the options that it reads."""

_DEFAULTS: dict[str, object] = {
    "within_word": "left-to-right",
    "shots": 0,
    "pooling": "mean",
    "layer": -1,
    "on_too_long": "truncate",
}


def _refuse_unread(asked: Namespace, chosen: str) -> None:
    """Refuse an option that the chosen judge would ignore."""
    _, read = _JUDGES[chosen]
    for name in dict.fromkeys(name for _, names in _JUDGES.values() for name in names):
        value = getattr(asked, name)
        if name not in read and value != _DEFAULTS.get(name):
            owners = [_option(each) for each, (_, names) in _JUDGES.items() if name in names]
            raise must(_option(name), f"be left out but for {' and '.join(owners)}", value, _NOT)


_NOT = "It would do nothing here."


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _data(asked: Namespace) -> str:
    if asked.data is None:
        raise must("--data", "name the labelled texts", None, "Give --data FILE.")
    source: str = asked.data
    return source


def _reading(asked: Namespace) -> LabelledReading:
    return LabelledReading(**vars(asked.reading))


def _vectors(asked: Namespace) -> dict[str, Any]:
    return {
        "pooling": asked.pooling,
        "layer": asked.layer,
        "on_too_long": asked.on_too_long,
    }
