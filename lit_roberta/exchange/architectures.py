"""Which class of `transformers` a model becomes, and what of it has no place there.

In: a model. Out: the name of the class, the weights that it has a place for, and a line for each
that it has none for. Nothing is dropped without one, and nothing that would change what the model
computes is dropped at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.exchange.names import CLASS_PREFIXES, FAMILIES, Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.tasks import CLASSES, HEAD
from lit_roberta.exchange.weights import require_numbers, to_theirs
from lit_roberta.model.config import EncoderConfig

_SEGMENTS = "embeddings.segment.weight"
_POOLER = "next_sentence_head.pooler."
_CLASSIFIER = "next_sentence_head.classifier."
_MASKED_LM = "masked_lm_head."


@dataclass(frozen=True, kw_only=True)
class Home:
    """Where a model goes."""

    architecture: str
    """The class, such as RobertaForMaskedLM."""
    family: Family
    encoder: EncoderConfig
    weights: Mapping[str, Tensor]
    """Those that go there, by our names."""
    max_length: int
    """Tokens that a text may have: as many as the training's longest, where that is known."""
    second_segment: int
    """What the tokens of a pair's second text have for a segment."""
    keep_joining: bool
    """Whether pairs are joined as the source's own tokenizer does; training has ours."""
    notices: list[str]
    """What was left behind; a line each."""


def find_home(pretrained: Pretrained, family: Family | None = None) -> Home:
    """Choose the class that a model becomes.

    Args:
        pretrained: The model.
        family: BERT's or RoBERTa's; None for the model's own.

    Raises:
        UserError: If the model computes something that the family has no place for.
    """
    family = pretrained.family if family is None else family
    _require_exact(pretrained, family)
    _require_head(pretrained)
    architecture = _architecture(pretrained, family)
    encoder = pretrained.encoder
    if family == "roberta" and not pretrained.unused:
        encoder = replace(encoder, type_vocab_size=1)
    prefixes = _without_place(architecture)
    weights = {
        name: weight
        for name, weight in pretrained.weights.items()
        if not name.startswith(prefixes)
    }
    weights[_SEGMENTS] = weights[_SEGMENTS][: encoder.type_vocab_size].clone()
    return Home(
        architecture=architecture,
        family=family,
        encoder=encoder,
        weights=weights,
        max_length=pretrained.longest_text,
        second_segment=int(pretrained.family == "bert" and encoder.type_vocab_size > 1),
        keep_joining=pretrained.run is None,
        notices=list(_notices(pretrained, architecture, encoder)),
    )


def weights_at_home(home: Home, pretrained: Pretrained) -> dict[str, Tensor]:
    """Give the weights that the class reads, by its names.

    Raises:
        UserError: If one is not finite, as after a training that diverged.
    """
    theirs = to_theirs(
        home.weights,
        pretrained.unused,
        family=home.family,
        num_layers=home.encoder.num_hidden_layers,
        pad_id=pretrained.pad_id,
        task=None if pretrained.task is None else pretrained.task.kind,
    )
    require_numbers(theirs)
    if not home.architecture.endswith("Model"):
        return theirs
    return {name.removeprefix(f"{home.family}."): weight for name, weight in theirs.items()}


def _require_exact(pretrained: Pretrained, family: Family) -> None:
    if family not in FAMILIES:
        raise must("family", f"be one of {', '.join(FAMILIES)}", family, "Leave it out.")
    if family == "bert" or pretrained.family == "roberta":
        return
    remedy = "RoBERTa's classes would compute something else: leave it out, or give bert."
    if pretrained.has_next_sentence_head:
        rule = "be bert for a model with a next-sentence head"
        raise must("family", rule, family, remedy)
    if pretrained.encoder.type_vocab_size > 1:
        rule = "be bert for a model that tells two segments apart"
        raise must("family", rule, family, remedy)


def _require_head(pretrained: Pretrained) -> None:
    """See that a task has its head, with a label for each row."""
    task = pretrained.task
    if task is None:
        return
    bias = pretrained.weights.get(f"{HEAD}classifier.bias")
    if bias is None:
        remedy = "Fine-tune it, or leave the task out."
        raise must(f"a model of {task.kind}", "have the head of its task", None, remedy)
    task.check_rows(len(bias))


def _architecture(pretrained: Pretrained, family: Family) -> str:
    if pretrained.task is not None:
        return CLASS_PREFIXES[family] + CLASSES[pretrained.task.kind]
    if family == "roberta":
        return "RobertaForMaskedLM" if pretrained.has_masked_lm_head else "RobertaModel"
    judges_pairs = pretrained.has_next_sentence_head and pretrained.has_pooler
    if pretrained.has_masked_lm_head:
        return "BertForPreTraining" if judges_pairs else "BertForMaskedLM"
    return "BertForNextSentencePrediction" if judges_pairs else "BertModel"


def _without_place(architecture: str) -> tuple[str, ...]:
    """Name the parts of ours that a class has no place for, by how their weights begin."""
    if architecture.endswith(tuple(CLASSES.values())):
        return (_MASKED_LM, _CLASSIFIER, _POOLER)
    if architecture.endswith("ForMaskedLM"):
        return (_CLASSIFIER, _POOLER)
    return (_CLASSIFIER,) if architecture.endswith("Model") else ()


def _notices(pretrained: Pretrained, architecture: str, encoder: EncoderConfig) -> Iterator[str]:
    for prefix in _without_place(architecture):
        if any(name.startswith(prefix) for name in pretrained.weights):
            yield f"Left out: {prefix}*, which {architecture} has no place for."
    rows = pretrained.encoder.type_vocab_size
    if encoder.type_vocab_size < rows:
        which = "row 1" if rows == 2 else f"rows 1 to {rows - 1}"
        yield f"Left out: {which} of {_SEGMENTS}, as training saw no second segment."
    if architecture.startswith("Bert") and pretrained.unused:
        names = ", ".join(sorted(pretrained.unused))
        yield f"Left out: {names}, which have no effect and no place in {architecture}."
    longest, positions = pretrained.longest_text, pretrained.encoder.max_position_embeddings
    if longest < positions:
        why = "the longest of training" if pretrained.run else "as the one that came with it"
        yield f"The tokenizer cuts at {longest} tokens, {why}; there are {positions} positions."
    if architecture.endswith("Model") and not pretrained.has_pooler:
        yield (
            f"{architecture} has a pooler and this model has none: transformers will draw one, "
            "unless it is loaded with add_pooling_layer=False."
        )
