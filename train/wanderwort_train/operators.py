"""The operations that a network is written in, in two forms.

`Reference` is plain PyTorch: for GPUs, and to check the other form against. `Fused` calls the C++ kernels (native/kernels.cpp)
with hand-written gradients, for processors. Rows of all sentences of a batch lie one after another without padding;
sentence s has rows `offsets[s] : offsets[s + 1]`.
"""

import math

import torch
from torch.autograd import Function
from torch.nn import functional

from . import native, products
from .weights import Weight

EPSILON = 1e-6


def positions(length: int, dimension: int) -> torch.Tensor:
    """Marian's position signal: sines in the first half, cosines in the second, exponents over d/2 − 1."""
    half = dimension // 2
    rates = torch.exp(torch.arange(half, dtype=torch.float64) * -(math.log(10000.0) / (half - 1)))
    angles = torch.arange(length, dtype=torch.float64)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], 1).float()


class Packing:
    """Where sentences lie in packed rows, and how to pad and unpad them.

    Made from offsets in the processor's memory, so that every size is known there: a GPU is never waited for.
    """

    #: Padded lengths are multiples of this, so that compiled code and a GPU's kernels see few different shapes.
    GRAIN = 8

    def __init__(self, offsets: torch.Tensor, device: torch.device):
        lengths = offsets[1:] - offsets[:-1]
        self.sentences = len(lengths)
        longest = int(lengths.max()) if self.sentences else 0
        self.longest = (longest + self.GRAIN - 1) // self.GRAIN * self.GRAIN
        steps = torch.arange(self.longest)
        mask = steps < lengths[:, None]
        place = mask.flatten().nonzero()[:, 0]

        def move(x):
            return to_device(x, device)

        #: Sentences × longest: whether there is a row.
        self.mask = move(mask)
        #: For each row, its index among all padded rows and in its sentence.
        self.places, self.steps = move(place), move(place % max(1, self.longest))
        #: Rows of each sentence, in the processor's memory.
        self.lengths = lengths

    def pad(self, rows: torch.Tensor) -> torch.Tensor:
        """Packed rows → sentences × longest × width, zeros where there is none."""
        padded = rows.new_zeros(self.sentences * self.longest, rows.shape[-1])
        return padded.index_copy(0, self.places, rows).view(self.sentences, self.longest, -1)

    def pack(self, padded: torch.Tensor) -> torch.Tensor:
        """The inverse of `pad`."""
        return padded.flatten(0, 1).index_select(0, self.places)


def to_device(x: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor on another device; the processor goes on while it is copied."""
    return x.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else x.to(device)


class Reference:
    """Plain PyTorch operations on float32 weights (under autocast for bfloat16)."""

    fused = False

    def __init__(self, device: torch.device | None = None):
        self.device = device or torch.device("cpu")

    def packing(self, offsets: torch.Tensor) -> Packing:
        """`offsets` in the processor's memory → what the other operations take as their `packing`."""
        return Packing(offsets, self.device)

    def embed(self, table: Weight, ids: torch.Tensor, packing: Packing, signal: torch.Tensor) -> torch.Tensor:
        """√d · E[id] + position; id −1 stands for a zero embedding."""
        matrix = table.master if table.quantizer is None else table.quantizer.replace(table.master)
        rows = functional.embedding(ids.clamp(min=0), matrix) * (ids >= 0)[:, None]
        return rows * math.sqrt(table.master.shape[1]) + signal[packing.steps]

    def linear(self, x: torch.Tensor, weight: Weight, bias: Weight | None, relu: bool = False) -> torch.Tensor:
        if weight.quantizer is not None:
            y = weight.quantizer.product(x, weight.master)
        else:
            y = x @ weight.master
        if bias is not None:
            y = y + bias.master
        return y.relu() if relu else y

    def add_norm(self, x: torch.Tensor, residual: torch.Tensor, gamma: Weight, beta: Weight) -> torch.Tensor:
        width = x.shape[1]
        total = (x + residual).float()
        return functional.layer_norm(total, (width,), gamma.master.view(width), beta.master.view(width), EPSILON)

    def norm(self, x: torch.Tensor, gamma: Weight, beta: Weight) -> torch.Tensor:
        width = x.shape[1]
        return functional.layer_norm(x.float(), (width,), gamma.master.view(width), beta.master.view(width), EPSILON)

    def links(self, positions: torch.Tensor, queries: Packing, keys: Packing) -> torch.Tensor:
        """Positions in the queries × keys of each sentence, one sentence after another, as positions in what `attention` gives."""
        ends = (queries.lengths * keys.lengths).cumsum(0)
        sentence = torch.searchsorted(ends, positions, right=True)
        width = keys.lengths[sentence]
        inside = positions - (ends - queries.lengths * keys.lengths)[sentence]
        return (sentence * queries.longest + inside // width) * keys.longest + inside % width

    def attention(self, q, k, v, queries: Packing, keys: Packing, heads: int, causal: bool, first_head: bool):
        """Mixed values, and if asked the first head's probabilities, flat; see `links` for where each stands."""
        width = q.shape[1] // heads

        def split(rows, packing):
            padded = packing.pad(rows)
            return padded.view(*padded.shape[:2], heads, width).transpose(1, 2)

        q, k, v = split(q, queries), split(k, keys), split(v, keys)
        mask = keys.mask[:, None, None, :]
        if causal:
            mask = mask & torch.ones(queries.longest, keys.longest, dtype=torch.bool, device=q.device).tril()
        weights = None
        if first_head:
            scores = (q[:, 0] @ k[:, 0].transpose(1, 2) / math.sqrt(width)).float()
            scores = scores.masked_fill(~mask[:, 0], float("-inf"))
            weights = scores.softmax(-1).flatten()
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return queries.pack(mixed.transpose(1, 2).flatten(2)), weights

    def ssru(self, x: torch.Tensor, gate: torch.Tensor, packing: Packing) -> torch.Tensor:
        """relu(c), c_t = f_t c_{t−1} + (1 − f_t) x_t, by prefix doubling: log₂(length) steps instead of length."""
        forget = torch.sigmoid(gate.float())
        cell = packing.pad((1 - forget) * x.float())
        factor = packing.pad(forget)
        shift = 1
        while shift < packing.longest:
            before = functional.pad(cell[:, :-shift], (0, 0, shift, 0))
            cell = cell + factor * before
            factor = factor * functional.pad(factor[:, :-shift], (0, 0, shift, 0), value=1.0)
            shift *= 2
        return packing.pack(cell).relu()

    def running_mean(self, x: torch.Tensor, packing: Packing) -> torch.Tensor:
        """Mean of the rows of a sentence so far (average attention; Zhang et al., 2018)."""
        sums = packing.pad(x.float()).cumsum(1)
        counts = torch.arange(1, packing.longest + 1, device=x.device)[None, :, None]
        return packing.pack(sums / counts)

    def predictions(self, hidden, table: Weight, bias: Weight, candidates=None) -> torch.Tensor:
        """softmax(h Eᵀ + b), rows × words; with `candidates` each of these stands for as many words as its weight says."""
        matrix, offset = table.operand(), bias.master.detach()
        if candidates is not None:
            matrix, offset = matrix[candidates.words], offset[:, candidates.words] + candidates.weights.log()
        return (hidden @ matrix.T).float().add_(offset).softmax(1)

    def output_loss(self, hidden, table: Weight, bias: Weight, targets, smoothing: float, candidates=None, predicted=None):
        """Sum over rows of the cross-entropy of softmax(h Eᵀ + b), with label smoothing over all words alike, or over those that are
        `predicted` (rows × words, see soft_targets.py).

        With `candidates` (see candidates.py) both are estimated from a part of the words.
        """
        if candidates is not None:
            part = table.master[candidates.words]
            if table.quantizer is not None:
                logits = table.quantizer.rows(candidates.words).product(hidden, part, transposed=True)
            else:
                logits = hidden @ part.T
            logits = (logits + bias.master[0, candidates.words]).float()
            standing_for = logits + candidates.weights.log()
            normalizer = standing_for.logsumexp(1)
            correct = logits.gather(1, candidates.targets[:, None])[:, 0]
            if predicted is not None:
                return (normalizer - (1 - smoothing) * correct - smoothing * (standing_for * predicted).sum(1)).sum()
            smooth = logits @ (candidates.weights / candidates.weights.sum())
            return (normalizer - (1 - smoothing) * correct - smoothing * smooth).sum()
        if table.quantizer is not None:
            logits = table.quantizer.product(hidden, table.master, transposed=True)
        else:
            logits = hidden @ table.master.T
        logits = (logits + bias.master).float()
        if predicted is not None:
            correct = logits.gather(1, targets[:, None])[:, 0]
            return (logits.logsumexp(1) - (1 - smoothing) * correct - smoothing * (logits * predicted).sum(1)).sum()
        return functional.cross_entropy(logits, targets, reduction="sum", label_smoothing=smoothing)


class _Embed(Function):
    @staticmethod
    def forward(ctx, master, weight, ids, offsets, signal):
        ctx.weight, ctx.ids = weight, ids
        steps = torch.empty(0) if weight.quantizer is None else weight.quantizer.step
        return native.load("kernels").embed(weight.operand(), ids, offsets, signal, steps)

    @staticmethod
    def backward(ctx, dy):
        native.load("kernels").embed_backward(dy.contiguous(), ctx.ids, ctx.weight.gradient)
        return None, None, None, None, None


class _Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, relu):
        if weight.quantizer is not None:
            x, y = weight.quantizer.fused_product(ctx, x)
        else:
            y = products.product(x, weight.operand())
        if bias is not None:
            native.load("kernels").add_bias_(y, bias.master.detach(), relu)
        elif relu:
            y.relu_()
        ctx.save_for_backward(x, y if relu else None)
        ctx.weight, ctx.bias = weight, bias
        return y

    @staticmethod
    def backward(ctx, dy):
        x, activation = ctx.saved_tensors
        kernels = native.load("kernels")
        dy = dy.contiguous()
        if ctx.bias is not None:
            # With an activation this also clears the gradient of what the ReLU cut off, in place: `dy` comes
            # from the next product alone and nothing else reads it.
            kernels.bias_backward(dy, activation, ctx.bias.gradient)
        for part in products.sums(x, dy):
            kernels.accumulate(ctx.weight.gradient, part)
        if ctx.weight.quantizer is not None:
            dx = ctx.weight.quantizer.fused_backward(ctx, dy)
        else:
            dx = products.product(dy, ctx.weight.operand().T)
        return dx, None, None, None


class _AddNorm(Function):
    @staticmethod
    def forward(ctx, x, residual, gamma, beta):
        kernels = native.load("kernels")
        y, total, statistics = kernels.add_norm(x, residual, gamma.master.detach(), beta.master.detach(), EPSILON)
        ctx.save_for_backward(total, statistics)
        ctx.gamma, ctx.beta = gamma, beta
        return y

    @staticmethod
    def backward(ctx, dy):
        total, statistics = ctx.saved_tensors
        gamma, beta = ctx.gamma, ctx.beta
        dx = native.load("kernels").add_norm_backward(
            dy.contiguous(), total, statistics, gamma.master.detach(), gamma.gradient, beta.gradient
        )
        return dx, dx, None, None


class _Attention(Function):
    @staticmethod
    def forward(ctx, q, k, v, q_offsets, k_offsets, heads, causal, first_head):
        ctx.save_for_backward(q, k, v)
        ctx.rest = q_offsets, k_offsets, heads, causal
        ctx.set_materialize_grads(False)
        return native.load("kernels").attention(q, k, v, q_offsets, k_offsets, heads, causal, first_head)

    @staticmethod
    def backward(ctx, dy, weights_gradient):
        q, k, v = ctx.saved_tensors
        if dy is None:
            dy = torch.zeros_like(q)
        if weights_gradient is None:
            weights_gradient = torch.empty(0)
        dq, dk, dv = native.load("kernels").attention_backward(
            dy.contiguous(), weights_gradient.contiguous(), q, k, v, *ctx.rest
        )
        return dq, dk, dv, None, None, None, None, None


class _Ssru(Function):
    @staticmethod
    def forward(ctx, x, gate, offsets):
        y, cells = native.load("kernels").ssru(x, gate, offsets)
        ctx.save_for_backward(x, gate, cells, offsets)
        return y

    @staticmethod
    def backward(ctx, dy):
        dx, dgate = native.load("kernels").ssru_backward(dy.contiguous(), *ctx.saved_tensors)
        return dx, dgate, None


class _OutputLoss(Function):
    """The gradients are computed along with the loss, while the logits exist; they scale with the loss's own."""

    @staticmethod
    def forward(ctx, hidden, table, bias, targets, smoothing, scale, training, buffer, candidates, predicted):
        kernels = native.load("kernels")
        operand, offset, quantizer = table.operand(), bias.master.detach(), table.quantizer
        constant = 0.0
        if candidates is None:
            shares = torch.full_like(offset, 1 / offset.numel())
        else:
            # A word that stands for w words is one whose logit is larger by log w; the smoothed targets ask for the
            # logit without it, hence the constant.
            correction = candidates.weights.log()
            shares = candidates.weights / candidates.weights.sum()
            offset = offset[:, candidates.words] + correction
            targets, constant = candidates.targets, smoothing * float(shares @ correction)
            if quantizer is None:
                operand = operand[candidates.words]
            else:
                quantizer = quantizer.rows(candidates.words)
        if predicted is not None:
            # These are shares of what the words stand for, so they ask for the logits with it.
            shares, constant = predicted, 0.0
        if quantizer is not None:
            hidden, logits = quantizer.fused_product(ctx, hidden, transposed=True)
        else:
            logits = products.product(hidden, operand.T, out=buffer)
        losses = kernels.cross_entropy_(logits, offset, targets, shares, smoothing, scale)
        if training:
            gradient = bias.gradient if candidates is None else torch.zeros_like(offset)
            kernels.bias_backward(logits, None, gradient)
            if candidates is None:
                for part in products.sums(logits, hidden):
                    kernels.accumulate(table.gradient, part)
            else:
                bias.gradient.index_add_(1, candidates.words, gradient)
                for part in products.sums(logits, hidden):
                    table.gradient.index_add_(0, candidates.words, part.float())
            if quantizer is not None:
                dx = quantizer.fused_backward(ctx, logits, transposed=True)
            else:
                dx = products.product(logits, operand)
            ctx.save_for_backward(dx)
        return losses.sum() + constant * len(losses)

    @staticmethod
    def backward(ctx, scale):
        # The caller states the factor of this loss in the total beforehand (`scale`), so its gradient is already included.
        (dx,) = ctx.saved_tensors
        return dx, None, None, None, None, None, None, None, None, None


class Fused(Reference):
    """C++ kernels on the processor; gradients of weights are added to `Weight.gradient` directly."""

    fused = True

    def __init__(self):
        super().__init__()
        self._buffer = None

    def packing(self, offsets):
        packing = Packing.__new__(Packing)
        packing.offsets = offsets
        return packing

    def links(self, positions, queries, keys):
        return positions

    def embed(self, table, ids, packing, signal):
        return _Embed.apply(table.master, table, ids, packing.offsets, signal)

    def linear(self, x, weight, bias, relu=False):
        return _Linear.apply(x, weight, bias, relu)

    def add_norm(self, x, residual, gamma, beta):
        return _AddNorm.apply(x, residual, gamma, beta)

    def norm(self, x, gamma, beta):
        return _AddNorm.apply(x, torch.zeros_like(x), gamma, beta)

    def attention(self, q, k, v, queries, keys, heads, causal, first_head):
        mixed, weights = _Attention.apply(q, k, v, queries.offsets, keys.offsets, heads, causal, first_head)
        return mixed, weights if first_head else None

    def ssru(self, x, gate, packing):
        return _Ssru.apply(x, gate, packing.offsets)

    def running_mean(self, x, packing):
        return super().running_mean(x, Packing(packing.offsets, self.device)).to(x.dtype)

    def output_loss(self, hidden, table, bias, targets, smoothing, candidates=None, predicted=None, scale=1.0):
        """As in `Reference`, but the gradient is that of `scale` times the result."""
        rows, columns = hidden.shape[0], table.master.shape[0] if candidates is None else len(candidates.words)
        buffer = None
        if table.quantizer is None:
            size = rows * columns
            if self._buffer is None or self._buffer.numel() < size or self._buffer.dtype != hidden.dtype:
                self._buffer = torch.empty(size * 5 // 4, dtype=hidden.dtype)
            buffer = self._buffer[:size].view(rows, columns)
        training = hidden.requires_grad and torch.is_grad_enabled()
        return _OutputLoss.apply(hidden, table, bias, targets, smoothing, scale, training, buffer, candidates, predicted)
