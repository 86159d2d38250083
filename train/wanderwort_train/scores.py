"""How often pairs are seen, according to what a model of the other direction makes of them (step `score`, see reverse.py).

With p the log-probability of a pair's source given its target, per source piece, the pair is seen exp(`reverse.weight` · p), divided by its
mean over the corpus, times as often as the corpus's weight says, so that corpora keep their shares. The share `drop_worst` of a corpus that
scores worst is not seen at all.
"""

from pathlib import Path

import numpy

from .batches import Prepared
from .config import Config
from .errors import TrainingError
from .files import digest, load_array, read_json, save_arrays, write_json


def fingerprint(config: Config, data: Prepared) -> str:
    """Identifies the models and the pairs that scores are of."""
    paths = [(str(path), path.stat().st_size if path.exists() else 0) for path in config.reverse.models]
    return digest(str(paths), str(data.pairs), str(int(data.target_offsets[-1])), str(int(data.source_offsets[-1])))


def save(folder: Path, found: numpy.ndarray, made_from: str):
    """Writes the scores of all pairs beside them."""
    save_arrays(folder, reverse_scores=found)
    write_json(folder / "reverse_scores.json", made_from)


def are_wanted(config: Config) -> bool:
    """Whether any setting uses scores."""
    return config.reverse.weight > 0 or any(item.drop_worst for item in config.data.corpora + config.data.monolingual)


def pair_weights(config: Config, data: Prepared, folder: Path) -> numpy.ndarray | None:
    """The factor for each pair's share of its corpus's weight; None if no setting uses scores."""
    if not are_wanted(config):
        return None
    if not (folder / "reverse_scores.npy").exists():
        raise TrainingError(f"{folder / 'reverse_scores.npy'}: missing; reverse.weight and drop_worst need the step `score`")
    if read_json(folder / "reverse_scores.json") != fingerprint(config, data):
        raise TrainingError(f"{folder / 'reverse_scores.npy'}: of other pairs or other models; run the step `score` again")
    dropped = [item.drop_worst for item in config.data.corpora + config.data.monolingual]
    return weights_of(load_array(folder, "reverse_scores"), data.corpora, dropped, config.reverse.weight)


def weights_of(scores: numpy.ndarray, corpora: numpy.ndarray, dropped: list[float], weight: float) -> numpy.ndarray:
    """exp(weight · score) over the mean of each corpus, and 0 for the share of it that scores worst."""
    result = numpy.exp(weight * numpy.asarray(scores, numpy.float64))
    for index, share in enumerate(dropped):
        own = numpy.flatnonzero(corpora == index)
        if len(own) == 0:
            continue
        worst = own[numpy.argsort(scores[own], kind="stable")[: int(share * len(own))]]
        result[worst] = 0
        result[own] *= (len(own) - len(worst)) / result[own].sum() if len(worst) < len(own) else 0
    return result
