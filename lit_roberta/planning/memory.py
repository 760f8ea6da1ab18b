"""How much memory a run needs, from the sizes of the encoder and of a micro-batch.

In: sizes. Out: bytes. The formula counts what the autograd graph of this encoder keeps; a test
compares it, tensor by tensor, with what torch keeps, and another with the resident memory of runs.

Per parameter there are 4 bytes of weight, 4 of gradient and 8 of Adam's moments. A micro-batch of
`T` tokens, of which the heads read `S` slots and predict `P`, keeps in numbers (width h, inner
width i, a heads, sequences of s tokens, V words)::

    embeddings     T (2h + h*)
    lower layers   T (8h + 2i + 2h* + 3as**)      each
    last layer     T 2h + S (7h + 2i + 2h* + 3as**)
    masked-LM head P (3h + V)

`*` with hidden dropout; `**` with attention dropout on a CPU, elsewhere attention is fused and
keeps no weights. While the loss is computed there are the `P V` logits besides.
"""

from __future__ import annotations

from dataclasses import dataclass

from lit_roberta.model.config import EncoderConfig

_WEIGHT = 4
_GRADIENT = 4
_MOMENTS = 8
_SINGLE = 4
"""Bytes of a number in single precision."""


@dataclass(frozen=True, kw_only=True)
class MicroBatch:
    """What a device holds at once, at the most."""

    sequences: int
    seq: int
    """Tokens of the longest sequence, special tokens included."""
    predicted: int
    """Tokens to predict in a sequence."""

    @property
    def tokens(self) -> int:
        """Tokens, padding included."""
        return self.sequences * self.seq

    @property
    def slots(self) -> int:
        """What the heads read: the tokens to predict, and `[CLS]`."""
        return self.sequences * (self.predicted + 1)


@dataclass(frozen=True, kw_only=True)
class Numerics:
    """How numbers are held on a device."""

    fused_attention: bool = False
    """Whether attention with dropout keeps no weights, as on CUDA."""
    value_bytes: int = _SINGLE
    """Of a number that the graph keeps: 4; 2 in mixed precision."""
    mask_bytes: int = _SINGLE
    """Of an element's dropout: 4 on a CPU, where it is a factor; 1 on CUDA, where it is a bit."""


CPU = Numerics()


@dataclass(frozen=True, kw_only=True)
class MemoryEstimate:
    """What a run needs at its peak, besides the program itself. Bytes."""

    weights: int
    gradients: int
    moments: int
    activations: int
    """What one micro-batch of training keeps, and the logits."""
    validation: int
    """What one batch of a validation takes."""
    peak: int
    """The most at one time."""


def estimate_memory(
    encoder: EncoderConfig,
    *,
    num_parameters: int,
    training: MicroBatch,
    is_cut: bool,
    validation: MicroBatch,
    numerics: Numerics = CPU,
) -> MemoryEstimate:
    """Estimate what a run needs at its peak.

    Args:
        encoder: Sizes and dropout rates.
        num_parameters: Of the whole model.
        training: The largest micro-batch.
        is_cut: Whether an update has several micro-batches. Then gradients are there while the
            graph of the next one grows; with only one they take the place of a graph that
            shrinks.
        validation: A batch of validation.
        numerics: How numbers are held.
    """
    weights, gradients = _WEIGHT * num_parameters, _GRADIENT * num_parameters
    moments = _MOMENTS * num_parameters
    activations = activation_bytes(encoder, training, numerics) + _logits(encoder, training)
    scoring = _scoring_bytes(encoder, validation, numerics)
    growing = gradients + activations if is_cut else max(gradients, activations)
    return MemoryEstimate(
        weights=weights,
        gradients=gradients,
        moments=moments,
        activations=activations,
        validation=scoring,
        peak=weights + moments + max(growing, gradients + scoring),
    )


def activation_bytes(encoder: EncoderConfig, batch: MicroBatch, numerics: Numerics = CPU) -> int:
    """Count what the graph of one micro-batch keeps for the backward pass, in bytes."""
    hidden, inner = encoder.hidden_size, encoder.intermediate_size
    value = numerics.value_bytes
    dropped = numerics.mask_bytes * hidden * (encoder.hidden_dropout_prob > 0)
    weights = _attention_bytes(encoder, batch.seq, numerics)
    embeddings = batch.tokens * (2 * hidden * value + dropped)
    lower = batch.tokens * ((8 * hidden + 2 * inner) * value + 2 * dropped + weights)
    last = batch.tokens * 2 * hidden * value
    last += batch.slots * ((7 * hidden + 2 * inner) * value + 2 * dropped + weights)
    head = batch.sequences * batch.predicted * 3 * hidden * value + _logits(encoder, batch)
    return embeddings + (encoder.num_hidden_layers - 1) * lower + last + head


def _attention_bytes(encoder: EncoderConfig, seq: int, numerics: Numerics) -> int:
    """Count what attention keeps for each position that reads, beyond its inputs and outputs."""
    if numerics.fused_attention or encoder.attention_probs_dropout_prob == 0:
        return 0
    heads = encoder.num_attention_heads
    return heads * seq * (2 * numerics.value_bytes + numerics.mask_bytes)


def _logits(encoder: EncoderConfig, batch: MicroBatch) -> int:
    """Count the logits, or as many probabilities: in single precision, whatever the precision."""
    return _SINGLE * batch.sequences * batch.predicted * encoder.vocab_size


def _scoring_bytes(encoder: EncoderConfig, batch: MicroBatch, numerics: Numerics) -> int:
    """Count the most that scoring one batch takes: the widest place of a layer, or the logits."""
    hidden, inner = encoder.hidden_size, encoder.intermediate_size
    layer = numerics.value_bytes * batch.tokens * (2 * hidden + max(7 * hidden, 2 * inner))
    head = 2 * _logits(encoder, batch) + numerics.value_bytes * batch.tokens * hidden
    return max(layer, head)
