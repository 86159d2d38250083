"""Adam over the flat weights, with warm-up and decay of the rate, clipping, and an exponential average."""

import math

import torch

from . import native
from .config import Training
from .weights import Weights, is_matrix


def rate(training: Training, update: int, seconds: float = 0.0) -> float:
    """Learning rate of update 1, 2, …, that many seconds after the start of training."""
    if update <= training.warmup:
        factor = update / training.warmup
    elif training.schedule == "inverse-sqrt":
        factor = math.sqrt(training.warmup / update)
    elif training.schedule == "linear":
        factor = max(0.0, (training.updates - update) / max(1, training.updates - training.warmup))
    else:
        factor = 1.0
    if training.cooldown > 0 and training.minutes > 0:
        factor *= min(1.0, max(0.0, (1 - seconds / (60 * training.minutes)) / training.cooldown))
    elif training.cooldown > 0:
        length = training.cooldown * training.updates
        end = next((end for end in training.ends() if end >= update), training.updates)
        factor *= min(1.0, max(0.0, (end - update) / length))
    return training.learning_rate * factor


def is_falling(training: Training, update: int, seconds: float = 0.0) -> bool:
    """Whether the rate of this update is one of those falling to zero at an end; with a linear schedule all are."""
    if training.schedule == "linear":
        return True
    if training.minutes > 0:
        return seconds > 60 * training.minutes * (1 - training.cooldown)
    end = next((end for end in training.ends() if end >= update), training.updates)
    return training.cooldown > 0 and end - update < training.cooldown * training.updates


class Adam:
    """Kingma and Ba, 2015."""

    def __init__(self, weights: Weights, training: Training, fused: bool):
        self.weights, self.training, self.fused = weights, training, fused
        self.first = torch.zeros_like(weights.flat)
        self.second = torch.zeros_like(weights.flat)
        self.average = weights.flat.detach().clone() if training.smoothing > 0 else torch.empty(0)
        self.update = 0
        #: Matrices to be kept within bounds, and their averages.
        self._bounded = []
        if training.clip_weights > 0:
            flats = [flat for flat in (weights.flat.detach(), self.average) if flat.numel()]
            self._bounded = [flat[part] for flat in flats for name, part in weights.parts.items() if is_matrix(name)]
        #: How long training has taken so far, which a rate may depend on.
        self.seconds = 0.0

    @torch.no_grad()
    def step(self) -> torch.Tensor:
        """One update from the summed gradients, which it clears. Returns the gradient's length before clipping.

        A gradient that is not finite is dropped: one bad batch must not ruin the weights.
        """
        training, weights = self.training, self.weights
        self.update += 1
        t = self.update
        length = torch.linalg.vector_norm(weights.gradient)
        correction = math.sqrt(1 - training.adam_beta2**t)
        step_size = rate(training, t, self.seconds) * correction / (1 - training.adam_beta1**t)
        epsilon = training.adam_epsilon * correction
        # Early on the average forgets faster; otherwise the random start would weigh on it.
        mix = min(1.0, max(training.smoothing, 10 / (t + 9)))
        if not self.fused:
            self._plain_step(length, step_size, epsilon, mix)
        elif math.isfinite(length):
            scale = min(1.0, training.clip_norm / (float(length) + 1e-6)) if training.clip_norm > 0 else 1.0
            native.load("kernels").adam_(
                weights.flat, weights.gradient, self.first, self.second, self.average, weights.copy,
                step_size, training.adam_beta1, training.adam_beta2, epsilon, scale, mix,
            )  # fmt: skip
        else:
            weights.gradient.zero_()
        if self._bounded:
            for matrix in self._bounded:
                matrix.clamp_(-training.clip_weights, training.clip_weights)
            weights.refresh()
        return length

    def _plain_step(self, length: torch.Tensor, step_size: float, epsilon: float, mix: float):
        """The same in plain operations. Whether the gradient is finite is decided where it is: `valid` is 1 or 0, and the
        processor does not wait for it."""
        training, weights = self.training, self.weights
        valid = length.isfinite().to(length.dtype)
        scale = (training.clip_norm / (length + 1e-6)).clamp(max=1.0) if training.clip_norm > 0 else torch.ones_like(length)
        gradient = torch.where(valid > 0, weights.gradient * scale, 0.0)
        self.first.lerp_(gradient, (1 - training.adam_beta1) * valid)
        self.second.lerp_(gradient * gradient, (1 - training.adam_beta2) * valid)
        weights.flat.sub_(self.first / (self.second.sqrt() + epsilon) * (step_size * valid))
        weights.gradient.zero_()
        if self.average.numel():
            self.average.lerp_(weights.flat, mix * valid)
        weights.refresh()

    def state(self) -> dict:
        """What a checkpoint stores of it."""
        return {"first": self.first, "second": self.second, "average": self.average, "update": self.update}

    def load_state(self, state: dict):
        """Continues from a checkpoint."""
        self.first.copy_(state["first"])
        self.second.copy_(state["second"])
        if self.average.numel() and state["average"].numel():
            self.average.copy_(state["average"])
        self.update = int(state["update"])
