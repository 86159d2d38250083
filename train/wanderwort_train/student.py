"""Step `student`: trains the student on distilled text if there is any, on the parallel text otherwise."""

import numpy

from . import device, marian, teacher, vocabulary
from .config import Config
from .errors import TrainingError
from .training import Trainer
from .widen import widen


def starting_weights(config: Config) -> dict[str, numpy.ndarray] | None:
    """The weights of `start` by name, checked against the configuration; None if the student starts at random."""
    if config.start is None:
        return None
    if not config.start.exists():
        raise TrainingError(f"{config.start}: no such file (named as start)")
    arrays, found = marian.read_npz(config.start)
    size = vocabulary.of(config.data.folder).sizes
    starting = marian.model(config.start, found)
    marian.check_weights(config.start, arrays, starting, size)
    if starting == config.model:
        return arrays
    try:
        return widen(arrays, starting, config.model, config.seed)
    except TrainingError as error:
        raise TrainingError(f"{config.start}: {error}") from error


def named_weights(config: Config, setting: str) -> dict[str, numpy.ndarray]:
    """The weights of `start`, for a step that begins with them because `setting` says so."""
    arrays = starting_weights(config)
    if arrays is None:
        raise TrainingError(f'{setting} = "start", but there is no start; name the weights to begin with')
    return arrays


def run(config: Config):
    """Trains to the end, from the last checkpoint if there is one."""
    folder, chosen = config.folder / "student", device.choose(config)
    Trainer(
        config, config.model, config.training, folder, chosen,
        initial=starting_weights(config), soft_targets=teacher.soft_targets(config, config.training, chosen),
    ).run()  # fmt: skip
