"""Step `student`: trains the student on distilled text where there is some, on the parallel text otherwise."""

from . import device
from .config import Config
from .training import Trainer


def trainer(config: Config) -> Trainer:
    """The student's trainer, at its last checkpoint."""
    distilled = config.folder / "distilled"
    data_folder = distilled if (distilled / "target_tokens.npy").exists() else config.data.folder
    return Trainer(config, config.model, config.training, config.folder / "student", device.choose(config), data_folder)


def run(config: Config):
    """Trains to the end, from the last checkpoint if there is one."""
    trainer(config).run()
