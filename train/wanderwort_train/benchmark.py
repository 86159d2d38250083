"""Step `benchmark`: target tokens a second of the fused kernels and of eager PyTorch, in alternating runs.

Beside the clock it takes the processor's own time, which other work on the machine disturbs less.
"""

import statistics
import time

import torch

from . import batches, device
from .config import Config
from .network import Network
from .operators import Fused, Reference
from .optimizer import Adam
from .training import Trainer
from .weights import Weights, shapes

ROUNDS = 5
UPDATES = 3


def _make(config: Config, vocabulary_size: int, fused: bool, target: torch.device):
    """A trainer's loss and optimizer with fresh weights, without its files."""
    trainer = Trainer.__new__(Trainer)
    trainer.model, trainer.training = config.model, config.training
    trainer.operators = Fused() if fused else Reference()
    trainer.weights = Weights(shapes(config.model, vocabulary_size), target, config.training.precision, fused)
    trainer.weights.initialize(config.seed)
    trainer.network = Network(config.model, trainer.weights, trainer.operators)
    trainer.optimizer = Adam(trainer.weights, config.training, fused)
    return trainer


def run(config: Config):
    """Prints a line per form: median and best tokens a second."""
    target = device.choose(config)
    data = batches.Prepared(config.data.folder)
    weights = [item.weight for item in config.data.corpora]
    training = config.training
    stream = batches.Stream(data, weights, config.seed, training.batch_tokens, training.window)
    size = int(data.target_tokens.max()) + 1
    forms = {}
    if target.type == "cpu":
        forms["fused, " + training.precision] = (_make(config, size, True, target), False)
    forms["eager, bfloat16 (autocast)"] = (_make(config, size, False, target), True)
    forms["eager, float32"] = (_make(config, size, False, target), False)
    speeds = {name: [] for name in forms}
    own = {name: [] for name in forms}
    for _ in range(ROUNDS):
        chosen = [stream.next().to(target) for _ in range(UPDATES)]
        tokens = sum(len(batch.target_ids) for batch in chosen)
        for name, (trainer, autocast) in forms.items():
            started, used = time.perf_counter(), time.process_time()
            for batch in chosen:
                with torch.autocast(target.type, torch.bfloat16, enabled=autocast):
                    total, _, _ = trainer.loss(batch)
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
            f"  {name:28} {statistics.median(found):8,.0f} target tokens/s (best {max(found):,.0f}), "
            f"{statistics.median(own[name]):,.0f} a second of processor time (best {max(own[name]):,.0f})"
        )
