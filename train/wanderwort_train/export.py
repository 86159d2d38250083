"""Step `export`: the trained student as Marian files, in `<folder>/export`."""

from . import forms, marian
from .config import Config
from .files import atomic


def run(config: Config):
    """Writes model.npz, the vocabulary and decoder.yml."""
    arrays = forms.arrays(config, "student")
    folder = config.folder / "export"
    marian.write_npz(folder / "model.npz", arrays, config.model)
    pair = config.data.source_language + config.data.target_language
    name = f"vocab.{pair}.spm"
    multipliers = forms.multipliers(config)
    if multipliers:
        marian.write_bin(folder / "model.intgemm.alphas.bin", arrays, config.model, multipliers)
    with atomic(folder / name) as file:
        file.write((config.data.folder / "vocabulary.spm").read_bytes())
    marian.write_decoder(folder / "decoder.yml", "model.npz", name, None)
    print(f"written: {folder}")
