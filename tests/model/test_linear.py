from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lit_roberta.model import linear as module
from lit_roberta.model.linear import Linear, linear

LARGE = 512, 256
SMALL = 32, 16


@pytest.fixture(autouse=True, params=[False, True], ids=["torch", "onednn"])
def _as_on_either_processor(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Multiply as on AMD's processors and as on others, whichever this one is."""
    monkeypatch.setattr(module, "_is_amd", request.param)


def operands(shape: tuple[int, int], rows: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    outputs, inputs = shape
    values = torch.randn(*rows, inputs, generator=generator)
    weight = torch.randn(outputs, inputs, generator=generator) / inputs**0.5
    bias = torch.randn(outputs, generator=generator)
    return values.requires_grad_(), weight.requires_grad_(), bias.requires_grad_()


@pytest.mark.parametrize("rows", [(7,), (3, 5), (2, 3, 4)])
@pytest.mark.parametrize("shape", [LARGE, LARGE[::-1], SMALL])
def test_results_and_gradients_are_those_of_torch(
    shape: tuple[int, int], rows: tuple[int, ...]
) -> None:
    given = operands(shape, rows)
    ours, theirs = linear(*given), F.linear(*given)
    assert_close(ours, theirs)
    weighting = torch.randn(ours.shape, generator=torch.Generator().manual_seed(1))
    for mine, reference in zip(
        torch.autograd.grad(ours, given, weighting),
        torch.autograd.grad(theirs, given, weighting),
        strict=True,
    ):
        assert_close(mine, reference, rtol=1e-5, atol=1e-5)


def test_strided_operands_are_served() -> None:
    values, weight, bias = operands((1024, 256), (3, 5))
    part = weight[512:], bias[512:]
    assert_close(linear(values[:, 1:], *part), F.linear(values[:, 1:], *part))
    turned = values.transpose(0, 1)
    assert_close(linear(turned, weight, bias), F.linear(turned, weight, bias))


def test_no_rows_give_no_rows() -> None:
    assert linear(*operands(LARGE, (2, 0))).shape == (2, 0, 512)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_precisions_are_kept(dtype: torch.dtype) -> None:
    given = [operand.to(dtype) for operand in operands(LARGE, (5,))]
    assert torch.equal(linear(*given), F.linear(*given))


def test_autocast_is_obeyed() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert linear(*operands(LARGE, (5,))).dtype == torch.bfloat16


def test_the_result_does_not_depend_on_the_number_of_threads() -> None:
    threads, given = torch.get_num_threads(), operands(LARGE, (64,))
    try:
        results = []
        for count in (1, 2):
            torch.set_num_threads(count)
            results.append(linear(*given))
    finally:
        torch.set_num_threads(threads)
    assert_close(*results)


def test_the_module_has_the_parameters_of_torchs() -> None:
    ours, reference = Linear(256, 512), torch.nn.Linear(256, 512)
    reference.load_state_dict(ours.state_dict())
    values = torch.randn(3, 256)
    assert isinstance(ours, torch.nn.Linear)
    assert_close(ours(values), reference(values))
