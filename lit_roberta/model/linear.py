"""The linear layer, with a faster matrix product where this torch has one.

On CPUs, torch multiplies single-precision matrices with MKL. The oneDNN library, which comes with
the same torch for lower precisions, is 10 to 15% faster at it on an AMD EPYC with AVX-512 (108
GFLOP/s a core against 96), and a whole update is then 5% shorter. On an Intel Xeon it is the other
way round (128 against 166 at its worst, and never faster), so that it is asked on AMD's alone, and
for large matrices only, as its first product of a shape costs half a millisecond. On other
devices, in other precisions, under autocast and in a compiled model, this is `torch.nn.Linear` and
nothing else.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from lit_roberta.machine import maker_of_cpu

_is_amd = maker_of_cpu() == "AuthenticAMD"
_onednn_product = getattr(torch.ops.mkldnn, "_linear_pointwise", None)

_LARGE = 2**17
"""Entries that a weight matrix has at the least to be worth it: 256 x 512."""


class Linear(nn.Linear):
    """`torch.nn.Linear` in its parameters and in its result."""

    def forward(self, values: Float[Tensor, "*rows inputs"]) -> Float[Tensor, "*rows outputs"]:
        """Compute xW^T + b."""
        return linear(values, self.weight, self.bias)


def linear(
    values: Float[Tensor, "*rows inputs"],
    weight: Float[Tensor, "outputs inputs"],
    bias: Float[Tensor, " outputs"],
) -> Float[Tensor, "*rows outputs"]:
    """Compute xW^T + b, as `torch.nn.functional.linear` does."""
    if _onednn_is_faster(values, weight):
        output: Tensor = _OneDNNLinear.apply(values, weight, bias)  # type: ignore[no-untyped-call]
        return output
    return F.linear(values, weight, bias)


class _OneDNNLinear(torch.autograd.Function):
    """oneDNN's product, with the derivatives that torch has not registered for it."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(values, weight)
        return _multiply(values, weight, bias)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values, weight = ctx.saved_tensors
        rows = gradient.flatten(0, -2)
        of_weight = rows.T @ values.flatten(0, -2)  # in this shape MKL is as fast
        return _multiply(gradient, weight.T, None), of_weight, rows.sum(dim=0)


def _multiply(values: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    assert _onednn_product is not None
    product: Tensor = _onednn_product(values, weight, bias, "none", [], "")
    return product


def _onednn_is_faster(values: Tensor, weight: Tensor) -> bool:
    return (
        _is_amd
        and _onednn_product is not None
        and weight.numel() >= _LARGE
        and values.numel() > 0
        and values.device.type == "cpu"
        and values.dtype == weight.dtype == torch.float32
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()
    )
