"""Step `export`: what has been trained as Marian files, in `<folder>/export`.

    model.npz                       the student, float32
    model.intgemm.alphas.bin        the student, int8 with calibrated multipliers
    pruned.npz                      the pruned student
    tuned-int8.…, tuned-log4.…      the tuned students, likewise; the weights of tuned-log4.npz are log-4-bit levels
                                    times their steps, so that packing finds the levels again
    vocab.PAIR.spm, decoder.yml
"""

from . import forms, marian
from .config import Config
from .files import atomic


def run(config: Config):
    """Writes every stage that there is."""
    folder = config.folder / "export"
    multipliers = forms.multipliers(config)
    for stage, name in (("student", "model"), ("pruned", "pruned"), ("int8", "tuned-int8"), ("log4", "tuned-log4")):
        if stage != "student" and not forms.exists(config, stage):
            continue
        arrays = forms.quantized_log4(config, stage).dequantized() if stage == "log4" else forms.arrays(config, stage)
        marian.write_npz(folder / f"{name}.npz", arrays, config.model)
        if multipliers and stage in ("student", "int8"):
            # Layers without heads have no products, so no multipliers either.
            own = {key: value for key, value in multipliers.items() if arrays[key].size}
            marian.write_bin(folder / f"{name}.intgemm.alphas.bin", arrays, config.model, own)
    pair = config.data.source_language + config.data.target_language
    name = f"vocab.{pair}.spm"
    with atomic(folder / name) as file:
        file.write((config.data.folder / "vocabulary.spm").read_bytes())
    shortlist = f"lex.{config.shortlist.first}.{config.shortlist.best}.{pair}.s2t.bin"
    marian.write_decoder(folder / "decoder.yml", "model.npz", name, shortlist if (folder / shortlist).exists() else None)
    print(f"written: {folder}")
