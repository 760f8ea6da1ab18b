"""Rules that neither the data nor the model can check alone, checked before either is built."""

from __future__ import annotations

from jsonargparse import Namespace

from lit_roberta.data.examples.packing import PAIR_FORMATS
from lit_roberta.errors import must


def check_fields_together(data: Namespace, model: Namespace) -> None:
    """Check the settings of the text against those of the model.

    Args:
        data: The data module's settings, as parsed.
        model: The module's settings, as parsed.

    Raises:
        UserError: If next-sentence prediction has no pairs, a pair no segment for its B, or an
            example no room in the encoder.
    """
    if model.next_sentence and data.format not in PAIR_FORMATS:
        pairs = " or ".join(sorted(PAIR_FORMATS))
        remedy = "Next-sentence prediction needs two texts; else set model.next_sentence false."
        raise must("data.format", f"be {pairs}", data.format, remedy)
    segments = model.encoder.type_vocab_size
    if data.format in PAIR_FORMATS and segments < 2:
        remedy = f"A pair ({data.format}) has two segments."
        raise must("model.encoder.type_vocab_size", "be 2 or more", segments, remedy)
    longest = model.encoder.max_position_embeddings
    if data.max_length > longest:
        remedy = "Shorten the examples, or raise model.encoder.max_position_embeddings."
        if model.pretrained is not None:
            remedy = f"Shorten the examples, or give --model.extend_positions {data.max_length}."
        raise must("data.max_length", f"be at most {longest}", data.max_length, remedy)
