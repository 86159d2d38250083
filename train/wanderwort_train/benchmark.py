"""Step `benchmark`: target tokens per second of the fused kernels and of eager PyTorch, in alternating runs.

Besides the clock it uses the processor's own time, which other work on the machine disturbs less; it also measures how
fast this machine multiplies large matrices, which bounds what any implementation could reach on it.
"""

import statistics
import time

import torch

from . import batches, device
from .candidates import Sampler
from .config import Config, Model
from .forms import refuse_recurrent
from .network import Network
from .operators import Fused, Reference
from .optimizer import Adam
from .training import Trainer, candidate_sampler
from .weights import Weights, shapes

ROUNDS = 5
UPDATES = 4
#: Rows and columns of the square matrices whose product stands for the machine's best.
SQUARE = 2048


def _make(config: Config, vocabulary_size: int, precision: str | None, target: torch.device, sampler: Sampler | None = None):
    """A trainer's loss and optimizer with fresh weights, without its files: fused in this precision, or eager if it is None."""
    fused = precision is not None
    trainer = Trainer.__new__(Trainer)
    trainer.sampler, trainer.soft_targets = sampler, None
    trainer.model, trainer.training = config.model, config.training
    trainer.operators = Fused() if fused else Reference(target)
    trainer.weights = Weights(shapes(config.model, vocabulary_size), target, precision or "float32", fused)
    trainer.weights.initialize(config.seed)
    trainer.network = Network(config.model, trainer.weights, trainer.operators)
    trainer.optimizer = Adam(trainer.weights, config.training, fused)
    return trainer


def _operations(model: Model, vocabulary_size: int, batch: batches.Batch) -> float:
    """Floating-point operations of the matrix products with all weights in one update, attention's own left out.

    Each multiplies every row with its weights once forward, and twice backward: for the gradients of rows and weights.
    """
    of_source = of_target = 0
    for name, (rows, columns) in shapes(model, vocabulary_size).items():
        times = model.decoder_layers if model.tied_decoder and name.startswith("decoder_l") else 1
        if rows == 1 or columns == 1:
            continue
        if name.startswith("encoder") or name.endswith(("context_Wk", "context_Wv")):
            of_source += rows * columns * times
        else:
            of_target += rows * columns * times
    return 3 * 2.0 * (of_source * len(batch.source_ids) + of_target * len(batch.target_ids))


def _best_rate(target: torch.device, precision: str) -> float:
    """Floating-point operations per second in a product of large square matrices, the best of several."""
    a, b = (torch.randn(SQUARE, SQUARE, device=target, dtype=getattr(torch, precision)) for _ in range(2))
    best = float("inf")
    for _ in range(8):
        started = time.perf_counter()
        a @ b
        if target.type == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - started)
    return 2 * SQUARE**3 / best


def run(config: Config):
    """Prints a line per form: median and best tokens per second; then what the machine's products alone would allow."""
    refuse_recurrent(config, "benchmark")
    target = device.choose(config)
    data = batches.Prepared(config.data.folder)
    weights = [item.weight for item in config.data.corpora]
    training = config.training
    stream = batches.Stream(data, weights, config.seed, training.batch_tokens, training.window)
    size = 1 + max(int(data.source_tokens.max()), int(data.target_tokens.max()))
    forms = {}
    if target.type == "cpu":
        sampler = candidate_sampler(config, training, data, size)
        for precision in ("bfloat16", "float32"):
            if sampler is not None:
                name = f"fused, {precision}, {training.output_words:,} output words"
                forms[name] = (_make(config, size, precision, target, sampler), False)
            forms["fused, " + precision] = (_make(config, size, precision, target), False)
    forms["eager, bfloat16 (autocast)"] = (_make(config, size, None, target), True)
    forms["eager, float32"] = (_make(config, size, None, target), False)
    speeds = {name: [] for name in forms}
    own = {name: [] for name in forms}
    rates, needed = [], []
    for _ in range(ROUNDS):
        chosen = [stream.next() for _ in range(UPDATES)]
        tokens = sum(len(batch.target_ids) for batch in chosen)
        rates.append(_best_rate(target, training.precision))
        needed.append(sum(_operations(config.model, size, batch) for batch in chosen) / tokens)
        for name, (trainer, autocast) in forms.items():
            # The first update of a turn pays for the caches and the memory that the other form left, so it is made twice.
            ready = [trainer.prepare(batch, (0, number)) for number, batch in enumerate(chosen)]
            for index, prepared in enumerate([ready[0], *ready]):
                if index == 1:
                    started, used = time.perf_counter(), time.process_time()
                with torch.autocast(target.type, torch.bfloat16, enabled=autocast):
                    total, _, _ = trainer.loss(prepared)
                total.backward()
                trainer.optimizer.step()
            if target.type == "cuda":
                torch.cuda.synchronize()
            speeds[name].append(tokens / (time.perf_counter() - started))
            own[name].append(tokens / (time.process_time() - used))
    stream.close()
    print(f"{config.name}, {torch.get_num_threads()} threads, {training.batch_tokens} tokens a batch")
    for name, found in speeds.items():
        print(
            f"  {name:38} {statistics.median(found):8,.0f} target tokens/s (best {max(found):,.0f}), "
            f"{statistics.median(own[name]):,.0f} a second of processor time (best {max(own[name]):,.0f})"
        )
    rate, operations = max(rates), statistics.median(needed)
    print(
        f"  products of {SQUARE} × {SQUARE} in {training.precision}: {rate / 1e9:,.0f} GFLOP/s; an update's products, "
        f"{operations / 1e6:,.0f} MFLOP a target token, at that rate and with nothing else: {rate / operations:,.0f} tokens/s"
    )
