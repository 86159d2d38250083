"""Marian's transformer with post-norm ("dan"), written once over `operators`."""

import torch
from torch.nn import functional

from .config import Model
from .operators import positions
from .weights import Weights


class Network:
    """Encoder and decoder over packed rows; parameters by Marian's names."""

    def __init__(self, model: Model, weights: Weights, operators):
        self.model, self.weights, self.operators = model, weights, operators
        self.dropout = 0.0
        #: Called with the prefix of each attention and what its heads give together, before the output product.
        self.observe = None
        self._signal = positions(1024, model.dimension).to(weights.flat.device)

    def _drop(self, x):
        return functional.dropout(x, self.dropout) if self.dropout > 0 else x

    def _linear(self, x, prefix: str, suffix: str, relu: bool = False, bias: bool = True):
        bias_weight = self.weights[f"{prefix}_b{suffix}"] if bias else None
        return self.operators.linear(x, self.weights[f"{prefix}_W{suffix}"], bias_weight, relu)

    def _add_norm(self, x, residual, prefix: str):
        weights = self.weights
        return self.operators.add_norm(
            self._drop(x), residual, weights[f"{prefix}_ln_scale"], weights[f"{prefix}_ln_bias"]
        )

    def _attention(self, x, memory, prefix: str, queries, keys, causal=False, first_head=False):
        head = self.model.dimension // self.model.heads
        heads = self.weights[f"{prefix}_Wq"].master.shape[1] // head
        if heads == 0:
            # All heads of this layer were pruned away: what is left of the sublayer is its output bias.
            mixed = torch.zeros_like(x) + self.weights[f"{prefix}_bo"].active
            return self._add_norm(mixed, x, f"{prefix}_Wo"), None
        q = self._linear(x, prefix, "q")
        k = self._linear(memory, prefix, "k")
        v = self._linear(memory, prefix, "v")
        mixed, weights = self.operators.attention(q, k, v, queries, keys, heads, causal, first_head)
        if self.observe is not None:
            self.observe(prefix, mixed)
        return self._add_norm(self._linear(mixed, prefix, "o"), x, f"{prefix}_Wo"), weights

    def _feed_forward(self, x, prefix: str):
        inner = self._drop(self._linear(x, prefix, "1", relu=True))
        return self._add_norm(self._linear(inner, prefix, "2"), x, f"{prefix}_ffn")

    def _embed(self, ids, packing):
        return self._drop(self.operators.embed(self.weights["Wemb"], ids, packing, self._signal))

    def encode(self, source_ids, source):
        """Source ids and their packing → contextual rows."""
        x = self._embed(source_ids, source)
        for i in range(1, self.model.encoder_layers + 1):
            x, _ = self._attention(x, x, f"encoder_l{i}_self", source, source)
            x = self._feed_forward(x, f"encoder_l{i}_ffn")
        return x

    def decode(self, input_ids, target, memory, source, alignment: bool = False):
        """Previous target ids (−1: none) → hidden rows, and the last layer's first head over the source."""
        x = self._embed(input_ids, target)
        weights = None
        layers = self.model.decoder_layers
        for i in range(1, layers + 1):
            prefix = "decoder_l1" if self.model.tied_decoder else f"decoder_l{i}"
            if self.model.decoder == "ssru":
                rnn = f"{prefix}_rnn"
                candidate = self._linear(x, rnn, "", bias=False)
                cell = self.operators.ssru(candidate, self._linear(x, rnn, "f"), target)
                x = self._add_norm(cell, x, f"{rnn}_ffn")
            elif self.model.decoder == "average-attention":
                x = self._average(x, f"{prefix}_aan", target)
            else:
                x, _ = self._attention(x, x, f"{prefix}_self", target, target, causal=True)
            last = alignment and i == layers
            x, found = self._attention(x, memory, f"{prefix}_context", target, source, first_head=last)
            weights = found if last else weights
            x = self._feed_forward(x, f"{prefix}_ffn")
        return x, weights

    def _average(self, x, prefix: str, packing):
        """Average attention with its feed-forward part and gates, as Marian has it."""
        mean = self.operators.running_mean(x, packing)
        inner = functional.silu(self._linear(mean, prefix, "1"))
        y = self._linear(inner, prefix, "2")
        keep = torch.sigmoid(self._linear(x, prefix, "i"))
        take = torch.sigmoid(self._linear(y, prefix, "f"))
        return self._add_norm(keep * x + take * y, x, f"{prefix}_ffn")
