"""The mean of a network's weights at the ends of several falls of the rate.

A network that trains on at the full rate, which then falls again, ends near where it was before, in the same wide minimum;
the mean of such ends lies further inside and generalizes better (Izmailov et al., 2018, section 3, where a cyclic rate
finds them). It costs one file of weights for each end.
"""

from pathlib import Path

import torch

from . import checkpoint
from .config import Training
from .errors import TrainingError


def path(folder: Path, update: int) -> Path:
    """Where the weights at the end of a fall lie."""
    return folder / f"end-{update}.pt"


def keep(folder: Path, update: int, network: str, weights: torch.Tensor):
    """Keeps the weights at the end of a fall."""
    checkpoint.save(path(folder, update), {"shape": network, "weights": weights})


def mean(folder: Path, training: Training, network: str) -> torch.Tensor:
    """The mean over all ends, which must have been kept and be of one network."""
    total = None
    for update in training.ends():
        state = checkpoint.load(path(folder, update), network)
        if state is None:
            raise TrainingError(
                f"{path(folder, update)}: missing; training.cycles names update {update:,}, which was passed without that; "
                "name only updates that are still to come"
            )
        total = state["weights"] if total is None else total + state["weights"]
    return total / len(training.ends())
