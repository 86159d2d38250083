"""Step `student`: trains the student on distilled text where there is some, on the parallel text otherwise."""

import numpy

from . import device, marian, vocabulary
from .config import Config
from .errors import TrainingError
from .training import Trainer
from .weights import shapes
from .widen import widen


def starting_weights(config: Config) -> dict[str, numpy.ndarray] | None:
    """The weights of `start` by name, checked against the configuration; None where the student starts at random."""
    if config.start is None:
        return None
    if not config.start.exists():
        raise TrainingError(f"{config.start}: no such file (named as start)")
    arrays, found = marian.read_npz(config.start)
    size = vocabulary.load(config.data.folder / "vocabulary.spm").get_piece_size()
    wanted = marian.configuration(config.model, size)
    for option in marian.MEANING:
        if found.get(option, wanted[option]) != wanted[option]:
            raise TrainingError(
                f"{config.start}: {option} is {found[option]!r}, the configuration's model has {wanted[option]!r}"
            )
    width = {"dimension": found.get("dim-emb"), "feed_forward": found.get("transformer-dim-ffn")}
    starting = config.model.model_copy(update={name: value for name, value in width.items() if value})
    for name, shape in shapes(starting, size).items():
        if name not in arrays:
            raise TrainingError(f"{config.start}: no weights {name}, which the configuration's model has")
        if arrays[name].shape != shape:
            raise TrainingError(f"{config.start}: {name} has the shape {arrays[name].shape}, expected {shape}")
    if starting == config.model:
        return arrays
    try:
        return widen(arrays, starting, config.model, config.seed)
    except TrainingError as error:
        raise TrainingError(f"{config.start}: {error}") from error


def run(config: Config):
    """Trains to the end, from the last checkpoint if there is one."""
    folder, chosen = config.folder / "student", device.choose(config)
    Trainer(config, config.model, config.training, folder, chosen, initial=starting_weights(config)).run()
