"""Step `losses`: what the student has learnt by heart, and what it has not learnt at all.

Cross-entropy per target piece of the averaged weights on a sample of each corpus, beside that on the development sets. A corpus
whose loss is far below that of a development set of its kind is known by heart: more passes gain nothing for other text, a lower
weight or `dropped_words` might. One far above it is another kind of text, or noise.
"""

import tempfile
from pathlib import Path

import numpy

from . import corpus, device, forms
from .config import Config
from .training import Trainer

#: Pairs of each corpus and development set.
SAMPLE = 250


def run(config: Config):
    """Prints a line for each corpus and each development set."""
    with tempfile.TemporaryDirectory() as folder:
        # In a folder of its own: that of the student may be in use.
        weights = forms.arrays(config, "student")
        alone = config.training.model_copy(update={"teacher_share": 0.0})
        trainer = Trainer(config, config.model, alone, Path(folder), device.choose(config), initial=weights)
        data = trainer.data
        rng = numpy.random.default_rng(config.seed)
        print(f"{'corpus':<32} {'loss':>7} {'pieces':>12} {'a pass, weighted':>17}")
        for index, item in enumerate(config.data.corpora):
            pairs = numpy.flatnonzero(data.corpora == index)
            if len(pairs) == 0:
                continue
            pieces = int(data.target_lengths[pairs].sum())
            chosen = rng.permutation(pairs)[:SAMPLE]
            loss = _mean(trainer, [data.source(pair) for pair in chosen], [data.target(pair) for pair in chosen])
            print(f"{item.path.name:<32} {loss:7.3f} {pieces:12,} {round(item.weight * pieces):17,}", flush=True)
        print(f"{'development set':<32} {'loss':>7}")
        for name in config.data.development:
            pairs = corpus.read_parallel([config.data.folder / "development" / f"{name}.tsv"])[:SAMPLE]
            own = trainer.pieces.source, trainer.pieces.target
            sides = (own[side].encode([pair[side] for pair in pairs], add_eos=True) for side in (0, 1))
            print(f"{name:<32} {_mean(trainer, *sides):7.3f}", flush=True)


def _mean(trainer: Trainer, sources: list, targets: list) -> float:
    loss, tokens = trainer.entropy(sources, targets)
    return loss / tokens
