"""Products of a batch's rows with a weight, in few different sizes.

oneDNN, which multiplies bfloat16 matrices on processors, compiles machine code for every size of a product and keeps what it compiled
last. A batch has as many rows as its sentences have pieces, a different number each time, so nearly every product would be compiled
anew, while all threads but one wait. In two parts, a multiple of `BLOCK` rows and the few that are left, products have so few sizes
that all can be kept.
"""

import os

import torch

#: About the root of how much the number of rows of a batch varies, so that there are about as many multiples as remainders.
BLOCK = 32

# Sizes times the products of a network, both ways; oneDNN keeps 1,024 unless it is told otherwise before its first product.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "8192")


def _parts(x: torch.Tensor) -> list[slice]:
    """The rows of `x` as a multiple of `BLOCK` and the rest; in one piece where nothing is compiled for their number."""
    rows = len(x)
    whole = rows - rows % BLOCK
    if x.dtype != torch.bfloat16 or whole in (0, rows):
        return [slice(0, rows)]
    return [slice(0, whole), slice(whole, rows)]


def product(x: torch.Tensor, matrix: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
    """x · matrix, in `out` where that is given."""
    if out is None:
        out = x.new_empty(len(x), matrix.shape[1])
    for part in _parts(x):
        torch.mm(x[part], matrix, out=out[part])
    return out


def sums(x: torch.Tensor, y: torch.Tensor) -> list[torch.Tensor]:
    """xᵀ · y, a sum over rows, as the parts to be added up: in a wider type, so that they lose nothing."""
    return [x[part].T @ y[part] for part in _parts(x)]
