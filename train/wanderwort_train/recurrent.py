"""Recurrent networks, Marian's `type: s2s` with GRU cells: their parameters, and their arithmetic in plain PyTorch.

The encoder reads both ways (Bahdanau et al., 2015, section 3.2). In a decoder step a first cell reads the last word, attention is
queried with its state, and a second cell reads what attention found (Sennrich et al., 2017, "Nematus", section 2). The output sees the word, the state
and the context. A cell with input x and state s:

    r = σ(W_r x + U_r s)    z = σ(W_z x + U_z s)    h = tanh(W_h x + r ⊙ U_h s)    next state (1 − z) ⊙ h + z ⊙ s

The biases are added to the products with W, in the cells after attention to those with U. With normalization each product is
LN(W x) ⊙ γ + b, the three parts of W, or of U, normalized together.

Such a network becomes deeper (Miceli Barone et al., 2017, "Deep architectures for Neural Machine Translation") by consecutive cells
within a step, all but the first of which read nothing, and by layers that read the one below.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn import functional

from .config import Model

_EPSILON = 1e-9


@dataclass(frozen=True)
class Cell:
    """One cell by the prefix of its parameters."""

    name: str
    #: Width of what it reads; 0 for nothing.
    inner: int
    #: Whether its biases are added to the product with the state.
    inside: bool = False


#: Consecutive cells.
Layer = list[Cell]


def _layer(names: Callable[[int], str], count: int, inner: int) -> Layer:
    return [Cell(names(number), inner if number == 1 else 0) for number in range(1, count + 1)]


def encoder(model: Model) -> tuple[list[Layer], list[Layer], list[Layer]]:
    """The layers of either direction, and those above both."""
    depth, cells, width = model.encoder_layers, model.encoder_cells, model.recurrent_width
    both_ways = 1 if model.recurrent_encoder == "bi-unidirectional" else depth

    def stack(direction: str) -> list[Layer]:
        first = _layer(lambda cell: f"encoder_{direction}" + (f"_cell{cell}" if cell > 1 else ""), cells, model.dimension)
        return [first, *(_layer(lambda cell, n=n: f"encoder_{direction}_l{n}_cell{cell}", cells, width) for n in range(2, both_ways + 1))]

    upper = [
        _layer(lambda cell, n=n: f"encoder_l{n}_cell{cell}", cells, width * (2 if n == both_ways + 1 else 1))
        for n in range(both_ways + 1, depth + 1)
    ]
    return stack("bi"), stack("bi_r"), upper


def context_width(model: Model) -> int:
    """Width of the encoder's rows."""
    joined = model.recurrent_encoder == "bi-unidirectional" and model.encoder_layers > 1
    return model.recurrent_width * (1 if joined else 2)


def decoder(model: Model) -> tuple[Layer, list[Layer]]:
    """The lowest layer, with attention behind its first cell, and those above it."""
    width, inners = model.recurrent_width, {1: model.dimension, 2: context_width(model)}
    base = [Cell(f"decoder_cell{n}", inners.get(n, 0), inside=n > 1) for n in range(1, model.decoder_base_cells + 1)]
    layers = range(2, model.decoder_layers + 1)
    return base, [_layer(lambda cell, n=n: f"decoder_l{n}_cell{cell}", model.decoder_high_cells, width) for n in layers]


def shapes(model: Model) -> dict[str, tuple[int, int]]:
    """Name → shape of every parameter but embeddings and output layer."""
    inner, width, context = model.dimension, model.recurrent_width, context_width(model)
    normalized = model.recurrent_norm
    result = {}

    def dense(weights: str, bias: str | None, gamma: str, rows: int, columns: int):
        result[weights] = (rows, columns)
        if bias is not None:
            result[bias] = (1, columns)
        if normalized:
            result[gamma] = (1, columns)

    base, upper = decoder(model)
    for cell in [cell for stack in encoder(model) for layer in stack for cell in layer] + base + [cell for layer in upper for cell in layer]:
        for letter, size, number in (("W", cell.inner, 1), ("U", width, 2)):
            if size == 0:
                continue
            result[f"{cell.name}_{letter}"] = (size, 2 * width)
            result[f"{cell.name}_{letter}x"] = (size, width)
            if normalized:
                result[f"{cell.name}_gamma{number}"] = (1, 3 * width)
        result |= {f"{cell.name}_b": (1, 2 * width), f"{cell.name}_bx": (1, width)}
    dense("decoder_ff_state_W", "decoder_ff_state_b", "decoder_ff_state_gamma", context, width)
    dense("decoder_Wc_att", "decoder_b_att", "decoder_att_gamma1", context, context)
    dense("decoder_W_comb_att", None, "decoder_att_gamma2", width, context)
    result["decoder_U_att"] = (context, 1)
    for number, rows in enumerate((inner, width, context)):
        name = "decoder_ff_logit_l1"
        dense(f"{name}_W{number}", f"{name}_b{number}", f"{name}_gamma{number}", rows, inner)
    return result


class Recurrence:
    """The arithmetic. `weight` gives a parameter by its name, `product` multiplies rows by the parameter of a name."""

    def __init__(self, model: Model, weight: Callable, product: Callable):
        self._weight, self._product, self._normalized = weight, product, model.recurrent_norm
        self._skip, self._alternating = model.recurrent_skip, model.recurrent_encoder == "alternating"
        self._forward, self._backward, self._above = encoder(model)
        self._base, self._upper = decoder(model)

    def _dense(self, x, weights: tuple[str, ...], biases: tuple[str, ...], gamma: str):
        y = torch.cat([self._product(name, x) for name in weights], -1)
        bias = torch.cat([self._weight(name).flatten() for name in biases]) if biases else None
        if self._normalized:
            return functional.layer_norm(y.float(), y.shape[-1:], self._weight(gamma).flatten(), bias, _EPSILON)
        return y if bias is None else y + bias

    def _part(self, cell: Cell, letter: str, x):
        biases = (f"{cell.name}_b", f"{cell.name}_bx") if cell.inside == (letter == "U") else ()
        gamma = f"{cell.name}_gamma{1 if letter == 'W' else 2}"
        return self._dense(x, (f"{cell.name}_{letter}", f"{cell.name}_{letter}x"), biases, gamma)

    def _inputs(self, cell: Cell, x):
        """What inputs contribute to a cell: for many steps at once it is one product."""
        return self._part(cell, "W", x)

    def _cell(self, cell: Cell, inputs, state):
        """The next state; without `inputs`, of a cell that reads nothing."""
        if inputs is None:
            biases = torch.cat([self._weight(f"{cell.name}_{name}").flatten() for name in ("b", "bx")])
            inputs = torch.zeros_like(biases) if cell.inside else biases
        (a, b, c), (u, v, w) = inputs.chunk(3, -1), self._part(cell, "U", state).chunk(3, -1)
        keep = torch.sigmoid(b + v)
        return (1 - keep) * torch.tanh(c + torch.sigmoid(a + u) * w) + keep * state

    def _cells(self, layer: Layer, inputs, state):
        """The state after all cells of a layer, of which the first reads."""
        for cell in layer:
            state, inputs = self._cell(cell, inputs, state), None
        return state

    def _read(self, layer: Layer, x, mask, backwards: bool):
        """The states of a layer at each piece."""
        inputs = self._inputs(layer[0], x)
        steps = range(x.shape[1])
        state = inputs.new_zeros(x.shape[0], inputs.shape[-1] // 3)
        states = [state] * x.shape[1]
        for step in reversed(steps) if backwards else steps:
            state = torch.where(mask[:, step, None], self._cells(layer, inputs[:, step], state), state)
            states[step] = state
        return torch.stack(states, 1)

    def _transduce(self, stack: list[Layer], x, mask, backwards: bool):
        for depth, layer in enumerate(stack):
            y = self._read(layer, x, mask, backwards)
            x = y + x if self._skip and depth else y
            backwards ^= self._alternating
        return x

    def encode(self, x, mask):
        """Embedded sources and their mask (sentences × longest) → rows of both directions, zeros where there is no piece."""
        directions = [self._transduce(self._forward, x, mask, False), self._transduce(self._backward, x, mask, True)]
        return self._transduce(self._above, torch.cat(directions, -1), mask, False) * mask[..., None]

    def first_state(self, memory, mask):
        """What each layer of the decoder starts from (sentences × layers × width), made from the mean of the encoder's rows."""
        mean = memory.sum(1) / mask.sum(1, keepdim=True)
        first = torch.tanh(self._dense(mean, ("decoder_ff_state_W",), ("decoder_ff_state_b",), "decoder_ff_state_gamma"))
        return first[:, None].expand(-1, 1 + len(self._upper), -1)

    def keys(self, memory):
        """What the encoder's rows contribute to attention scores."""
        return self._dense(memory, ("decoder_Wc_att",), ("decoder_b_att",), "decoder_att_gamma1")

    def words(self, x):
        """What embedded words contribute to the decoder's first cell."""
        return self._inputs(self._base[0], x)

    def step(self, inputs, state, keys, memory, mask):
        """One step of the decoder from what its word contributes: the next state, what the output sees of it, the context, and the
        attention weights."""
        lowest, *others = state.unbind(1)
        lowest = self._cell(self._base[0], inputs, lowest)
        query = self._dense(lowest, ("decoder_W_comb_att",), (), "decoder_att_gamma2")
        scores = (torch.tanh(keys + query[:, None]) @ self._weight("decoder_U_att"))[..., 0].float()
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        context = (weights[:, None].to(memory.dtype) @ memory)[:, 0]
        lowest = self._cells(self._base[1:], self._inputs(self._base[1], context), lowest)
        states, x = [lowest], lowest
        for layer, own in zip(self._upper, others):
            states.append(self._cells(layer, self._inputs(layer[0], x), own))
            x = x + states[-1] if self._skip else states[-1]
        return torch.stack(states, 1), x, context, weights

    def output(self, words, states, contexts):
        """The input of the output layer."""
        name = "decoder_ff_logit_l1"
        parts = (self._dense(x, (f"{name}_W{i}",), (f"{name}_b{i}",), f"{name}_gamma{i}") for i, x in enumerate((words, states, contexts)))
        return torch.tanh(sum(parts))
