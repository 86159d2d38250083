"""The engine's program `wanderwort`, if it is there: it decodes for the teacher and writes packages."""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import marian, vocabulary
from .config import Config
from .errors import TrainingError

#: Where `cargo build --release` of this repository puts it.
BUILT = Path(__file__).resolve().parents[2] / "target" / "release" / "wanderwort"


def find() -> Path | None:
    """The program: the one that the environment variable WANDERWORT names, this repository's, or one on the path."""
    named = os.environ.get("WANDERWORT")
    if named:
        if not Path(named).is_file():
            raise TrainingError(f"WANDERWORT names {named}, which is not there")
        return Path(named)
    found = BUILT if BUILT.is_file() else shutil.which("wanderwort")
    return Path(found) if found else None


def run(arguments: list[str], text: str | None = None) -> str:
    """What the program prints; `text` is its standard input."""
    try:
        done = subprocess.run(arguments, input=text, capture_output=True, encoding="utf-8", check=False)
    except OSError as error:
        raise TrainingError(f"{arguments[0]}: cannot run ({error.strerror})") from error
    if done.returncode != 0:
        raise TrainingError(f"{' '.join(arguments[:2])} failed:\n{done.stderr.strip()}")
    return done.stdout


def write_model(folder: Path, config: Config, model, arrays: dict, shortlist: Path | None = None):
    """A folder that the engine loads: one model in float32, the vocabularies, `decoder.yml`."""
    pair = config.data.source_language + config.data.target_language
    folder.mkdir(parents=True, exist_ok=True)
    marian.write_npz(folder / "model.npz", arrays, model)
    vocabularies = vocabulary.copy(config.data.folder, folder, pair)
    if shortlist is not None:
        shutil.copyfile(shortlist, folder / shortlist.name)
    marian.write_decoder(folder / "decoder.yml", "model.npz", vocabularies, config, shortlist)


def candidates(
    program: Path, folder: Path, lines: list[str], beam: int, n_best: int, normalize: float, threads: int, products: str = "float32"
):
    """For each line its best translations as the model gives them, best first, each with its log-probability divided by its length to
    the power of `normalize`; 0 for lines that are translated in parts."""
    arguments = [str(program), "translate", "--model", str(folder), "--without", "all", "--beam", str(beam)]
    arguments += ["--n-best", str(n_best), "--normalize", str(normalize)]
    if products == "float32":
        arguments.append("--float")
    if threads:
        arguments += ["--threads", str(threads)]
    return candidates_of(arguments, lines, str(program))


def candidates_of(arguments: list[str], lines: list[str], name: str) -> list[list[tuple[str, float]]]:
    """The candidates that a program prints for the lines of its standard input, as Marian's `--n-best` does: `line number ||| translation ||| … |||
    score`, lines counted from 0, the best first."""
    found = [[] for _ in lines]
    for row, line in enumerate(run(arguments, "".join(f"{text}\n" for text in lines)).split("\n")[:-1], 1):
        parts = line.split(" ||| ")
        try:
            found[int(parts[0])].append((parts[1].strip(), float(parts[-1])))
        except (IndexError, ValueError) as error:
            raise TrainingError(
                f"{name}: line {row} of its output is {line!r}; expected: number of an input line, from 0 to {len(lines) - 1} ||| "
                f"translation ||| score ({error})"
            ) from error
    if not all(found):
        raise TrainingError(f"{name}: {sum(map(bool, found))} of {len(lines)} lines came back")
    return found


def lines_through(arguments: list[str], lines: list[str], name: str) -> list[str]:
    """What a program prints for the lines of its standard input, one line for each."""
    found = run(arguments, "".join(f"{text}\n" for text in lines)).split("\n")[:-1]
    if len(found) != len(lines):
        raise TrainingError(f"{name}: {len(found)} of {len(lines)} lines came back")
    return found


def translate(program: Path, model: Path, lines: list[str], threads: int) -> list[str]:
    """The greedy translation of each line, taken as one sentence."""
    arguments = [str(program), "translate", "--model", str(model), "--lines-as-sentences", "--beam", "1"]
    if threads:
        arguments += ["--threads", str(threads)]
    return lines_through(arguments, lines, str(program))


@dataclass
class Calibration:
    """Text on which the engine finds activation scales, and whether it also rounds weights by it or each to its nearest level."""

    text: Path
    compensated: bool


def write_package(
    program: Path,
    path: Path,
    config: Config,
    arrays: dict,
    multipliers: dict,
    shortlist: Path | None,
    calibration: Calibration | None = None,
):
    """A package of `arrays` in the configuration's bits, with these activation multipliers, or those that calibration gives."""
    scales = {f"{name}_QuantMultA": [[value]] for name, value in multipliers.items() if arrays[name].size}
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        write_model(Path(scratch), config, config.model, arrays | scales, shortlist)
        arguments = [str(program), "convert", "--from", scratch, "--to", str(path), "--bits", config.package.bits]
        arguments += ["--name", config.name]
        if config.package.beam_threshold is not None:
            arguments += ["--beam-threshold", str(config.package.beam_threshold)]
        if config.package.beam_recombination is not None:
            arguments += ["--beam-recombination", str(config.package.beam_recombination)]
        if calibration is not None:
            rounding = "compensated" if calibration.compensated else "nearest"
            arguments += ["--calibrate", str(calibration.text), "--rounding", rounding]
        languages = ["--source-language", config.data.source_language, "--target-language", config.data.target_language]
        return run(arguments + languages).strip()
