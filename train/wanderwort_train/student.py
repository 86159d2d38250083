"""Step `student`: trains the student on distilled text where there is some, on the parallel text otherwise."""

from . import device
from .config import Config
from .training import Trainer


def run(config: Config):
    """Trains to the end, from the last checkpoint if there is one."""
    Trainer(config, config.model, config.training, config.folder / "student", device.choose(config)).run()
