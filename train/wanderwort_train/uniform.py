"""Integers in equal steps, a share of each matrix's root mean square: what `wanderwort convert --bits uniform+step=…` makes."""

import math

import numpy

from .errors import TrainingError
from .weights import has_row_for_each_word

#: The largest magnitude of an integer, as in the engine (src/model/package/uniform.rs).
LARGEST = 63
#: The engine's step where `bits` names none.
DEFAULT = 0.25


def _share(bits: str) -> float | None:
    """The step that `uniform` or `uniform+step=NUMBER` stands for; None for other kinds."""
    kind, _, option = bits.partition("+")
    if kind != "uniform":
        return None
    if not option:
        return DEFAULT
    name, _, number = option.partition("=")
    try:
        share = float(number)
    except ValueError:
        share = math.nan
    if name != "step" or not share > 0:
        raise TrainingError(f"package.bits: expected uniform+step=NUMBER, found {bits!r}")
    return share


class Steps:
    """The steps of each matrix that `bits`, as `convert --bits` takes it, asks for: `uniform+step=0.25,Wemb=uniform+step=0.3`."""

    def __init__(self, bits: str):
        general, *exceptions = bits.split(",")
        self._general = general
        self._exceptions = [exception.partition("=")[::2] for exception in exceptions]

    def share(self, name: str) -> float | None:
        """The step of a matrix in units of its root mean square; None if it is stored otherwise."""
        found = (bits for part, bits in self._exceptions if part in name)
        return _share(next(found, self._general))

    def quantize(self, name: str, matrix: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Integers of a float32 matrix and what a step is worth, for the matrix or for each output, as the engine computes them."""
        matrix = numpy.asarray(matrix, numpy.float32)
        share = self.share(name)
        if share is None:
            raise TrainingError(f"package.bits: {name} is not stored in equal steps")
        mean_square = numpy.square(matrix, dtype=numpy.float64).sum() / max(1, matrix.size)
        step = numpy.float32(share * math.sqrt(mean_square))
        # Nothing is clipped: an output with an outlier has a larger step. The outputs of an embedding are its words.
        inputs = 1 if has_row_for_each_word(name) else 0
        steps = numpy.maximum(step, numpy.abs(matrix).max(inputs, initial=0) / numpy.float32(LARGEST))
        with numpy.errstate(divide="ignore", over="ignore"):
            usable = (steps >= numpy.finfo(numpy.float32).tiny) & numpy.isfinite(numpy.float32(1) / steps)
        steps = numpy.where(usable, steps, numpy.float32(1)).astype(numpy.float32)
        integers = numpy.rint(matrix / numpy.expand_dims(steps, inputs)).clip(-LARGEST, LARGEST).astype(numpy.int8)
        if steps.size and not (steps == steps[0]).all():
            return integers, steps
        return integers, numpy.float32(steps[0] if steps.size else 1)
