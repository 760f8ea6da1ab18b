"""Which weights stay as they were pretrained."""

from __future__ import annotations

from typing import Literal

from lit_roberta.errors import must
from lit_roberta.finetuning.tasks.base import TunedModel

Freeze = Literal["nothing", "embeddings", "encoder"]


def freeze_weights(model: TunedModel, what: Freeze | int) -> None:
    """Keep weights from being trained; the head always is, but for what it shares with embeddings.

    Args:
        model: Changed in place.
        what: The embeddings, all of the encoder, or the embeddings and so many layers from below.

    Raises:
        UserError: If there are not so many layers.
    """
    depth = model.config.num_hidden_layers
    if isinstance(what, int) and not 0 <= what <= depth:
        raise must("model.freeze", f"be a number of layers up to {depth}", what, "0: embeddings.")
    if what == "nothing":
        return
    model.embeddings.requires_grad_(False)
    layers = {"embeddings": 0, "encoder": depth}.get(str(what), what)
    for layer in list(model.encoder.layers)[: int(layers)]:
        layer.requires_grad_(False)
