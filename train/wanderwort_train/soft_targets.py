"""Targets that are what a teacher predicts for each word, given the reference so far (Hinton et al., 2015, "Distilling the knowledge
in a neural network"; word-level distillation in Kim and Rush, 2016, section 3.1).

A network that is to be made smaller, by rounding or pruning, without becoming a different one learns more per update from its own former
predictions than from single words, and does not follow the training text away from where it was.
"""

import torch

from .config import Model, Training
from .network import Network, operators_for
from .weights import Weights, shapes, word_counts


class SoftTargets:
    """Teachers of the student's vocabulary; called with a prepared batch, they predict."""

    def __init__(self, members: list[tuple[Model, dict]], training: Training, device: torch.device):
        self.operators = operators_for([model for model, _ in members], device, training.kernels)
        fused = self.operators.fused
        self.networks = []
        for model, arrays in members:
            sizes = shapes(model, word_counts(arrays))
            weights = Weights(sizes, device, training.precision, fused)
            weights.load_arrays(arrays)
            self.networks.append(Network(model, weights, self.operators))

    @torch.no_grad()
    def __call__(self, batch, source, target, candidates) -> torch.Tensor:
        """The mean of the teachers' probabilities, target rows × words (of the vocabulary, or the candidates if the softmax has only
        those). In rows that are not to be taught, all probability is on the text's word.
        """
        total = None
        for network in self.networks:
            memory = network.encode(batch.source_ids, source)
            hidden, _ = network.decode(batch.input_ids, target, memory, source)
            predicted = self.operators.predictions(hidden, *network.output, candidates)
            total = predicted if total is None else total.add_(predicted)
        total = total if len(self.networks) == 1 else total / len(self.networks)
        correct = batch.target_ids if candidates is None else candidates.targets
        total[batch.untaught] = 0
        total[batch.untaught, correct[batch.untaught]] = 1
        return total
