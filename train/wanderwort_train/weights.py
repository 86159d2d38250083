"""The weights of a network: Marian's names and shapes, in one flat tensor so that the optimizer makes one pass."""

import json
import math
from dataclasses import dataclass

import numpy
import torch

from . import recurrent
from .config import Model
from .errors import TrainingError
from .vocabulary import Sizes, both


@dataclass
class Weight:
    """One matrix or vector: its float32 values, where its gradient is summed, and the values that products read."""

    name: str
    master: torch.Tensor
    gradient: torch.Tensor
    active: torch.Tensor
    #: Emulates the engine's integers (see quantization.py); None for float products.
    quantizer: object = None

    def operand(self) -> torch.Tensor:
        """What fused products multiply with: the quantizer's levels where there is one, else the values."""
        return self.active.detach() if self.quantizer is None else self.quantizer.levels


def _attention(prefix: str, dimension: int, width: int) -> dict[str, tuple[int, int]]:
    shapes = {}
    for letter in "qkv":
        shapes[f"{prefix}_W{letter}"] = (dimension, width)
        shapes[f"{prefix}_b{letter}"] = (1, width)
    shapes[f"{prefix}_Wo"] = (width, dimension)
    shapes[f"{prefix}_bo"] = (1, dimension)
    return shapes


def _norm(stem: str, dimension: int, suffix: str = "") -> dict[str, tuple[int, int]]:
    return {f"{stem}_ln_scale{suffix}": (1, dimension), f"{stem}_ln_bias{suffix}": (1, dimension)}


def norm_stem(sublayer: str, before: bool) -> str:
    """The name that a sublayer's norm, before or after it, begins with."""
    kind = sublayer.rsplit("_", 1)[-1]
    if kind in ("self", "context"):
        return f"{sublayer}_Wo"
    return sublayer if kind == "rnn" and before else f"{sublayer}_ffn"


def _dense(prefix: str, suffix: str, inputs: int, outputs: int) -> dict[str, tuple[int, int]]:
    return {f"{prefix}_W{suffix}": (inputs, outputs), f"{prefix}_b{suffix}": (1, outputs)}


def _feed_forward(prefix: str, d: int, inner: int) -> dict[str, tuple[int, int]]:
    return _dense(prefix, "1", d, inner) | _dense(prefix, "2", inner, d)


def _average_attention(prefix: str, model: Model) -> dict[str, tuple[int, int]]:
    d, inner = model.dimension, model.average_width
    result = _dense(prefix, "1", d, inner) if inner else {}
    # Marian has no second product if the first already gives the network's width.
    result |= _dense(prefix, "2", inner, d) if inner not in (0, d) else {}
    return result | (_dense(prefix, "i", d, d) | _dense(prefix, "f", d, d) if model.average_gate else {})


#: Which embeddings are tied → those of source, target and output, in this order.
_TABLES = {
    "all": ("Wemb", "Wemb", "Wemb"),
    "target": ("encoder_Wemb", "decoder_Wemb", "decoder_Wemb"),
    "source": ("Wemb", "Wemb", "decoder_ff_logit_out_Wt"),
    "none": ("encoder_Wemb", "decoder_Wemb", "decoder_ff_logit_out_Wt"),
}


def tables(model: Model) -> tuple[str, str, str]:
    """Names of the matrices with a row for each word: of the source, of the target, of the output."""
    source, target, output = _TABLES[model.embeddings]
    return source, target, output.replace("logit_out", "logit_l2") if model.architecture == "recurrent" else output


def output_bias(model: Model) -> str:
    """Name of the bias of the output layer."""
    return "decoder_ff_logit_l2_b" if model.architecture == "recurrent" else "decoder_ff_logit_out_b"


def has_row_for_each_word(name: str) -> bool:
    """Whether a matrix has a row for each word; others have a column for each output."""
    return name.endswith(("Wemb", "_logit_out_Wt", "_logit_l2_Wt"))


def word_count(arrays: dict[str, numpy.ndarray]) -> int:
    """How many words the network of these weights can output."""
    name = next(name for name in ("decoder_ff_logit_out_b", "decoder_ff_logit_l2_b") if name in arrays)
    return arrays[name].shape[1]


def word_counts(arrays: dict[str, numpy.ndarray]) -> Sizes:
    """How many words it knows."""
    target = word_count(arrays)
    source = arrays["encoder_Wemb"].shape[0] if "encoder_Wemb" in arrays else target
    return target if source == target else (source, target)


def shapes(model: Model, sizes: Sizes, encoder_heads: list[int] | None = None) -> dict[str, tuple[int, int]]:
    """Name → shape of every parameter; `encoder_heads` are the heads left in each encoder layer (default: all)."""
    d, inner = model.dimension, model.feed_forward
    head = d // model.heads
    if not isinstance(sizes, int) and model.embeddings in ("all", "source"):
        raise TrainingError(
            f'embeddings = "{model.embeddings}" makes one matrix of those of source and target, but these have vocabularies of their own; '
            'expected "target" or "none"'
        )
    words = dict(zip(tables(model), (both(sizes)[0], both(sizes)[1], both(sizes)[1])))
    result = {name: (count, d) for name, count in words.items()} | {output_bias(model): (1, both(sizes)[1])}
    if model.architecture == "recurrent":
        return result | recurrent.shapes(model)

    def sublayer(prefix: str, own: dict[str, tuple[int, int]]):
        before = model.norm == "pre"
        result.update(own | _norm(norm_stem(prefix, before), d, "_pre" if before else ""))

    for i in range(1, model.encoder_layers + 1):
        width = head * (encoder_heads[i - 1] if encoder_heads else model.heads)
        sublayer(f"encoder_l{i}_self", _attention(f"encoder_l{i}_self", d, width))
        sublayer(f"encoder_l{i}_ffn", _feed_forward(f"encoder_l{i}_ffn", d, inner))
    for i in range(1, (1 if model.tied_decoder else model.decoder_layers) + 1):
        prefix = f"decoder_l{i}"
        if model.decoder == "ssru":
            sublayer(f"{prefix}_rnn", {f"{prefix}_rnn_W": (d, d)} | _dense(f"{prefix}_rnn", "f", d, d))
        elif model.decoder == "average-attention":
            sublayer(f"{prefix}_aan", _average_attention(f"{prefix}_aan", model))
        else:
            sublayer(f"{prefix}_self", _attention(f"{prefix}_self", d, d))
        sublayer(f"{prefix}_context", _attention(f"{prefix}_context", d, d))
        sublayer(f"{prefix}_ffn", _feed_forward(f"{prefix}_ffn", d, inner))
    if model.norm == "pre":
        result |= _norm("encoder_top", d) | _norm("decoder_top", d)
    return result


def description(model: Model, sizes: Sizes, encoder_heads: list[int] | None = None) -> str:
    """What distinguishes the network of a checkpoint from others."""
    return json.dumps([model.described(), encoder_heads or [model.heads] * model.encoder_layers, sizes])


def is_matrix(name: str) -> bool:
    """Whether a parameter is multiplied or looked up: all but biases and norms."""
    *parts, last = name.split("_")
    return last.startswith("W") or last in ("U", "Ux") or (last == "att" and any(part.startswith("W") for part in parts))


def is_bias(name: str) -> bool:
    """Whether a parameter starts at zero and is not a matrix."""
    return name.removesuffix("_pre").removesuffix("_att").rsplit("_", 1)[-1].startswith("b")


def is_norm_scale(name: str) -> bool:
    """Whether a parameter starts at one."""
    return name.removesuffix("_pre").endswith("_ln_scale") or name.rsplit("_", 1)[-1].startswith("gamma")


class Weights:
    """All parameters of one network.

    `copy` is the bfloat16 image that products read, or empty where they read float32. `average` is the exponential
    average that is evaluated and exported, or empty.
    """

    def __init__(self, shapes: dict[str, tuple[int, int]], device: torch.device, precision: str, fused: bool):
        self.shapes = shapes
        # Every part starts on a multiple of 16 floats: full vectors, aligned.
        starts, total = {}, 0
        for name, (rows, columns) in shapes.items():
            starts[name] = total
            total += (rows * columns + 15) // 16 * 16
        self.flat = torch.zeros(total, device=device)
        self.gradient = torch.zeros(total, device=device)
        reduced = fused and precision == "bfloat16"
        self.copy = torch.zeros(total, device=device, dtype=torch.bfloat16) if reduced else torch.empty(0)
        self.items: dict[str, Weight] = {}
        #: Where each lies in the flat tensors.
        self.parts: dict[str, slice] = {}
        for name, shape in shapes.items():
            part = self.parts[name] = slice(starts[name], starts[name] + math.prod(shape))
            master = self.flat[part].view(shape).requires_grad_()
            gradient = self.gradient[part].view(shape)
            master.grad = gradient
            active = self.copy[part].view(shape) if reduced else master
            self.items[name] = Weight(name, master, gradient, active)

    def __getitem__(self, name: str) -> Weight:
        return self.items[name]

    def __contains__(self, name: str) -> bool:
        return name in self.items

    def refresh(self):
        """Brings the bfloat16 image up to date."""
        if self.copy.numel():
            self.copy.copy_(self.flat)

    @torch.no_grad()
    def initialize(self, seed: int):
        """Glorot's uniform distribution for matrices (1/√d normal for embeddings), ones and zeros for norms and biases."""
        generator = torch.Generator().manual_seed(seed)
        for name, (rows, columns) in self.shapes.items():
            target = self.items[name].master.data
            if is_norm_scale(name):
                target.fill_(1)
            elif is_bias(name) or rows == 0 or columns == 0:
                target.zero_()
            elif has_row_for_each_word(name):
                target.copy_(torch.randn(rows, columns, generator=generator) * columns**-0.5)
            else:
                limit = math.sqrt(6 / (rows + columns))
                target.copy_((torch.rand(rows, columns, generator=generator) * 2 - 1) * limit)
        self.refresh()

    def arrays(self, flat: torch.Tensor | None = None) -> dict[str, numpy.ndarray]:
        """Name → float32 array, from the weights or from another flat tensor laid out like them (the average)."""
        flat = (self.flat if flat is None else flat).detach().cpu()
        result, start = {}, 0
        for name, shape in self.shapes.items():
            size = math.prod(shape)
            result[name] = flat[start : start + size].view(shape).numpy().copy()
            start += (size + 15) // 16 * 16
        return result

    @torch.no_grad()
    def load_arrays(self, arrays: dict[str, numpy.ndarray]):
        """Takes over the values of `arrays`, which must hold every name in its shape."""
        for name, shape in self.shapes.items():
            if tuple(arrays[name].shape) != tuple(shape):
                raise ValueError(f"{name}: expected shape {shape}, found {arrays[name].shape}")
            self.items[name].master.data.copy_(torch.from_numpy(numpy.asarray(arrays[name])))
        self.refresh()
