"""The shapes that Hugging Face's weights must have for a configuration, before any is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count

from lit_roberta.errors import must
from lit_roberta.exchange.names import TIED, Family
from lit_roberta.exchange.tasks import Task, classifier_name, names_with_task
from lit_roberta.model.config import EncoderConfig

Shape = tuple[int, ...]


def check_shapes(
    shapes: Mapping[str, Shape],
    encoder: EncoderConfig,
    *,
    family: Family,
    pad_id: int,
    task: Task | None = None,
) -> None:
    """Refuse weights of other shapes than the configuration gives.

    Args:
        shapes: By Hugging Face's names without the trunk's prefix. Names that the family does not
            have are left to others.
        encoder: What the configuration says.
        family: Whose names.
        pad_id: RoBERTa has a row of positions for each id up to it.
        task: What the model was fine-tuned for.

    Raises:
        UserError: Names the weight and both shapes.
    """
    _require_layers(shapes, encoder.num_hidden_layers)
    kind = None if task is None else task.kind
    table = names_with_task(family, num_layers=encoder.num_hidden_layers, kind=kind).values()
    known = {name for parts in table for name in parts} | TIED[family].keys()
    classifier = None if task is None else classifier_name(task.kind, family)
    for name, shape in shapes.items():
        if name not in known:
            continue
        if task is not None and name.rpartition(".")[0] == classifier:
            task.check_rows(shape[0] if shape else 0)
            hidden = () if name.endswith(".bias") else (encoder.hidden_size,)
            wanted: Shape = (task.num_outputs, *hidden)
        else:
            padding_rows = pad_id + 1 if family == "roberta" else 0
            wanted = their_shape(name, encoder, padding_rows=padding_rows)
        if shape != wanted:
            remedy = f"By config.json it is {wanted}: the two are not of one model."
            raise must("the weights", f"hold {name} in the shape {wanted}", shape, remedy)


def _require_layers(names: Iterable[str], num_layers: int) -> None:
    """Refuse more layers than there are weights, before anything is made for each of them."""
    found = {name.split(".")[2] for name in names if name.startswith("encoder.layer.")}
    missing = next(number for number in count() if str(number) not in found)
    if missing < num_layers:
        remedy = f"By config.json there are {num_layers} layers: the two are not of one model."
        raise must("the weights", f"hold encoder.layer.{missing}", "none", remedy)


def their_shape(name: str, encoder: EncoderConfig, *, padding_rows: int) -> Shape:
    """Give the shape of a weight.

    Args:
        name: Hugging Face's, without the trunk's prefix.
        encoder: The sizes.
        padding_rows: Rows of the positions in front of those that are used.
    """
    hidden, inner = encoder.hidden_size, encoder.intermediate_size
    module, kind = name.rsplit(".", 1)
    outputs = {
        "embeddings.word_embeddings": encoder.vocab_size,
        "embeddings.position_embeddings": encoder.max_position_embeddings + padding_rows,
        "embeddings.token_type_embeddings": encoder.type_vocab_size,
        "cls.predictions": encoder.vocab_size,
        "cls.predictions.decoder": encoder.vocab_size,
        "cls.seq_relationship": 2,
        "lm_head": encoder.vocab_size,
        "lm_head.decoder": encoder.vocab_size,
    }
    is_inner = module.endswith("intermediate.dense")
    rows = outputs.get(module, inner if is_inner else hidden)
    if kind == "bias" or module.lower().endswith(("layernorm", "layer_norm")):
        return (rows,)
    reads_inner = module.endswith(".output.dense") and ".attention." not in module
    return rows, inner if reads_inner else hidden
