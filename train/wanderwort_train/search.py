"""Translation with PyTorch in float32: greedy and beam search, with the state of the decoder kept from step to step.

This is the definition that the exported model must agree with; it runs on padded batches and plain operations, so that
nothing but the weights is shared with training.
"""

import math

import numpy
import torch
from torch.nn import functional

from .config import Model
from .operators import EPSILON, positions
from .recurrent import Recurrence
from .vocabulary import END, UNKNOWN
from .weights import norm_stem, output_bias, tables


class Translator:
    """Weights by Marian's names as float32 tensors, and the decoding of sentences with them.

    `products` may replace the plain matrix product (quantization.py does, to emulate the engine's integers): a
    function (name of the weight, input rows, weight, transposed) → output rows. With `halves` keys and values of the source are rounded to
    bfloat16, as the engine keeps them beside integer products. `observe` is called with the attention
    of each encoder layer: (prefix, probabilities by sentence, head, query and key; mask of the source).
    """

    def __init__(
        self, model: Model, arrays: dict[str, numpy.ndarray], device: torch.device, products=None, observe=None, halves=False
    ):
        self.model, self.device = model, device
        self._halves = halves
        self._observe = observe or (lambda prefix, weights, mask: None)
        self.weights = {name: torch.from_numpy(numpy.asarray(value)).to(device) for name, value in arrays.items()}
        self._signal = positions(1024, model.dimension).to(device)
        self._recurrence = Recurrence(
            model, self.weights.__getitem__, lambda name, x: self._product(name, x, self.weights[name], False)
        )
        self._product = products or (lambda name, x, w, transposed: x @ (w.T if transposed else w))

    def arrays(self) -> dict[str, numpy.ndarray]:
        """The weights by name."""
        return {name: value.cpu().numpy() for name, value in self.weights.items()}

    def _linear(self, x, prefix, suffix, bias=True):
        name = f"{prefix}_W{suffix}"
        y = self._product(name, x, self.weights[name], False)
        return y + self.weights[f"{prefix}_b{suffix}"] if bias else y

    def _norm(self, x, stem, suffix=""):
        d = self.model.dimension
        gamma, beta = self.weights[f"{stem}_ln_scale{suffix}"], self.weights[f"{stem}_ln_bias{suffix}"]
        return functional.layer_norm(x, (d,), gamma.view(d), beta.view(d), EPSILON)

    def _enter(self, x, sublayer):
        """What a sublayer computes from."""
        return x if self.model.norm == "post" else self._norm(x, norm_stem(sublayer, before=True), "_pre")

    def _leave(self, update, x, sublayer):
        """What a sublayer gives, joined with what it was given."""
        return self._norm(update + x, norm_stem(sublayer, before=False)) if self.model.norm == "post" else update + x

    def _top(self, x, stack):
        return x if self.model.norm == "post" else self._norm(x, f"{stack}_top")

    def _split(self, x):
        width = self.model.dimension // self.model.heads
        return x.view(*x.shape[:-1], x.shape[-1] // width, width).transpose(-2, -3)

    def _attend(self, q, k, v, mask):
        """Queries × keys of split heads; the mask is True where a key counts. Returns mixed rows and probabilities."""
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        mixed = (weights @ v).transpose(-2, -3)
        return mixed.flatten(-2), weights

    def _feed_forward(self, x, prefix):
        return self._leave(self._linear(self._linear(self._enter(x, prefix), prefix, "1").relu(), prefix, "2"), x, prefix)

    def embed(self, table: str, ids, start: int):
        """√d · E + position of ids (sentences × steps); −1 is a zero embedding."""
        rows = self.weights[table][ids.clamp(min=0)] * (ids >= 0)[..., None]
        if self.model.architecture == "recurrent":
            return rows
        return rows * math.sqrt(self.model.dimension) + self._signal[start : start + ids.shape[1]]

    def encode(self, ids, mask):
        """Source ids and mask (sentences × longest) → contextual rows."""
        x = self.embed(tables(self.model)[0], ids, 0)
        if self.model.architecture == "recurrent":
            return self._recurrence.encode(x, mask)
        for i in range(1, self.model.encoder_layers + 1):
            prefix = f"encoder_l{i}_self"
            if self.weights[f"{prefix}_Wq"].shape[1]:
                entering = self._enter(x, prefix)
                q, k, v = (self._split(self._linear(entering, prefix, letter)) for letter in "qkv")
                mixed, weights = self._attend(q, k, v, mask[:, None, None, :])
                self._observe(prefix, weights, mask)
                out = self._linear(mixed, prefix, "o")
            else:
                out = self.weights[f"{prefix}_bo"]
            x = self._leave(out, x, prefix)
            x = self._feed_forward(x, f"encoder_l{i}_ffn")
        return self._top(x, "encoder")

    def start(self, memory, mask):
        """Decoder state before the first word: projected keys and values of the source, and empty recurrences."""
        if self.model.architecture == "recurrent":
            recurrence = self._recurrence
            first = recurrence.first_state(memory, mask)
            return {"mask": mask, "step": 0, "state": first, "keys": recurrence.keys(memory), "memory": memory}
        state = {"mask": mask[:, None, None, :], "step": 0}
        for i in range(1, self.model.decoder_layers + 1):
            prefix = self._prefix(i)
            for letter in "kv":
                rows = self._linear(memory, f"{prefix}_context", letter)
                state[f"{letter}{i}"] = self._split(rows.bfloat16().float() if self._halves else rows)
            if self.model.decoder != "self-attention":
                state[f"c{i}"] = memory.new_zeros(memory.shape[0], 1, self.model.dimension)
        return state

    def _prefix(self, layer: int) -> str:
        return "decoder_l1" if self.model.tied_decoder else f"decoder_l{layer}"

    def step(self, ids, state, normalized=False):
        """Previous ids (sentences × 1) → logits of the next, or log-probabilities if `normalized`, and first-head weights;
        the state advances."""
        if self.model.architecture == "recurrent":
            hidden, weights = self._recurrent_step(ids, state)
            return self._logits(hidden, normalized), weights
        x = self.embed(tables(self.model)[1], ids, state["step"])
        for i in range(1, self.model.decoder_layers + 1):
            prefix = self._prefix(i)
            if self.model.decoder == "ssru":
                rnn = f"{prefix}_rnn"
                entering = self._enter(x, rnn)
                forget = self._linear(entering, rnn, "f").sigmoid()
                state[f"c{i}"] = forget * state[f"c{i}"] + (1 - forget) * self._linear(entering, rnn, "", bias=False)
                x = self._leave(state[f"c{i}"].relu(), x, rnn)
            elif self.model.decoder == "average-attention":
                aan = f"{prefix}_aan"
                state[f"c{i}"] = state[f"c{i}"] + x
                y = self._enter(state[f"c{i}"] / (state["step"] + 1), aan)
                if f"{aan}_W1" in self.weights:
                    y = functional.silu(self._linear(y, aan, "1"))
                if f"{aan}_W2" in self.weights:
                    y = self._linear(y, aan, "2")
                if self.model.average_gate:
                    keep, take = self._linear(x, aan, "i").sigmoid(), self._linear(y, aan, "f").sigmoid()
                    y = keep * x + take * y
                x = self._leave(y, x, aan)
            else:
                own = f"{prefix}_self"
                entering = self._enter(x, own)
                q, k, v = (self._split(self._linear(entering, own, letter)) for letter in "qkv")
                if state["step"]:
                    k, v = torch.cat([state[f"sk{i}"], k], 2), torch.cat([state[f"sv{i}"], v], 2)
                state[f"sk{i}"], state[f"sv{i}"] = k, v
                everything = torch.ones(1, 1, 1, k.shape[2], dtype=torch.bool, device=self.device)
                mixed, _ = self._attend(q, k, v, everything)
                x = self._leave(self._linear(mixed, own, "o"), x, own)
            context = f"{prefix}_context"
            q = self._split(self._linear(self._enter(x, context), context, "q"))
            mixed, weights = self._attend(q, state[f"k{i}"], state[f"v{i}"], state["mask"])
            x = self._leave(self._linear(mixed, context, "o"), x, context)
            x = self._feed_forward(x, f"{prefix}_ffn")
        state["step"] += 1
        return self._logits(self._top(x, "decoder")[:, 0], normalized), weights[:, 0, 0]

    def _recurrent_step(self, ids, state):
        recurrence = self._recurrence
        words = self.embed(tables(self.model)[1], ids, state["step"])[:, 0]
        inputs = recurrence.words(words)
        state["state"], top, context, weights = recurrence.step(inputs, state["state"], state["keys"], state["memory"], state["mask"])
        state["step"] += 1
        return recurrence.output(words, top, context), weights

    def _logits(self, hidden, normalized: bool):
        table = tables(self.model)[2]
        logits = self._product(table, hidden, self.weights[table], True) + self.weights[output_bias(self.model)]
        if normalized:
            logits = logits.log_softmax(-1)
        # Marian never says <unk>.
        logits[:, UNKNOWN] = float("-inf")
        return logits

    def _pad(self, sources):
        """Id lists → ids and mask, sentences × longest."""
        longest = max(len(x) for x in sources)
        ids = torch.zeros(len(sources), longest, dtype=torch.int64)
        mask = torch.zeros(len(sources), longest, dtype=torch.bool)
        for row, source in enumerate(sources):
            ids[row, : len(source)] = torch.as_tensor(numpy.asarray(source, numpy.int64))
            mask[row, : len(source)] = True
        return ids.to(self.device), mask.to(self.device)

    @torch.no_grad()
    def greedy(self, sources: list, length_factor: float = 2.0, candidates: list | None = None) -> list[list[int]]:
        """Best next piece at each step, for sources ended by `</s>`; the results have no `</s>`.

        A translation has at most `length_factor` times as many pieces as its own source, with `</s>` counted. With
        `candidates`, a list of ids for each source, it uses no other pieces.
        """
        ids, mask = self._pad(sources)
        excluded = None
        if candidates is not None:
            excluded = torch.ones(len(sources), self.weights[output_bias(self.model)].shape[1], dtype=torch.bool, device=self.device)
            for row, allowed in enumerate(candidates):
                excluded[row, torch.as_tensor(sorted(allowed), device=self.device)] = False
        state = self.start(self.encode(ids, mask), mask)
        limits = [max(1, int(length_factor * len(source))) for source in sources]
        rows = torch.arange(len(sources), device=self.device)
        results = [[] for _ in sources]
        previous = torch.full((len(sources), 1), -1, dtype=torch.int64, device=self.device)
        for step in range(max(limits)):
            logits, _ = self.step(previous, state)
            if excluded is not None:
                logits = logits.masked_fill(excluded[rows], float("-inf"))
            best = logits.argmax(-1)
            keep = []
            for i, (row, piece) in enumerate(zip(rows.tolist(), best.tolist())):
                if piece != END:
                    results[row].append(piece)
                    if step + 1 < limits[row]:
                        keep.append(i)
            if not keep:
                break
            previous = best[:, None]
            if len(keep) < len(rows):
                chosen = torch.tensor(keep, device=self.device)
                rows, previous = rows[chosen], previous[chosen]
                state = _select(state, chosen)
        return results

    def translate(self, sources: list, batch_tokens: int = 4000, progress=None) -> list[list[int]]:
        """Greedy translations of many sources, batched by length."""
        order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
        results = [None] * len(sources)
        start = 0
        while start < len(order):
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(sources[order[end]]) <= batch_tokens:
                end += 1
            chosen = order[start:end]
            for i, result in zip(chosen, self.greedy([sources[i] for i in chosen])):
                results[i] = result
            start = end
            if progress:
                progress(start)
        return results


def _select(state: dict, rows: torch.Tensor) -> dict:
    """The decoder state of chosen rows."""
    return {key: value[rows] if torch.is_tensor(value) else value for key, value in state.items()}


@torch.no_grad()
def beam(models: list[Translator], sources: list, width: int, n_best: int, length_penalty=1.0, length_factor=2.0):
    """Beam search by one model or an ensemble (mean of log-probabilities) over a batch of sources ended by `</s>`.

    As in Marian and the engine: of all continuations, as many of the best stay as the beam is wide; a hypothesis that ends
    leaves, and the beam is narrower by one from then on; at the length limit all end. Returns for each source its `n_best`
    best hypotheses as (pieces without `</s>`, score), best first; the score is log-probability / length ** length_penalty, the length with
    `</s>` if the hypothesis ended by itself.
    """
    device = models[0].device
    states = []
    for model in models:
        ids, mask = model._pad(sources)
        states.append(model.start(model.encode(ids, mask), mask))
    limits = [max(1, math.ceil(length_factor * len(source))) for source in sources]
    finished = [[] for _ in sources]
    # Sentences still searched, and their hypotheses.
    active = list(range(len(sources)))
    hypotheses = [[([], 0.0)] for _ in sources]
    previous = torch.full((len(sources), 1), -1, dtype=torch.int64, device=device)
    length = 0
    while active:
        total = 0
        for model, state in zip(models, states):
            # <unk> has its share of the probabilities, though it is never chosen.
            total = total + model.step(previous, state, normalized=True)[0]
        total = total / len(models)
        size = total.shape[-1]
        length += 1
        rows, pieces, remaining, grown = [], [], [], []
        first = 0
        for sentence, live in zip(active, hypotheses):
            sums = total[first : first + len(live)] + torch.tensor([value for _, value in live], device=device)[:, None]
            top = sums.flatten().topk(width if length == 1 else len(live))
            going = []
            for value, index in zip(top.values.tolist(), top.indices.tolist()):
                if value == -math.inf:
                    continue
                parent, piece = divmod(index, size)
                words = live[parent][0]
                if piece == END or length >= limits[sentence]:
                    words = words if piece == END else [*words, piece]
                    finished[sentence].append((words, value / length**length_penalty))
                else:
                    going.append(([*words, piece], value))
                    rows.append(first + parent)
                    pieces.append(piece)
            first += len(live)
            if going:
                remaining.append(sentence)
                grown.append(going)
        active, hypotheses = remaining, grown
        if active:
            chosen = torch.tensor(rows, device=device)
            states = [_select(state, chosen) for state in states]
            previous = torch.tensor(pieces, device=device)[:, None]
    return [sorted(found, key=lambda item: -item[1])[:n_best] for found in finished]
