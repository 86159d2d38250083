"""Emulated integers: rounding, clipping, steps, and the products of training against exact ones."""

import numpy
import pytest
import torch

from wanderwort_train import log4, native
from wanderwort_train.operators import Fused, Reference
from wanderwort_train.quantization import Quantized, Quantizer, quantize_int8, quantize_rows
from wanderwort_train.weights import Weights


def test_rounding_is_to_even_and_clips():
    x = torch.tensor([[0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.4, 200.0, -300.0]])
    integers, inverse = quantize_rows(x, 1.0)
    assert integers.tolist() == [[0, 2, 2, 0, -2, 126, 127, 127, -127]]
    fused, fused_inverse = native.load("kernels").quantize_rows(x, 1.0)
    assert torch.equal(fused, integers) and torch.equal(fused_inverse, inverse)


def test_dynamic_rows_do_not_depend_on_their_neighbours():
    x = torch.randn(7, 48, generator=torch.Generator().manual_seed(1))
    x[3] = 0
    integers, inverse = quantize_rows(x, None)
    for row in range(7):
        alone, factor = quantize_rows(x[row : row + 1], None)
        assert torch.equal(alone[0], integers[row]) and torch.equal(factor[0], inverse[row])
    assert integers[3].abs().max() == 0 and inverse[3] == 1
    fused, fused_inverse = native.load("kernels").quantize_rows(x, 0.0)
    assert torch.equal(fused, integers) and torch.allclose(fused_inverse, inverse, rtol=1e-6)


def test_int8_weights():
    matrix = numpy.array([[1.0, -2.0], [0.25, 0.0]], numpy.float32)
    integers, multiplier = quantize_int8(matrix)
    assert multiplier == numpy.float32(63.5)
    assert integers.tolist() == [[64, -127], [16, 0]]
    assert quantize_int8(numpy.zeros((2, 2)))[0].tolist() == [[0, 0], [0, 0]]


def test_log4_levels_are_nearest():
    values = torch.linspace(-80, 80, 4001)
    every = torch.tensor(sorted({s * m for m in log4.MAGNITUDES for s in (-1, 1)}))
    nearest = (values[:, None] - every).abs().amin(1)
    assert torch.allclose((log4.levels(values) - values).abs(), nearest)


def test_log4_steps_are_close_to_the_best():
    matrix = torch.randn(300, 5, generator=torch.Generator().manual_seed(2)) * torch.tensor([1, 0.1, 5, 1e-4, 1])
    found = log4.steps(matrix, by_row=False)
    for column in range(5):
        w = matrix[:, column]
        tried = w.abs().max() / 63 * torch.logspace(-3, 0.3, 3000, base=10)
        errors = ((log4.levels(w / tried[:, None]) * tried[:, None] - w) ** 2).sum(1)
        own = ((log4.levels(w / found[column]) * found[column] - w) ** 2).sum()
        assert own <= errors.min() * 1.01


def test_log4_of_levels_is_itself():
    rng = numpy.random.default_rng(3)
    levels = rng.choice([0, 1, -1, 2, 4, -8, 16, 32, -63, 63], (200, 6))
    steps = numpy.array([0.1, 0.02, 1, 3, 0.5, 0.007], numpy.float32)
    found, found_steps = log4.quantize("encoder_l1_ffn_W1", levels * steps)
    assert numpy.array_equal(found, levels) and numpy.allclose(found_steps, steps, rtol=1e-5)


@pytest.mark.parametrize("kind", ["int8", "log4"])
@pytest.mark.parametrize("multiplier", [None, 40.0])
@pytest.mark.parametrize("transposed", [False, True])
def test_training_products_are_the_integer_products(kind, multiplier, transposed):
    name, shape = ("Wemb", (40, 64)) if transposed else ("a_W", (64, 40))
    weights = Weights({name: shape, "a_b": (1, 40)}, torch.device("cpu"), "float32", True)
    weights.initialize(4)
    make = Quantized.int8 if kind == "int8" else Quantized.log4
    exact = make(weights.arrays(), {name: multiplier} if multiplier else {})
    weight = weights[name]
    weight.quantizer = Quantizer(name, multiplier)
    weight.quantizer.step = torch.as_tensor(numpy.asarray(exact.steps[name]))
    weight.quantizer.levels = torch.from_numpy(exact.integers[name]).float()
    x = torch.randn(9, 64, generator=torch.Generator().manual_seed(5)) * 2
    integers, inverse = quantize_rows(x, multiplier)
    levels = weight.quantizer.levels.double()
    expected = integers.double() @ (levels.T if transposed else levels) * inverse * weight.quantizer.step

    class Context:
        pass

    context = Context()
    _, found = weight.quantizer.fused_product(context, x, weight.quantizer.levels, transposed)
    assert torch.allclose(found.double(), expected, rtol=1e-4, atol=1e-5)
    a = x.clone().requires_grad_()
    reference = weight.quantizer.product(a, weight.master, transposed)
    assert torch.allclose(reference.double(), expected, rtol=1e-4, atol=1e-4)
    dy = torch.randn(9, 40, generator=torch.Generator().manual_seed(6))
    reference.backward(dy)
    found_gradient = weight.quantizer.fused_backward(context, dy, transposed)
    assert torch.allclose(found_gradient, a.grad, rtol=1e-4, atol=1e-5)


def test_straight_through_reaches_the_float_weights():
    """Fused and plain training steps give the same gradient of a quantized layer."""
    gradients = []
    for operators in (Fused(), Reference()):
        weights = Weights({"a_W": (32, 16), "a_b": (1, 16)}, torch.device("cpu"), "float32", operators.fused)
        weights.initialize(7)
        exact = Quantized.int8(weights.arrays())
        weight = weights["a_W"]
        weight.quantizer = Quantizer("a_W", None)
        weight.quantizer.step = torch.as_tensor(numpy.asarray(exact.steps["a_W"]))
        weight.quantizer.levels = torch.from_numpy(exact.integers["a_W"]).float()
        if operators.fused:
            weight.active = weight.quantizer.levels
        x = torch.randn(5, 32, generator=torch.Generator().manual_seed(8)).requires_grad_()
        operators.linear(x, weight, weights["a_b"], relu=True).square().sum().backward()
        gradients.append((x.grad.clone(), weight.gradient.clone(), weights["a_b"].gradient.clone()))
    for a, b in zip(*gradients):
        assert torch.allclose(a, b, rtol=1e-3, atol=1e-4)
