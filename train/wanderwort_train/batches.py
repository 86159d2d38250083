"""Prepared pairs → batches of packed rows, in an order that a seed determines and any run can resume."""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy
import torch

from .errors import TrainingError
from .files import load_array
from .operators import to_device


@dataclass
class Batch:
    """Packed rows of some sentence pairs. Offsets stay in the processor's memory, see `operators.Packing`."""

    source_ids: torch.Tensor
    source_offsets: torch.Tensor
    #: What the decoder reads: the target shifted by one, −1 (a zero embedding) first.
    input_ids: torch.Tensor
    #: What it must predict.
    target_ids: torch.Tensor
    target_offsets: torch.Tensor
    #: Positions in the flat first-head probabilities (per sentence its targets × sources) that are aligned, and the
    #: share of each: those of a target word's links add up to one.
    link_positions: torch.Tensor
    link_shares: torch.Tensor
    sentences: int
    #: Rows of the target where a teacher's predictions do not count (`Corpus.taught`).
    untaught: torch.Tensor = field(default_factory=lambda: torch.zeros(0, dtype=torch.int64))

    def leave_untaught(self, sentences: numpy.ndarray):
        """Says for each sentence whether a teacher's predictions do not count there."""
        lengths = numpy.diff(self.target_offsets.numpy())
        self.untaught = torch.from_numpy(numpy.flatnonzero(numpy.repeat(sentences, lengths)))

    def to(self, device: torch.device) -> "Batch":
        """The batch on another device."""
        if device.type == "cpu":
            return self
        names = ("source_ids", "input_ids", "target_ids", "link_positions", "link_shares", "untaught")
        return replace(self, **{name: to_device(getattr(self, name), device) for name in names})


def pack(sources: list, targets: list, links: list | None = None) -> Batch:
    """Makes a batch of id arrays (each ended by `</s>`) and, if given, their alignment links."""
    source_lengths = numpy.array([len(x) for x in sources], numpy.int64)
    target_lengths = numpy.array([len(x) for x in targets], numpy.int64)
    source_offsets = numpy.concatenate([[0], numpy.cumsum(source_lengths)])
    target_offsets = numpy.concatenate([[0], numpy.cumsum(target_lengths)])
    target_ids = numpy.concatenate(targets).astype(numpy.int64)
    input_ids = numpy.empty_like(target_ids)
    input_ids[1:] = target_ids[:-1]
    input_ids[target_offsets[:-1]] = -1
    positions, shares = numpy.zeros(0, numpy.int64), numpy.zeros(0, numpy.float32)
    if links is not None:
        counts = [len(x) for x in links]
        flat = numpy.concatenate(links).astype(numpy.int64) if counts else positions
        sentence = numpy.repeat(numpy.arange(len(links)), counts)
        areas = numpy.concatenate([[0], numpy.cumsum(source_lengths * target_lengths)])
        target_position = flat & 0xFFFF
        positions = areas[sentence] + target_position * source_lengths[sentence] + (flat >> 16)
        row = target_offsets[sentence] + target_position
        shares = (1.0 / numpy.bincount(row, minlength=len(target_ids))[row]).astype(numpy.float32)
    tensor = torch.from_numpy
    return Batch(
        tensor(numpy.concatenate(sources).astype(numpy.int64)),
        tensor(source_offsets),
        tensor(input_ids),
        tensor(target_ids),
        tensor(target_offsets),
        tensor(positions),
        tensor(shares),
        len(sources),
    )


class Prepared:
    """The arrays that the step `prepare` wrote."""

    def __init__(self, folder: Path):
        names = ("source_tokens", "source_offsets", "target_tokens", "target_offsets", "corpora", "lines", "links", "link_offsets")
        for name in names:
            setattr(self, name, load_array(folder, name))
        self.pairs = len(self.corpora)
        lengths = {len(self.source_offsets), len(self.target_offsets), len(self.link_offsets)}
        if lengths != {self.pairs + 1}:
            raise TrainingError(f"{folder}: the arrays do not belong together; run the step `prepare` again")
        self.source_lengths = numpy.diff(self.source_offsets)
        self.target_lengths = numpy.diff(self.target_offsets)

    def source(self, pair: int) -> numpy.ndarray:
        return self.source_tokens[self.source_offsets[pair] : self.source_offsets[pair + 1]]

    def target(self, pair: int) -> numpy.ndarray:
        return self.target_tokens[self.target_offsets[pair] : self.target_offsets[pair + 1]]

    def alignment(self, pair: int) -> numpy.ndarray:
        return self.links[self.link_offsets[pair] : self.link_offsets[pair + 1]]


def drawn(data: Prepared, weights: list[float], lines: int, seed: int) -> numpy.ndarray:
    """`lines` pairs without repetition, in order, in proportion to their corpora's weights; all for 0.

    The first events of Poisson processes with these rates are such a draw (Efraimidis and Spirakis, 2006).
    """
    if not 0 < lines < data.pairs:
        return numpy.arange(data.pairs)
    rates = numpy.asarray(weights, numpy.float64)[data.corpora]
    with numpy.errstate(divide="ignore"):
        times = numpy.random.default_rng(seed).exponential(size=data.pairs) / rates
    found = numpy.argpartition(times, lines - 1)[:lines]
    return numpy.sort(found[numpy.isfinite(times[found])])


def epoch_plan(
    data: Prepared, weights: list[float], epoch: int, seed: int, batch_tokens: int, window: int, pair_weights: numpy.ndarray | None = None
) -> list[numpy.ndarray]:
    """The pairs of each batch of an epoch.

    A pair of weight w (that of its corpus, times its own if pairs have some) occurs ⌊w⌋ times and once more with probability
    w − ⌊w⌋. Shuffled pairs are sorted by length within windows, cut into batches of at most `batch_tokens` tokens on either side, and the batches shuffled again.
    """
    rng = numpy.random.default_rng([seed, epoch])
    weight = numpy.asarray(weights, numpy.float64)[data.corpora]
    if pair_weights is not None:
        weight = weight * pair_weights
    repeats = (weight + rng.random(data.pairs)).astype(numpy.int64)
    order = numpy.repeat(numpy.arange(data.pairs), repeats)
    rng.shuffle(order)
    plan = []
    for start in range(0, len(order), window):
        part = order[start : start + window]
        keys = data.target_lengths[part] * 1000 + data.source_lengths[part]
        part = part[numpy.argsort(keys, kind="stable")]
        sizes = numpy.maximum(data.target_lengths[part], data.source_lengths[part])
        batches, begin, total = [], 0, 0
        for i, size in enumerate(sizes.tolist()):
            if total + size > batch_tokens and i > begin:
                batches.append(part[begin:i])
                begin, total = i, 0
            total += size
        batches.append(part[begin:])
        rng.shuffle(batches := numpy.array([*batches, None], dtype=object)[:-1])
        plan.extend(batches)
    return plan


class Stream:
    """An endless stream of batches, made ahead by a thread; `position` says where the consumer is, to continue from there later.

    `packer` makes a batch from pairs, as `pack` or `regularize.Regularizer` does. `prepare` turns a batch and its position
    (epoch, number) into what `next` gives, in that thread too: the copies to a GPU are under way while it computes.
    """

    def __init__(
        self,
        data: Prepared,
        weights: list[float],
        seed: int,
        batch_tokens: int,
        window: int,
        position=(0, 0),
        prepare: Callable = lambda batch, position: batch,
        packer: Callable = lambda sources, targets, links, corpora, position: pack(sources, targets, links),
        pair_weights: numpy.ndarray | None = None,
    ):
        if not any(w > 0 for w in weights):
            raise TrainingError("all corpora have weight 0: nothing to train on")
        self._arguments = data, weights, seed, batch_tokens, window, pair_weights
        self.position = tuple(position)
        self._prepare, self._packer = prepare, packer
        self._queue = queue.Queue(maxsize=16)
        self._stop = threading.Event()
        threading.Thread(target=self._produce, args=self.position, daemon=True).start()

    def _produce(self, epoch, first):
        data, weights, seed, batch_tokens, window, pair_weights = self._arguments
        try:
            while not self._stop.is_set():
                plan = epoch_plan(data, weights, epoch, seed, batch_tokens, window, pair_weights)
                for number in range(first, len(plan)):
                    pairs = plan[number]
                    sides = ([side(i) for i in pairs] for side in (data.source, data.target, data.alignment))
                    batch = self._packer(*sides, data.corpora[pairs], (epoch, number))
                    if not self._put(((epoch, number + 1), self._prepare(batch, (epoch, number)))):
                        return
                epoch, first = epoch + 1, 0
        except Exception as error:  # Handed to the consumer, which alone can report it.
            self._put((None, error))

    def _put(self, item) -> bool:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.5)
                return True
            except queue.Full:
                continue
        return False

    def next(self):
        """The next batch, prepared."""
        position, batch = self._queue.get()
        if isinstance(batch, Exception):
            raise batch
        self.position = position
        return batch

    def close(self):
        """Stops the thread."""
        self._stop.set()
