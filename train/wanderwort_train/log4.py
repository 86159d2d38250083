"""Log-4-bit weights: a sign and a near-power of two under a scale (Aji and Heafield, 2019), as the package holds them.

Levels 0, ±1, ±2, ±4, ±8, ±16, ±32, ±63: fifteen codes, each an exact int8 value. A weight is its level times a step s,
one for the whole matrix or one for each column of the product (each word of an embedding). As in the engine, the step
minimises Σ (w − s·l)² by alternating, from the best of many starts, between the two conditions that hold at the optimum: each
weight takes its nearest level, and s = Σ w·l / Σ l². The arithmetic is the engine's to the bit, so both find the same step.
"""

from typing import Literal

import numpy
import torch

from .weights import has_row_for_each_word

MAGNITUDES = numpy.array([0, 1, 2, 4, 8, 16, 32, 63], numpy.float64)
Granularity = Literal["matrix", "column"]

#: The alternation finds local minima, so it starts from the best of these, in units of the step that puts the largest
#: magnitude at the outermost level: from twice that down in 32nds of an octave.
_STARTS = 2.0 * numpy.exp2(-numpy.arange(160) / 32)
_ROUNDS = 100
#: The share of a bound between two levels by which `nearest_within` stays away from it, so that a first small update does not always
#: change the level.
_MARGIN = 0.05


class _Magnitudes:
    """The magnitudes of weights that share a step: sorted, with prefix sums, so that a round is a few binary searches."""

    def __init__(self, values: numpy.ndarray):
        self.sorted = numpy.sort(numpy.abs(values.ravel())).astype(numpy.float64)
        self.sums = numpy.concatenate([[0.0], numpy.cumsum(self.sorted)])
        self.energy = float(numpy.cumsum(self.sorted * self.sorted)[-1]) if len(self.sorted) else 0.0

    def bounds(self, steps: numpy.ndarray) -> numpy.ndarray:
        """For each step, where each level's share of the sorted magnitudes begins, and the end of the last."""
        levels = numpy.asarray(steps, numpy.float64)[:, None] * MAGNITUDES
        inner = numpy.searchsorted(self.sorted, (levels[:, :-1] + levels[:, 1:]) / 2, side="right")
        return numpy.pad(inner, ((0, 0), (1, 1)), constant_values=(0, len(self.sorted)))

    def moments(self, bounds: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Σ w·l and Σ l² for each row of bounds."""
        product = square = numpy.zeros(len(bounds))
        for i, level in enumerate(MAGNITUDES):
            begin, end = bounds[:, i], bounds[:, i + 1]
            product = product + level * (self.sums[end] - self.sums[begin])
            square = square + level * level * (end - begin)
        return product, square

    def converge(self, step: float) -> float:
        bounds = self.bounds([step])
        for _ in range(_ROUNDS):
            (product,), (square,) = self.moments(bounds)
            if not (square > 0 and product > 0):
                break
            step = float(product / square)
            following = self.bounds([step])
            if numpy.array_equal(following, bounds):
                break
            bounds = following
        return step

    def best(self) -> float:
        largest = float(self.sorted[-1]) if len(self.sorted) else 0.0
        if largest < float(numpy.finfo(numpy.float32).tiny) * 256:
            return 1 / float(MAGNITUDES[-1])
        starts = _STARTS * largest / MAGNITUDES[-1]
        product, square = self.moments(self.bounds(starts))
        # Σ (w − s·l)² = Σ w² − 2 s Σ w·l + s² Σ l²
        errors = numpy.maximum(0, self.energy - 2 * starts * product + starts * starts * square)
        return self.converge(float(starts[errors.argmin()]))


def _groups(matrix: numpy.ndarray, by_row: bool, granularity: Granularity):
    if granularity == "matrix":
        return [matrix]
    return list(matrix if by_row else matrix.T)


def steps(matrix: numpy.ndarray, by_row: bool, granularity: Granularity) -> numpy.ndarray:
    """The step of the matrix (shape []), or of each column (`by_row`: each row)."""
    groups = [_Magnitudes(group) for group in _groups(numpy.asarray(matrix, numpy.float32), by_row, granularity)]
    found = [group.best() for group in groups]
    return numpy.float32(found[0]) if granularity == "matrix" else numpy.array(found, numpy.float32)


def levels(matrix: torch.Tensor, step: torch.Tensor, by_row: bool) -> torch.Tensor:
    """The nearest level of each weight, as floats; of two equally near ones the smaller."""
    step = step.double()
    step = step[:, None, None] if by_row and step.ndim else step[..., None]
    magnitudes = torch.as_tensor(MAGNITUDES, device=step.device)
    exact = (step * magnitudes[:-1] + step * magnitudes[1:]) / 2
    # A float is larger than a bound in double precision if it is larger than the last float up to it.
    bounds = exact.float()
    bounds = torch.where(bounds.double() > exact, bounds.nextafter(torch.zeros_like(bounds)), bounds)
    magnitude = matrix.abs()
    if bounds.ndim == 1:
        found = magnitudes.float()[torch.bucketize(magnitude, bounds, out_int32=True)]
    else:
        found = torch.zeros_like(matrix)
        for i, rise in enumerate((magnitudes[1:] - magnitudes[:-1]).float()):
            found += (magnitude > bounds[..., i]) * rise
    return torch.copysign(found, matrix)


def nearest_within(array: numpy.ndarray, levels: numpy.ndarray, step: numpy.ndarray, by_row: bool) -> numpy.ndarray:
    """The values nearest to those of `array` whose nearest levels are `levels`."""
    step = numpy.asarray(step, numpy.float64)
    step = step[:, None] if by_row and step.ndim else step
    sign = numpy.where(levels < 0, -1.0, 1.0)
    index = numpy.searchsorted(MAGNITUDES, numpy.abs(levels))
    bounds = (MAGNITUDES[:-1] + MAGNITUDES[1:]) / 2
    low = numpy.concatenate([[-bounds[0]], bounds])[index]
    high = numpy.append(bounds, numpy.inf)[index]
    low, high = low + _MARGIN * numpy.abs(low), high - _MARGIN * numpy.where(numpy.isinf(high), 0, high)
    return (numpy.clip(array * sign / step, low, high) * sign * step).astype(numpy.float32)


def quantize(
    name: str, array: numpy.ndarray, granularity: Granularity, step: numpy.ndarray | None = None
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """int8 levels of a matrix, and its step or steps (by row where rows are words): those given, or the best."""
    by_row = has_row_for_each_word(name)
    array = numpy.ascontiguousarray(array, numpy.float32)
    step = steps(array, by_row, granularity) if step is None else step
    found = levels(torch.from_numpy(array), torch.as_tensor(step), by_row)
    return found.numpy().astype(numpy.int8), step
