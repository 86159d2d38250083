"""Step `teacher`: one Transformer or an ensemble of them, trained on the parallel text."""

from pathlib import Path

import torch

from . import checkpoint, device, vocabulary
from .config import Config
from .errors import TrainingError
from .search import Translator
from .training import Trainer
from .weights import Weights, shapes


def folder(config: Config, member: int) -> Path:
    """Where one member of the ensemble lies."""
    return config.folder / "teacher" / str(member + 1)


def run(config: Config):
    """Trains every member, each from its own random start and order of the data."""
    for member in range(config.teacher.ensemble):
        print(f"teacher {member + 1} of {config.teacher.ensemble}", flush=True)
        own = config.model_copy(update={"seed": config.seed + 1000 * (member + 1)})
        settings = config.teacher
        target = device.choose(own)
        Trainer(own, settings.model, settings.training, folder(config, member), target, config.data.folder).run()


def load(config: Config, target: torch.device) -> list[Translator]:
    """The trained teachers."""
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    members = []
    for member in range(config.teacher.ensemble):
        path = folder(config, member) / "checkpoint.pt"
        state = checkpoint.load(path)
        if state is None:
            raise TrainingError(f"{path}: missing; run the step `teacher` first")
        layout = Weights(shapes(config.teacher.model, pieces.get_piece_size()), torch.device("cpu"), "float32", False)
        average = state["optimizer"]["average"]
        arrays = layout.arrays(average if average.numel() else state["weights"])
        members.append(Translator(config.teacher.model, arrays, target))
    return members
