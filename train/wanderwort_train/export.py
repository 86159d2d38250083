"""Step `export`: the trained student as Marian files, in `<folder>/export`."""

from . import checkpoint, marian, vocabulary
from .config import Config
from .errors import TrainingError
from .files import atomic
from .weights import Weights, shapes

import torch


def student_arrays(config: Config):
    """The student's weights by name: the average where there is one."""
    path = config.folder / "student" / "checkpoint.pt"
    state = checkpoint.load(path)
    if state is None:
        raise TrainingError(f"{path}: missing; run the step `student` first")
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    layout = Weights(shapes(config.model, pieces.get_piece_size()), torch.device("cpu"), "float32", False)
    average = state["optimizer"]["average"]
    return layout.arrays(average if average.numel() else state["weights"])


def run(config: Config):
    """Writes model.npz, the vocabulary and decoder.yml."""
    arrays = student_arrays(config)
    folder = config.folder / "export"
    marian.write_npz(folder / "model.npz", arrays, config.model)
    pair = config.data.source_language + config.data.target_language
    name = f"vocab.{pair}.spm"
    with atomic(folder / name) as file:
        file.write((config.data.folder / "vocabulary.spm").read_bytes())
    marian.write_decoder(folder / "decoder.yml", "model.npz", name, None)
    print(f"written: {folder}")
