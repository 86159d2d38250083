"""Step `export`: what has been trained, as Marian files, in `<folder>/export`.

    model.npz                       the student, float32; absent if all began with `start`
    model.intgemm.alphas.bin        the student, int8 with calibrated multipliers
    pruned.npz                      the pruned student
    tuned-int8.…, tuned-log4.npz,
    tuned-uniform.npz               the tuned students, likewise; the weights of tuned-log4.npz are log-4-bit levels
                                    times their steps, so that packing finds the levels again
    mean.npz                        the mean of several, if that is packaged
    NAME.wanderwort                 the package (see `Package` in config.py); written if the program `wanderwort` is
                                    there
    vocab.PAIR.spm, decoder.yml     srcvocab.PAIR.spm and trgvocab.PAIR.spm if each side has its own
    calibration.txt                 the text, if the package is calibrated
"""

from pathlib import Path

from . import batches, engine, forms, marian, shortlist, vocabulary
from .config import Config
from .errors import TrainingError
from .files import atomic


def package(config: Config) -> Path:
    """Where the package lies."""
    return config.folder / "export" / f"{config.name}.wanderwort"


def calibration(config: Config, stage: str) -> engine.Calibration | None:
    """Writes the text that the package of a stage is calibrated on; None unless the configuration asks for it."""
    if not config.package.calibration_lines:
        return None
    data = batches.Prepared(config.data.folder)
    pieces = vocabulary.of(config.data.folder)
    weights = [item.weight for item in config.data.corpora]
    path = config.folder / "export" / "calibration.txt"
    with atomic(path, "w") as file:
        for pair in batches.drawn(data, weights, config.package.calibration_lines, config.seed):
            file.write(pieces.source.decode(data.source(pair).tolist()) + "\n")
    # What was tuned for the package's levels has learnt to be rounded to the nearest.
    by_stage = "nearest" if stage in ("log4", "uniform") else "compensated"
    rounding = by_stage if config.package.rounding == "auto" else config.package.rounding
    return engine.Calibration(path, compensated=rounding == "compensated")


def run(config: Config):
    """Writes every stage that exists."""
    folder = config.folder / "export"
    multipliers = forms.multipliers(config)
    names = {"student": "model", "pruned": "pruned", "int8": "tuned-int8", "log4": "tuned-log4", "uniform": "tuned-uniform"}
    # If pruning and tuning began with what `start` names, there is no student.
    stages = [stage for stage in names if forms.exists(config, stage)]
    if not stages:
        raise TrainingError(f"{config.folder}: nothing to export yet; run the step `student` first")
    for stage in stages:
        name = names[stage]
        arrays = forms.quantized_log4(config, stage).dequantized() if stage == "log4" else forms.arrays(config, stage)
        marian.write_npz(folder / f"{name}.npz", arrays, config.model)
        if multipliers and stage in ("student", "int8"):
            # Layers without heads have no products, so no multipliers either.
            own = {key: value for key, value in multipliers.items() if arrays[key].size}
            marian.write_bin(folder / f"{name}.intgemm.alphas.bin", arrays, config.model, own)
    pair = config.data.source_language + config.data.target_language
    vocabularies = vocabulary.copy(config.data.folder, folder, pair)
    lists = folder / shortlist.file_name(config)
    if not lists.exists():
        print(f"no shortlist: {lists} is not there; the step `shortlist` writes it")
        lists = None
    marian.write_decoder(folder / "decoder.yml", f"{names[stages[0]]}.npz", vocabularies, config, lists)
    program = engine.find()
    if program is None:
        print("no package: the program `wanderwort` is not there; build it with `cargo build --release`")
    else:
        stage = forms.packaged(config)
        arrays = forms.packaged_arrays(config)
        if stage == "mean":
            marian.write_npz(folder / "mean.npz", arrays, config.model)
        print(engine.write_package(program, package(config), config, arrays, multipliers, lists, calibration(config, stage)))
    print(f"written: {folder}")
