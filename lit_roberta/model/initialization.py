"""Initial weights, each drawn from the seed and the parameter's own name.

No generator runs through the model from front to back, so a part that is added or left out (a
next-sentence head, a layer) does not move the weights of the others, and two recipes that are
compared under one seed start from the same encoder.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from lit_roberta.randomness import Purpose, name_number, random_bits


@torch.no_grad()
def draw_initial_weights(model: nn.Module, *, std: float, seed: int) -> None:
    """Set every parameter of a model to its initial value.

    Matrices are normal with mean 0, biases 0, layer norms the identity, as in RoBERTa and in
    Hugging Face's BERT. (Google's BERT cuts the same normal off at two standard deviations.)

    Args:
        model: Changed in place. Its embeddings, linear layers and layer norms are set; a parameter
            outside of these keeps the value that its module gave it.
        std: Standard deviation of the weights.
        seed: The run's seed.
    """
    for path, module in model.named_modules():
        if isinstance(module, nn.LayerNorm):
            module.reset_parameters()
        elif isinstance(module, nn.Linear | nn.Embedding):
            _draw(module.weight, name=f"{path}.weight", std=std, seed=seed)
        if isinstance(module, nn.Linear) and module.bias is not None:
            module.bias.zero_()


def _draw(parameter: Tensor, *, name: str, std: float, seed: int) -> None:
    """Draw on the CPU and in single precision, so that device and precision change nothing."""
    bits = random_bits(seed, Purpose.INITIAL_WEIGHTS, name_number(name))
    generator = torch.Generator().manual_seed(int(bits))
    values = torch.empty(parameter.shape, device="cpu", dtype=torch.float32)
    parameter.copy_(values.normal_(std=std, generator=generator))
