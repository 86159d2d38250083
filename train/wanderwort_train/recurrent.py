"""Recurrent networks, Marian's `type: s2s` with GRU cells, of one layer each way: their parameters, and their arithmetic in plain PyTorch.

The encoder reads both ways (Bahdanau et al., 2015, section 3.2). In a step of the decoder a first cell reads the last word, attention
looks from its state, and a second cell reads what it found (Sennrich et al., 2017, "Nematus", section 2). The output sees the word, the state and the
context. A cell with input x and state s:

    r = σ(W_r x + U_r s)    z = σ(W_z x + U_z s)    h = tanh(W_h x + r ⊙ U_h s)    next state (1 − z) ⊙ h + z ⊙ s

The biases stand beside W; those of the cell behind attention beside U. With normalization each product is LN(W x) ⊙ γ + b, the three parts
of W, or of U, normalized together.
"""

from collections.abc import Callable

import torch
from torch.nn import functional

from .config import Model

_EPSILON = 1e-9
#: Cell → whether its biases stand beside what multiplies the state.
_CELLS = {"encoder_bi": False, "encoder_bi_r": False, "decoder_cell1": False, "decoder_cell2": True}


def shapes(model: Model) -> dict[str, tuple[int, int]]:
    """Name → shape of every parameter but embeddings and output layer."""
    inner, width, context = model.dimension, model.recurrent_width, 2 * model.recurrent_width
    normalized = model.recurrent_norm
    result = {}

    def dense(weights: str, bias: str | None, gamma: str, rows: int, columns: int):
        result[weights] = (rows, columns)
        if bias is not None:
            result[bias] = (1, columns)
        if normalized:
            result[gamma] = (1, columns)

    for cell in _CELLS:
        rows = context if cell == "decoder_cell2" else inner
        for letter, size, number in (("W", rows, 1), ("U", width, 2)):
            result[f"{cell}_{letter}"] = (size, 2 * width)
            result[f"{cell}_{letter}x"] = (size, width)
            if normalized:
                result[f"{cell}_gamma{number}"] = (1, 3 * width)
        result |= {f"{cell}_b": (1, 2 * width), f"{cell}_bx": (1, width)}
    dense("decoder_ff_state_W", "decoder_ff_state_b", "decoder_ff_state_gamma", context, width)
    dense("decoder_Wc_att", "decoder_b_att", "decoder_att_gamma1", context, context)
    dense("decoder_W_comb_att", None, "decoder_att_gamma2", width, context)
    result["decoder_U_att"] = (context, 1)
    for number, rows in enumerate((inner, width, context)):
        name = "decoder_ff_logit_l1"
        dense(f"{name}_W{number}", f"{name}_b{number}", f"{name}_gamma{number}", rows, inner)
    return result


class Recurrence:
    """The arithmetic. `weight` gives a parameter by its name, `product` multiplies rows by the one of a name."""

    def __init__(self, weight: Callable, product: Callable, normalized: bool):
        self._weight, self._product, self._normalized = weight, product, normalized

    def _dense(self, x, weights: tuple[str, ...], biases: tuple[str, ...], gamma: str):
        y = torch.cat([self._product(name, x) for name in weights], -1)
        bias = torch.cat([self._weight(name).flatten() for name in biases]) if biases else None
        if self._normalized:
            return functional.layer_norm(y.float(), y.shape[-1:], self._weight(gamma).flatten(), bias, _EPSILON)
        return y if bias is None else y + bias

    def _part(self, cell: str, letter: str, x):
        biases = (f"{cell}_b", f"{cell}_bx") if _CELLS[cell] == (letter == "U") else ()
        gamma = f"{cell}_gamma{1 if letter == 'W' else 2}"
        return self._dense(x, (f"{cell}_{letter}", f"{cell}_{letter}x"), biases, gamma)

    def inputs(self, cell: str, x):
        """What inputs contribute to a cell: of many steps at once it is one product."""
        return self._part(cell, "W", x)

    def cell(self, cell: str, inputs, state):
        """The next state."""
        (a, b, c), (u, v, w) = inputs.chunk(3, -1), self._part(cell, "U", state).chunk(3, -1)
        keep = torch.sigmoid(b + v)
        return (1 - keep) * torch.tanh(c + torch.sigmoid(a + u) * w) + keep * state

    def encode(self, x, mask):
        """Embedded sources and their mask (sentences × longest) → rows of both directions, zeros where there is no piece."""
        directions = []
        for cell, steps in (("encoder_bi", range(x.shape[1])), ("encoder_bi_r", reversed(range(x.shape[1])))):
            inputs = self.inputs(cell, x)
            state = inputs.new_zeros(x.shape[0], inputs.shape[-1] // 3)
            states = [state] * x.shape[1]
            for step in steps:
                state = torch.where(mask[:, step, None], self.cell(cell, inputs[:, step], state), state)
                states[step] = state
            directions.append(torch.stack(states, 1))
        return torch.cat(directions, -1) * mask[..., None]

    def first_state(self, memory, mask):
        """What the decoder starts from: made of the mean of the encoder's rows."""
        mean = memory.sum(1) / mask.sum(1, keepdim=True)
        return torch.tanh(self._dense(mean, ("decoder_ff_state_W",), ("decoder_ff_state_b",), "decoder_ff_state_gamma"))

    def keys(self, memory):
        """What the encoder's rows contribute to scores of attention."""
        return self._dense(memory, ("decoder_Wc_att",), ("decoder_b_att",), "decoder_att_gamma1")

    def step(self, inputs, state, keys, memory, mask):
        """One step of the decoder from what its word contributes: the next state, the context, and where attention looked."""
        state = self.cell("decoder_cell1", inputs, state)
        query = self._dense(state, ("decoder_W_comb_att",), (), "decoder_att_gamma2")
        scores = (torch.tanh(keys + query[:, None]) @ self._weight("decoder_U_att"))[..., 0].float()
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        context = (weights[:, None].to(memory.dtype) @ memory)[:, 0]
        return self.cell("decoder_cell2", self.inputs("decoder_cell2", context), state), context, weights

    def output(self, words, states, contexts):
        """What the output layer takes."""
        name = "decoder_ff_logit_l1"
        parts = (self._dense(x, (f"{name}_W{i}",), (f"{name}_b{i}",), f"{name}_gamma{i}") for i, x in enumerate((words, states, contexts)))
        return torch.tanh(sum(parts))
