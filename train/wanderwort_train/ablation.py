"""Which encoder heads a network can do without: each is removed in turn, and the effect on the predictions is measured.

How sure a head is of one position says little about whether the others can do its work. Here a head counts by the divergence
Σ p ln(p / q) per target piece from what the whole network predicts (p) to what it predicts without this head and those removed already
(q). (Michel, Levy and Neubig, 2019, "Are Sixteen Heads Really Better than One?", section 4, go the same way with a gradient in
place of the measurement.)

The heads that stay at once take over what they can. With H the output of all heads of a layer (positions × width), K the columns of those
that stay, and a column of ones in both for the bias, the sublayer's output is fitted by least squares:

    H W ≈ K W′,   W′ = (KᵀK + εI)⁻¹ KᵀH W

KᵀK and KᵀH are parts of HᵀH, which one pass of the whole network over the sample gives.
"""

import numpy
import torch
from torch.nn import functional

from . import batches
from .config import Config
from .soft_targets import SoftTargets
from .training import candidate_sampler, data_folder, prepare
from .weights import shapes, word_count, word_counts

#: Pairs of the training text in the sample, and in one of its batches.
_LINES, _BATCH = 500, 100
#: ε as a share of the mean of the diagonal.
_RIDGE = 1e-4


class Ablation:
    """A whole network, and what it becomes without some of its encoder heads."""

    def __init__(self, config: Config, arrays: dict[str, numpy.ndarray], device: torch.device):
        self.model = config.model
        # A package's weights bring their activation scales along.
        self.arrays = {name: arrays[name] for name in shapes(self.model, word_counts(arrays))}
        self.least = config.pruning.layer_keeps
        self.width = self.model.dimension // self.model.heads
        self.predictor = SoftTargets([(self.model, arrays)], config.pruning.training, device)
        (self.network,) = self.predictor.networks
        self.sample = self._sample(config, device)
        #: Layer → HᵀH.
        self.moments: dict[int, torch.Tensor] = {}
        self.network.observe = self._observe
        self.whole = [self.predictor(*prepared) for prepared in self.sample]
        self.network.observe = None

    def _sample(self, config: Config, device: torch.device) -> list[tuple]:
        data = batches.Prepared(data_folder(config))
        weights = [item.weight for item in config.data.corpora + config.data.monolingual]
        pairs = batches.drawn(data, weights, _LINES, config.seed)
        pairs = pairs[numpy.argsort(data.target_lengths[pairs], kind="stable")]
        sampler = candidate_sampler(config, config.pruning.training, data, word_count(self.arrays))
        result = []
        for number, start in enumerate(range(0, len(pairs), _BATCH)):
            chosen = pairs[start : start + _BATCH]
            batch = batches.pack([data.source(pair) for pair in chosen], [data.target(pair) for pair in chosen])
            result.append(prepare(self.predictor.operators, sampler, batch, (0, number), device))
        return result

    def _observe(self, prefix: str, mixed: torch.Tensor):
        for layer in range(self.model.encoder_layers):
            if prefix == _prefix(layer):
                rows = functional.pad(mixed.double(), (0, 1), value=1.0)
                self.moments[layer] = self.moments.get(layer, 0) + (rows.T @ rows).cpu()

    def _fitted(self, layer: int, heads: list[int]) -> dict[str, numpy.ndarray]:
        """A layer's output matrix and bias with only these heads; the rows of the others are zero."""
        weight, bias = (f"{_prefix(layer)}_{name}" for name in ("Wo", "bo"))
        columns = [column for head in heads for column in range(head * self.width, (head + 1) * self.width)]
        kept = torch.tensor([*columns, self.model.dimension])
        moments = self.moments[layer]
        inner = moments[kept][:, kept]
        inner += _RIDGE * inner.diagonal().mean() * torch.eye(len(kept), dtype=inner.dtype)
        whole = torch.from_numpy(numpy.concatenate([self.arrays[weight], self.arrays[bias]])).double()
        fitted = torch.linalg.solve(inner, moments[kept] @ whole).float().numpy()
        matrix = numpy.zeros_like(self.arrays[weight])
        matrix[columns] = fitted[:-1]
        return {weight: matrix, bias: fitted[-1:]}

    def without(self, kept: list[list[int]]) -> dict[str, numpy.ndarray]:
        """The weights with which the `kept` heads of each layer (indices among all) make up for the others, whose rows are zero."""
        result = dict(self.arrays)
        for layer, heads in enumerate(kept):
            if len(heads) < self.model.heads:
                result |= self._fitted(layer, heads)
        return result

    def divergence(self, kept: list[list[int]]) -> float:
        """How far the predictions with only the `kept` heads are from those of the whole network, in nats per target piece."""
        self._place(self.without(kept))
        return self._measure()

    def divergences(self, kept: list[list[int]]) -> list[tuple[float, int, int]]:
        """For each of the `kept` heads the divergence without it, its layer and its index, smallest first; without the heads of
        layers that may lose no more (`Pruning.layer_keeps`)."""
        current = self.without(kept)
        self._place(current)
        found = []
        for layer, heads in enumerate(kept):
            for head in heads if len(heads) > self.least else []:
                trial = self._fitted(layer, [other for other in heads if other != head])
                self._place(trial)
                found.append((self._measure(), layer, head))
                self._place({name: current[name] for name in trial})
        return sorted(found)

    def _place(self, arrays: dict[str, numpy.ndarray]):
        weights = self.network.weights
        for name, array in arrays.items():
            weights[name].master.data.copy_(torch.from_numpy(array))
        weights.refresh()

    def _measure(self) -> float:
        total = rows = 0
        for prepared, whole in zip(self.sample, self.whole):
            found = self.predictor(*prepared).clamp_(min=torch.finfo(torch.float32).tiny)
            total += float(functional.kl_div(found.log_(), whole, reduction="sum"))
            rows += len(whole)
        return total / rows


def _prefix(layer: int) -> str:
    return f"encoder_l{layer + 1}_self"
