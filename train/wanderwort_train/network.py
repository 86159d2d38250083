"""Marian's transformers, with norms after the residual sums ("dan") or before the sublayers ("n", "da"), written once over `operators`."""

import torch
from torch.nn import functional

from .config import Model
from .operators import Fused, Reference, positions
from .recurrent import Recurrence
from .weights import Weight, Weights, norm_stem, output_bias, tables


def operators_for(models: list[Model], device: torch.device, kernels: str = "auto") -> Reference:
    """Fused kernels on a processor; plain operations on a GPU, where asked for, and for recurrent networks, which have no others."""
    fused = device.type == "cpu" and kernels == "auto" and all(model.architecture == "transformer" for model in models)
    return Fused() if fused else Reference(device)


class Network:
    """Encoder and decoder over packed rows; parameters by Marian's names."""

    def __init__(self, model: Model, weights: Weights, operators):
        self.model, self.weights, self.operators = model, weights, operators
        self.dropout = 0.0
        #: Where the inputs of products are clipped (`Training.clip_activations`); 0 for nowhere.
        self.clip = 0.0
        #: Called with the prefix of each attention and the joint output of its heads, before the output product.
        self.observe = None
        self._recurrence = Recurrence(
            model, lambda name: weights[name].master, lambda name, x: operators.linear(self._clipped(x), weights[name], None)
        )
        self._source_table, self._target_table, self._output_table = tables(model)
        self._signal = positions(1024, model.dimension).to(weights.flat.device)

    def _drop(self, x):
        return functional.dropout(x, self.dropout) if self.dropout > 0 else x

    def _clipped(self, x):
        return x.clamp(-self.clip, self.clip) if self.clip > 0 else x

    def _linear(self, x, prefix: str, suffix: str, relu: bool = False, bias: bool = True):
        bias_weight = self.weights[f"{prefix}_b{suffix}"] if bias else None
        return self.operators.linear(self._clipped(x), self.weights[f"{prefix}_W{suffix}"], bias_weight, relu)

    @property
    def output(self) -> tuple[Weight, Weight]:
        """Weights and bias of the output layer."""
        return self.weights[self._output_table], self.weights[output_bias(self.model)]

    def _norm(self, stem: str, suffix: str = "") -> tuple[Weight, Weight]:
        return self.weights[f"{stem}_ln_scale{suffix}"], self.weights[f"{stem}_ln_bias{suffix}"]

    def _enter(self, x, sublayer: str):
        """The input of a sublayer."""
        if self.model.norm == "post":
            return x
        return self.operators.norm(x, *self._norm(norm_stem(sublayer, before=True), "_pre"))

    def _leave(self, update, x, sublayer: str):
        """The output of a sublayer, joined with what it was given."""
        update = self._drop(update)
        if self.model.norm == "post":
            return self.operators.add_norm(update, x, *self._norm(norm_stem(sublayer, before=False)))
        return x + update

    def _top(self, x, stack: str):
        return x if self.model.norm == "post" else self.operators.norm(x, *self._norm(f"{stack}_top"))

    def _attention(self, x, memory, prefix: str, queries, keys, causal=False, first_head=False):
        """Attention of rows to `memory`, or, where that is None, to themselves."""
        head = self.model.dimension // self.model.heads
        heads = self.weights[f"{prefix}_Wq"].master.shape[1] // head
        if heads == 0:
            # All heads of this layer were pruned away: what is left of the sublayer is its output bias.
            mixed = torch.zeros_like(x) + self.weights[f"{prefix}_bo"].master.to(x.dtype)
            return self._leave(mixed, x, prefix), None
        entering = self._enter(x, prefix)
        memory = entering if memory is None else memory
        q = self._linear(entering, prefix, "q")
        k = self._linear(memory, prefix, "k")
        v = self._linear(memory, prefix, "v")
        mixed, weights = self.operators.attention(q, k, v, queries, keys, heads, causal, first_head)
        if self.observe is not None:
            self.observe(prefix, mixed)
        return self._leave(self._linear(mixed, prefix, "o"), x, prefix), weights

    def _feed_forward(self, x, prefix: str):
        inner = self._drop(self._linear(self._enter(x, prefix), prefix, "1", relu=True))
        return self._leave(self._linear(inner, prefix, "2"), x, prefix)

    def _embed(self, table: str, ids, packing):
        return self._drop(self.operators.embed(self.weights[table], ids, packing, self._signal))

    def encode(self, source_ids, source):
        """Source ids and their packing → contextual rows."""
        if self.model.architecture == "recurrent":
            return source.pack(self._recurrence.encode(source.pad(self._looked_up(self._source_table, source_ids)), source.mask))
        x = self._embed(self._source_table, source_ids, source)
        for i in range(1, self.model.encoder_layers + 1):
            x, _ = self._attention(x, None, f"encoder_l{i}_self", source, source)
            x = self._feed_forward(x, f"encoder_l{i}_ffn")
        return self._top(x, "encoder")

    def decode(self, input_ids, target, memory, source, alignment: bool = False):
        """Previous target ids (−1: none) → hidden rows, and the last layer's first head over the source."""
        if self.model.architecture == "recurrent":
            return self._recurrent_decode(input_ids, target, memory, source, alignment)
        x = self._embed(self._target_table, input_ids, target)
        weights = None
        layers = self.model.decoder_layers
        for i in range(1, layers + 1):
            prefix = "decoder_l1" if self.model.tied_decoder else f"decoder_l{i}"
            if self.model.decoder == "ssru":
                rnn = f"{prefix}_rnn"
                entering = self._enter(x, rnn)
                candidate = self._linear(entering, rnn, "", bias=False)
                cell = self.operators.ssru(candidate, self._linear(entering, rnn, "f"), target)
                x = self._leave(cell, x, rnn)
            elif self.model.decoder == "average-attention":
                x = self._average(x, f"{prefix}_aan", target)
            else:
                x, _ = self._attention(x, None, f"{prefix}_self", target, target, causal=True)
            last = alignment and i == layers
            x, found = self._attention(x, memory, f"{prefix}_context", target, source, first_head=last)
            weights = found if last else weights
            x = self._feed_forward(x, f"{prefix}_ffn")
        return self._clipped(self._top(x, "decoder")), weights

    def _looked_up(self, table: str, ids):
        """Rows of an embedding as they are; −1 is a zero embedding."""
        return self._drop(functional.embedding(ids.clamp(min=0), self.weights[table].master) * (ids >= 0)[:, None])

    def _recurrent_decode(self, input_ids, target, memory, source, alignment: bool):
        """As `decode`; the attention weights of each step are laid out as `Reference.attention` gives them."""
        recurrence, memory = self._recurrence, source.pad(memory)
        words = target.pad(self._looked_up(self._target_table, input_ids))
        inputs, keys = recurrence.words(words), recurrence.keys(memory)
        state = recurrence.first_state(memory, source.mask)
        found = []
        for step in range(words.shape[1]):
            state, top, context, seen = recurrence.step(inputs[:, step], state, keys, memory, source.mask)
            found.append((top, context, seen))
        states, contexts, weights = (torch.stack(parts, 1) for parts in zip(*found))
        hidden = recurrence.output(*(self._drop(target.pack(rows)) for rows in (words, states, contexts)))
        return self._clipped(hidden), weights.flatten() if alignment else None

    def _average(self, x, prefix: str, packing):
        """Average attention as Marian has it: a norm before it applies to the mean; the gate sees the input as it is."""
        y = self._enter(self.operators.running_mean(x, packing), prefix)
        if f"{prefix}_W1" in self.weights:
            y = functional.silu(self._linear(y, prefix, "1"))
        if f"{prefix}_W2" in self.weights:
            y = self._linear(y, prefix, "2")
        if self.model.average_gate:
            keep = torch.sigmoid(self._linear(x, prefix, "i"))
            take = torch.sigmoid(self._linear(y, prefix, "f"))
            y = keep * x + take * y
        return self._leave(y, x, prefix)
