"""Log-4-bit weights: a sign and a near-power of two under a scale (Aji and Heafield, 2019), as the package holds them.

Levels 0, ±1, ±2, ±4, ±8, ±16, ±32, ±63: fifteen codes, each an exact int8 value. A weight takes the nearest level in
linear space; each column of a product (each word of an embedding) has a step, chosen to minimise the squared error.
"""

import numpy
import torch

MAGNITUDES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 63.0)
#: Half way between neighbours.
THRESHOLDS = tuple((a + b) / 2 for a, b in zip(MAGNITUDES, MAGNITUDES[1:]))
#: Steps tried, as multiples of max|w| / 63 of the column: finer than it matters, over the two octaves that can win.
CANDIDATES = tuple(2.0 ** (-i / 8) for i in range(0, 25))


def levels(values: torch.Tensor) -> torch.Tensor:
    """Values in units of their step → nearest levels, as floats."""
    magnitudes = torch.tensor(MAGNITUDES, device=values.device)
    thresholds = torch.tensor(THRESHOLDS, device=values.device)
    return magnitudes[torch.bucketize(values.abs(), thresholds)] * values.sign()


def steps(matrix: torch.Tensor, by_row: bool) -> torch.Tensor:
    """The step of each column (`by_row`: of each row): the candidate with the least squared error, then refit.

    Given the levels q, the least-squares step is Σ w q / Σ q²; it is kept if its own rounding is better still.
    """
    w = matrix if by_row else matrix.T
    largest = w.abs().amax(1, keepdim=True).clamp(min=1e-12)
    best_error = torch.full_like(largest, float("inf"))
    best_step = largest / MAGNITUDES[-1]

    def consider(step):
        nonlocal best_error, best_step
        q = levels(w / step)
        error = (q * step - w).square().sum(1, keepdim=True)
        better = error < best_error
        best_error = torch.where(better, error, best_error)
        best_step = torch.where(better, step, best_step)
        return q

    for factor in CANDIDATES:
        consider(largest / MAGNITUDES[-1] * factor)
    for _ in range(3):
        q = levels(w / best_step)
        refit = (w * q).sum(1, keepdim=True) / q.square().sum(1, keepdim=True).clamp(min=1e-12)
        consider(torch.where(refit > 0, refit, best_step))
    return best_step[:, 0]


def quantize(name: str, array: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """int8 levels of a matrix, and its steps by column (by row for `Wemb`)."""
    by_row = name == "Wemb"
    matrix = torch.from_numpy(numpy.ascontiguousarray(array, numpy.float32))
    step = steps(matrix, by_row)
    found = levels(matrix / (step[:, None] if by_row else step))
    return found.numpy().astype(numpy.int8), step.numpy()
