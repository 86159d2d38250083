"""The engine's integers, emulated: the same levels, scales and rounding, so that what is trained is what is run.

Activations:  q = clip(round_half_even(x · a), ±127); `a` is static (calibrated) or 127 / max|x| of each row.
int8 weights: q = clip(round_half_even(w · 127 / max|W|), ±127), one step for the whole matrix as Marian's files have it, or one for each
output as packages do.
log-4-bit weights: see log4.py; weights in equal steps: uniform.py. A product is (q_x · q_w) · (1 / a) · step + bias, the sum of integers exact.

Training (Bogoychev et al., 2020, section 5.1) sees these products in the forward pass; gradients pass the rounding
unchanged (straight-through) and stop where an activation was clipped. The weights that the optimizer moves stay float,
which is the error feedback of Aji and Heafield (2019, section 3.2): what rounding took away in one update is still there
in the next.
"""

import numpy
import torch
from torch.autograd import Function

from . import log4, native, products, uniform
from .config import Model
from .search import Translator
from .weights import has_row_for_each_word, is_matrix


def is_quantized(name: str) -> bool:
    """Whether a parameter is held in integers."""
    return is_matrix(name)


def multiplier_name(name: str) -> str:
    """Marian's name for the activation multiplier of the product with `name`."""
    return f"{name}_QuantMultA"


def quantize_int8(matrix: numpy.ndarray) -> tuple[numpy.ndarray, numpy.float32]:
    """Integers of a float32 matrix, and the multiplier that made them (float32, as the engine computes it)."""
    matrix = numpy.asarray(matrix, numpy.float32)
    largest = numpy.abs(matrix).max(initial=0)
    with numpy.errstate(divide="ignore", over="ignore"):
        multiplier = numpy.float32(127.0) / numpy.float32(largest)
    if not numpy.isfinite(multiplier):
        multiplier = numpy.float32(1)
    return numpy.clip(numpy.rint(matrix * multiplier), -127, 127).astype(numpy.int8), multiplier


def quantize_int8_outputs(name: str, matrix: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Integers of a float32 matrix and what a step is worth for each output (each row of a matrix with a row for each word), as packages store int8."""
    matrix = numpy.asarray(matrix, numpy.float32)
    inputs = 1 if has_row_for_each_word(name) else 0
    with numpy.errstate(divide="ignore", over="ignore"):
        multipliers = numpy.float32(127.0) / numpy.abs(matrix).max(inputs, initial=0)
    multipliers = numpy.where(numpy.isfinite(multipliers), multipliers, numpy.float32(1)).astype(numpy.float32)
    integers = numpy.rint(matrix * numpy.expand_dims(multipliers, inputs)).clip(-127, 127).astype(numpy.int8)
    return integers, numpy.float32(1) / multipliers


def quantize_rows(x: torch.Tensor, multiplier: float | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Activations as integers (held in float32) and what one step of each row is worth: n × 1."""
    x = x.float()
    if multiplier is None:
        largest = x.abs().amax(-1, keepdim=True)
        factor = torch.where(largest > 0, 127.0 / largest, torch.ones_like(largest))
    else:
        factor = torch.full_like(x[..., :1], multiplier)
    return (x * factor).clamp(-127, 127).round(), 1.0 / factor


class Quantized:
    """A model's weights as the engine holds them.

    `integers`: name → int8 matrix. `steps`: name → what one level is worth: one number, or one for each column of the
    product (each row where rows are words). `multipliers`: name → static activation multiplier; products without one are dynamic.
    """

    def __init__(self, arrays: dict[str, numpy.ndarray], integers: dict, steps: dict, multipliers: dict[str, float]):
        self.arrays, self.integers, self.steps, self.multipliers = arrays, integers, steps, multipliers

    @classmethod
    def int8(cls, arrays: dict[str, numpy.ndarray], multipliers: dict[str, float] | None = None) -> "Quantized":
        """Rounds every matrix to int8, as in Marian's files."""
        integers, steps = {}, {}
        for name, array in arrays.items():
            if is_quantized(name):
                integers[name], factor = quantize_int8(array)
                steps[name] = numpy.float32(1) / factor
        return cls(arrays, integers, steps, multipliers or {})

    @classmethod
    def log4(
        cls,
        arrays: dict[str, numpy.ndarray],
        multipliers: dict[str, float] | None = None,
        granularity: log4.Granularity = "matrix",
        steps: dict[str, torch.Tensor] | None = None,
    ) -> "Quantized":
        """Rounds every matrix to log-4-bit levels; `steps` are those that the weights were tuned with."""
        given = {name: step.cpu().numpy() for name, step in (steps or {}).items()}
        found = {
            name: log4.quantize(name, array, granularity, given.get(name))
            for name, array in arrays.items()
            if is_quantized(name)
        }
        integers = {name: item[0] for name, item in found.items()}
        steps = {name: item[1] for name, item in found.items()}
        return cls(arrays, integers, steps, multipliers or {})

    @classmethod
    def uniform(
        cls, arrays: dict[str, numpy.ndarray], multipliers: dict[str, float] | None, steps: uniform.Steps
    ) -> "Quantized":
        """Rounds every matrix to equal steps; those that are stored otherwise to int8."""
        found = {
            name: quantize_int8_outputs(name, array) if steps.share(name) is None else steps.quantize(name, array)
            for name, array in arrays.items()
            if is_quantized(name)
        }
        integers = {name: item[0] for name, item in found.items()}
        return cls(arrays, integers, {name: item[1] for name, item in found.items()}, multipliers or {})

    def dequantized(self) -> dict[str, numpy.ndarray]:
        """All weights as float32, matrices as the levels' values."""
        result = dict(self.arrays)
        for name, integers in self.integers.items():
            step = numpy.asarray(self.steps[name], numpy.float32)
            result[name] = integers.astype(numpy.float32) * (step[:, None] if has_row_for_each_word(name) and step.ndim else step)
        return result

    def translator(self, model: Model, device: torch.device) -> Translator:
        """Translation with integer products; float64 holds their sums exactly."""
        levels = {name: torch.from_numpy(value).to(device, torch.float64) for name, value in self.integers.items()}
        steps = {name: torch.as_tensor(numpy.asarray(value), device=device) for name, value in self.steps.items()}

        def product(name, x, weight, transposed):
            integers, inverse = quantize_rows(x, self.multipliers.get(name))
            matrix = levels[name].T if transposed else levels[name]
            return (integers.double() @ matrix).float() * inverse * steps[name]

        return Translator(model, self.dequantized(), device, product, halves=True)


class _StraightThrough(Function):
    """x → its integers times their step; the gradient passes except where x was clipped."""

    @staticmethod
    def forward(ctx, x, multiplier):
        integers, inverse = quantize_rows(x, multiplier)
        ctx.save_for_backward((integers.abs() < 127) if multiplier is not None else None)
        return (integers * inverse).to(x.dtype)

    @staticmethod
    def backward(ctx, dy):
        (inside,) = ctx.saved_tensors
        return (dy if inside is None else dy * inside), None


class _Replace(Function):
    """Forward one tensor, backward to another: weights and their quantized values."""

    @staticmethod
    def forward(ctx, master, values):
        return values

    @staticmethod
    def backward(ctx, dy):
        return dy, None


class Quantizer:
    """Emulates the product with one weight in training (`Weight.quantizer`); see operators.py for its callers."""

    def __init__(self, name: str, multiplier: float | None):
        self.name, self.multiplier = name, multiplier
        #: Integers as floats in the layout of the weight, and their step (a number, or one per product column).
        self.levels: torch.Tensor | None = None
        self.step: torch.Tensor | None = None

    def rows(self, chosen: torch.Tensor) -> "Quantizer":
        """A quantizer that emulates the product with only these rows of an embedding."""
        part = Quantizer(self.name, self.multiplier)
        part.levels = self.levels[chosen]
        part.step = self.step[chosen] if self.step.ndim else self.step
        return part

    def values(self) -> torch.Tensor:
        """The weight as its levels' values."""
        step = self.step[:, None] if has_row_for_each_word(self.name) and self.step.ndim else self.step
        return self.levels.float() * step

    def replace(self, master: torch.Tensor) -> torch.Tensor:
        """The quantized values, with the gradient going to the float weight."""
        return _Replace.apply(master, self.values())

    def product(self, x, master, transposed=False):
        """For automatic gradients (GPU)."""
        weight = self.replace(master)
        return _StraightThrough.apply(x, self.multiplier) @ (weight.T if transposed else weight)

    def fused_product(self, ctx, x, transposed=False):
        """For the fused kernels: (what the weight's gradient multiplies, the product).

        The levels may be in bfloat16, which has room for integers up to 256, and so for the activations' integers too.
        """
        integers, inverse = native.load("kernels").quantize_rows(x, self.multiplier or 0.0)
        ctx.inside = (integers.abs() < 127) if self.multiplier is not None else None
        y = products.product(integers, self.levels.T if transposed else self.levels)
        y = y * (inverse * self.step).to(y.dtype)
        return integers * inverse.to(integers.dtype), y

    def fused_backward(self, ctx, dy, transposed=False):
        """The gradient of the input."""
        dx = products.product(dy * self.step.to(dy.dtype), self.levels if transposed else self.levels.T)
        return dx if ctx.inside is None else dx * ctx.inside


def translate_lines(translator: Translator, pieces, lines: list[str]) -> list[str]:
    """Greedy translations of single sentences."""
    return pieces.target.decode(translator.translate(pieces.source.encode(lines, add_eos=True)))


