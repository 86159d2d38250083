"""Step `teacher`: one Transformer or an ensemble of them, trained on the parallel text or existing already."""

from pathlib import Path

import torch

from . import checkpoint, device, marian, vocabulary
from .config import Config, Model, Training
from .errors import TrainingError
from .search import Translator
from .soft_targets import SoftTargets
from .training import Trainer
from .weights import Weights, description, shapes


def folder(config: Config, member: int) -> Path:
    """Where one member of the ensemble lies."""
    return config.folder / "teacher" / str(member + 1)


def sources(config: Config) -> list[Path]:
    """The files with the teachers' weights."""
    return config.teacher.models or [folder(config, member) / "checkpoint.pt" for member in range(config.teacher.ensemble)]


def run(config: Config):
    """Trains every member, each from its own random start and order of the data; does nothing if they exist already."""
    if config.teacher.models or config.teacher.command:
        who = config.teacher.models or [" ".join(config.teacher.command)]
        print(f"nothing to train: {', '.join(map(str, who))} teach", flush=True)
        return
    for member in range(config.teacher.ensemble):
        print(f"teacher {member + 1} of {config.teacher.ensemble}", flush=True)
        own = config.model_copy(update={"seed": config.seed + 1000 * (member + 1)})
        settings = config.teacher
        target = device.choose(own)
        Trainer(own, settings.model, settings.training, folder(config, member), target, config.data.folder).run()


def members(config: Config) -> list[tuple[Model, dict]]:
    """The teachers' shapes and their weights by name."""
    if config.teacher.command:
        raise TrainingError("teacher.command: a program translates but does not predict word by word, so it is for the step `distil` alone")
    size = vocabulary.of(config.data.folder).sizes
    found = []
    for path in sources(config):
        if config.teacher.models:
            found.append(from_marian(path, size))
            continue
        state = checkpoint.load(path, description(config.teacher.model, size))
        if state is None:
            raise TrainingError(f"{path}: missing; run the step `teacher` first")
        layout = Weights(shapes(config.teacher.model, size), torch.device("cpu"), "float32", False)
        average = state["optimizer"]["average"]
        found.append((config.teacher.model, layout.arrays(average if average.numel() else state["weights"])))
    return found


def load(config: Config, target: torch.device) -> list[Translator]:
    """The teachers, to translate with."""
    return [Translator(model, arrays, target) for model, arrays in members(config)]


def soft_targets(config: Config, training: Training, target: torch.device) -> SoftTargets | None:
    """The teachers, to predict each word; None if `training` does not ask for them."""
    return SoftTargets(members(config), training, target) if training.teacher_share > 0 else None


def from_marian(path: Path, sizes: vocabulary.Sizes) -> tuple[Model, dict]:
    arrays, found = marian.read_npz(path)
    model = marian.model(path, found)
    marian.check_weights(path, arrays, model, sizes)
    return model, arrays
