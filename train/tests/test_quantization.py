"""Emulated integers: rounding, clipping, steps, and the products of training against exact ones."""

from types import SimpleNamespace

import numpy
import pytest
import torch

from wanderwort_train import log4, native, uniform
from wanderwort_train.config import Package, QuantizationTuning
from wanderwort_train.errors import TrainingError
from wanderwort_train.operators import Fused, Reference
from wanderwort_train.quantization import Quantized, Quantizer, quantize_int8, quantize_int8_outputs, quantize_rows
from wanderwort_train.tune import Renewal
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


def test_int8_outputs_have_steps_of_their_own():
    matrix = numpy.array([[1.0, -200.0, 0.0], [0.25, 50.0, 0.0]], numpy.float32)
    integers, steps = quantize_int8_outputs("a_W", matrix)
    assert integers.tolist() == [[127, -127, 0], [32, 32, 0]]
    assert numpy.allclose(steps, [1 / 127, 200 / 127, 1])
    words, worth = quantize_int8_outputs("Wemb", matrix.T)
    assert (words == integers.T).all() and (worth == steps).all()


def test_log4_levels_are_nearest():
    values = torch.linspace(-80, 80, 4001)[:, None]
    every = torch.tensor(sorted({s * m for m in log4.MAGNITUDES for s in (-1, 1)})).float()
    nearest = (values - every).abs().amin(1)
    found = log4.levels(values, torch.tensor(1.0), by_row=False)
    assert torch.allclose((found - values)[:, 0].abs(), nearest)
    # Half way, the smaller level.
    ties = torch.tensor([[0.5, 1.5, 3.0, -6.0, 47.5]])
    assert log4.levels(ties, torch.tensor(1.0), by_row=False).tolist() == [[0, 1, 2, -4, 32]]


@pytest.mark.parametrize("by_row", [None, False, True])
def test_log4_levels_change_where_two_are_equally_near(by_row):
    """To the bit, also where the bound is no float."""
    steps = torch.tensor([0.1, 0.3, 1e-3, 0.7, 3.3]).float()
    every = torch.from_numpy(log4.MAGNITUDES)
    if by_row is None:
        steps = steps[:1]
    exact = (steps.double()[:, None] * every[:-1] + steps.double()[:, None] * every[1:]) / 2
    near = exact.float()
    below, above = near.nextafter(torch.zeros(())), near.nextafter(torch.tensor(torch.inf))
    values = torch.cat([below, near, above], 1)
    expected = torch.gather(every.expand(len(steps), -1), 1, (values.double()[:, :, None] > exact[:, None]).sum(2))
    assert expected.unique().tolist() == every.tolist()
    step = steps[0] if by_row is None else steps
    found = log4.levels(values if by_row in (None, True) else values.T.contiguous(), step, bool(by_row))
    assert torch.equal(found if by_row in (None, True) else found.T, expected.float())


@pytest.mark.parametrize("granularity", ["matrix", "column"])
def test_values_within_given_levels(granularity):
    """Each has the level that is asked for, with room to it, and those that had it before stay nearly what they were."""
    rng = numpy.random.default_rng(4)
    array = rng.normal(size=(300, 8)).astype(numpy.float32)
    own, step = log4.quantize("encoder_l1_ffn_W1", array, granularity)
    index = numpy.searchsorted(log4.MAGNITUDES, numpy.abs(own)) + rng.choice([-1, *[0] * 28, 1], own.shape)
    wanted = numpy.sign(array) * log4.MAGNITUDES[index.clip(0, 7)]
    moved = log4.nearest_within(array, wanted, step, False)
    assert moved.dtype == numpy.float32
    for each in (step * numpy.float32(0.97), step, step * numpy.float32(1.03)):
        assert numpy.array_equal(log4.levels(torch.from_numpy(moved), torch.as_tensor(each), False).numpy(), wanted)
    far = numpy.abs(moved - array) / step
    assert far[wanted != own].min() > 0 and (far[wanted == own] < 0.08 * numpy.abs(wanted[wanted == own]) + 0.03).all()
    words = log4.nearest_within(array.T, wanted.T, step, True)
    assert numpy.array_equal(words, moved.T)


@pytest.mark.parametrize("granularity", ["matrix", "column"])
def test_log4_steps_are_close_to_the_best(granularity):
    matrix = numpy.random.default_rng(2).normal(size=(2000, 4)).astype(numpy.float32) * [1, 0.1, 5, 1e-4]
    found = log4.steps(matrix, by_row=False, granularity=granularity)
    assert found.shape == (() if granularity == "matrix" else (4,))
    groups = [matrix] if granularity == "matrix" else list(matrix.T)
    for w, own in zip(groups, numpy.atleast_1d(found)):
        w = torch.from_numpy(w.astype(numpy.float32).ravel())[:, None]

        def error(step):
            return float(((log4.levels(w, torch.tensor(step), False) * step - w) ** 2).sum())

        tried = [float(w.abs().max()) / 63 * 10**exponent for exponent in numpy.linspace(-1.5, 0.3, 400)]
        assert error(own) <= min(map(error, tried)) * 1.002


@pytest.mark.parametrize("granularity", ["matrix", "column"])
def test_log4_of_levels_is_itself(granularity):
    rng = numpy.random.default_rng(3)
    levels = rng.choice([0, 1, -1, 2, 4, -8, 16, 32, -63, 63], (200, 6))
    steps = numpy.array([0.1, 0.02, 1, 3, 0.5, 0.007] if granularity == "column" else 0.02, numpy.float32)
    found, found_steps = log4.quantize("encoder_l1_ffn_W1", levels * steps, granularity)
    assert numpy.array_equal(found, levels) and numpy.allclose(found_steps, steps, rtol=1e-5)


def test_equal_steps():
    steps = uniform.Steps("uniform+step=0.5,Wemb=uniform,l2_=log4,l3_=uniform+step=0.1")
    assert [steps.share(name) for name in ("encoder_l1_W1", "Wemb", "encoder_l2_W1", "decoder_l3_W1")] == [0.5, 0.25, None, 0.1]
    matrix = numpy.array([[1.0, -1.0], [0.2, 1.4]])
    integers, step = steps.quantize("a_W", matrix)
    assert step == pytest.approx(0.5), "the root mean square is 1"
    assert numpy.array_equal(integers, numpy.rint(matrix / step))
    matrix[0, 0] = 1000
    padded = numpy.pad(matrix, ((0, 98), (0, 98)))
    padded[5, 7] = 20
    for name, oriented in (("decoder_l3_W1", padded), ("Wemb", padded.T)):
        integers, found = steps.quantize(name, oriented)
        assert integers[0, 0] == 63 and found[0] == pytest.approx(1000 / 63), "single large weights are not clipped"
        step = steps.share(name) * numpy.sqrt(numpy.square(padded).mean())
        assert found[1:] == pytest.approx(step), "and spoil no other output"
        assert integers.max() == 63 and abs(integers[(5, 7) if name != "Wemb" else (7, 5)] * step - 20) <= step / 2
    integers, step = steps.quantize("a_W", numpy.zeros((3, 0)))
    assert integers.shape == (3, 0) and step == 1
    for wrong in ("uniform+step=", "uniform+step=0", "uniform+width=1"):
        with pytest.raises(TrainingError, match="step=NUMBER"):
            uniform.Steps(wrong).share("a_W")


def test_log4_of_nothing():
    found, step = log4.quantize("encoder_l1_self_Wq", numpy.zeros((4, 4)), "matrix")
    assert not found.any() and step > 0
    assert log4.quantize("encoder_l1_self_Wq", numpy.zeros((4, 0)), "matrix")[0].shape == (4, 0)


@pytest.mark.parametrize("kind", ["int8", "log4", "uniform"])
@pytest.mark.parametrize("multiplier", [None, 40.0])
@pytest.mark.parametrize("transposed", [False, True])
def test_training_products_are_the_integer_products(kind, multiplier, transposed):
    name, shape = ("Wemb", (40, 64)) if transposed else ("a_W", (64, 40))
    weights = Weights({name: shape, "a_b": (1, 40)}, torch.device("cpu"), "float32", True)
    weights.initialize(4)
    multipliers = {name: multiplier} if multiplier else {}
    if kind == "uniform":
        weights[name].master.data[3, 5] = 20
        exact = Quantized.uniform(weights.arrays(), multipliers, uniform.Steps("uniform+step=0.3"))
    else:
        exact = getattr(Quantized, kind)(weights.arrays(), multipliers)
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
    _, found = weight.quantizer.fused_product(context, x, transposed)
    assert torch.allclose(found.double(), expected, rtol=1e-4, atol=1e-5)
    a = x.clone().requires_grad_()
    reference = weight.quantizer.product(a, weight.master, transposed)
    assert torch.allclose(reference.double(), expected, rtol=1e-4, atol=1e-4)
    dy = torch.randn(9, 40, generator=torch.Generator().manual_seed(6))
    reference.backward(dy)
    found_gradient = weight.quantizer.fused_backward(context, dy, transposed)
    assert torch.allclose(found_gradient, a.grad, rtol=1e-4, atol=1e-5)
    if transposed:
        chosen = torch.tensor([31, 2, 17])
        few = weight.quantizer.rows(chosen).product(x, weight.master[chosen], transposed=True)
        assert torch.allclose(few.double(), expected[:, chosen], rtol=1e-4, atol=1e-4)


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
        x = torch.randn(5, 32, generator=torch.Generator().manual_seed(8)).requires_grad_()
        operators.linear(x, weight, weights["a_b"], relu=True).square().sum().backward()
        gradients.append((x.grad.clone(), weight.gradient.clone(), weights["a_b"].gradient.clone()))
    for a, b in zip(*gradients):
        assert torch.allclose(a, b, rtol=1e-3, atol=1e-4)


def test_tuned_weights_keep_their_step():
    """What was tuned with a step is rounded with it, though another were the best; so are packages, which find it in the values."""
    rng = numpy.random.default_rng(9)
    matrix = rng.normal(size=(300, 20)).astype(numpy.float32)
    other = float(log4.steps(matrix, False, "matrix")) * 1.3
    found = Quantized.log4({"a_W": matrix}, steps={"a_W": torch.tensor(other)})
    assert float(found.steps["a_W"]) == numpy.float32(other)
    assert (found.integers["a_W"] == log4.levels(torch.from_numpy(matrix), torch.tensor(other), False).numpy()).all()
    again = Quantized.log4(found.dequantized())
    assert (again.integers["a_W"] == found.integers["a_W"]).all()


def test_steps_stay_while_tuning():
    """Levels follow the weights at each update, steps do not."""
    weights = Weights({"a_W": (40, 8)}, torch.device("cpu"), "float32", False)
    weights.initialize(1)
    trainer = SimpleNamespace(weights=weights, extra={})
    config = SimpleNamespace(quantization=QuantizationTuning(), package=Package())
    renewal = Renewal(trainer, "log4", {}, config)
    renewal()
    step, levels = trainer.extra["steps"]["a_W"].clone(), weights["a_W"].quantizer.levels.clone()
    weights.flat.mul_(1.5)
    renewal()
    assert torch.equal(trainer.extra["steps"]["a_W"], step)
    assert not torch.equal(weights["a_W"].quantizer.levels, levels)
    # A checkpoint carries them on, and levels that are given bring their own.
    later = Renewal(trainer, "log4", {}, config, {"a_W": step * 2})
    later()
    assert torch.equal(later.steps()["a_W"], step)
    trainer.extra = {}
    given = Renewal(trainer, "log4", {}, config, {"a_W": step * 2})
    given()
    assert torch.equal(given.steps()["a_W"], step * 2)
