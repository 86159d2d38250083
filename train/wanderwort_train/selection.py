"""Which weights of a run are its result: the last ones, those that measured best, or the mean of several measured ones.

Weights are kept when they are measured (`Training.evaluate_every`), in files beside the checkpoint. Means of the last checkpoints are as
old as the Transformer (Vaswani et al., 2017, section 6.1); Marian's recipes stop and choose by BLEU on a development set.
"""

import math
from pathlib import Path

import torch

from . import checkpoint
from .config import Training
from .errors import TrainingError


def _path(folder: Path, update: int) -> Path:
    return folder / f"measured-{update}.pt"


def _kept(folder: Path) -> list[int]:
    """The updates whose weights are kept, in order."""
    names = (path.stem.removeprefix("measured-") for path in folder.glob("measured-*.pt"))
    return sorted(int(name) for name in names if name.isdigit())


class Best:
    """The best measurement so far, by the criterion of `Training.criterion`."""

    def __init__(self, training: Training, state: dict | None = None):
        self.criterion = training.criterion
        #: Loss and BLEU of the best measurement, and its update.
        self.state = {"loss": math.inf, "BLEU": -math.inf, "update": 0} | (state or {})

    def take(self, update: int, loss: float, bleu: float) -> bool:
        """Takes a measurement; returns whether it is the best."""
        better = loss < self.state["loss"] if self.criterion == "loss" else bleu > self.state["BLEU"]
        if better:
            self.state = {"loss": loss, "BLEU": bleu, "update": update}
        return better


def keep(folder: Path, training: Training, update: int, best: Best, network: str, weights: torch.Tensor):
    """Keeps the weights just measured for as long as the result may need them, and no others."""
    if training.result == "last":
        return
    if training.result == "mean" or best.state["update"] == update:
        checkpoint.save(_path(folder, update), {"shape": network, "weights": weights})
    updates = _kept(folder)
    wanted = {best.state["update"]} if training.result == "best" else set(updates[-training.mean_of :])
    for other in updates:
        if other not in wanted:
            _path(folder, other).unlink()


def result(folder: Path, training: Training, network: str) -> tuple[torch.Tensor, list[int]] | None:
    """The weights that are the result, and the updates they are from; None if the result is the last ones."""
    if training.result == "last":
        return None
    updates = _kept(folder)
    if not updates:
        raise TrainingError(f'training.result = "{training.result}": {folder} holds no weights that were measured')
    total = 0
    for update in updates:
        state = checkpoint.load(_path(folder, update), network)
        total = total + state["weights"].double()
    return (total / len(updates)).float(), updates
