#!/usr/bin/env python3
"""What the shapes of published models cost: size, agreement with the floats, and speed, as Marian's files and as packages.

    train/.venv/bin/python benches/architectures.py [--shape tiny --shape base …] [--lines N] [--seconds S]
    train/.venv/bin/python benches/architectures.py --model base=FOLDER

`tiny` is the tests' prototype. There is no model of the other shapes here, so they are stand-ins with made-up weights (`stand_in.py`) unless
--model names a folder with Marian's files: size and speed are those of the shape, but with made-up weights each word is decided by a hair, so
their BLEU says nothing about how a trained model fares. Each form is compared with what the same model writes in 32-bit floats: a BLEU of 100
means the same text. Repairs are left out, and all decoding is greedy. Speed is source words per second of processor time on one thread. Needs
`train/`, see its README, and a release build (`./build.sh native`).
"""

import argparse
import gzip
import json
import shutil
import sys
import tempfile
from pathlib import Path

from program import run

ROOT = Path(__file__).resolve().parents[1]
PROTOTYPE = ROOT / "tests/data/en-de.prototype"
SHAPES = ("tiny", "base-memory", "base", "two-vocabularies")
PACKAGES = ("uniform", "log4")


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def unpacked(folder: Path, to: Path) -> Path:
    """A copy of a folder in which nothing is compressed."""
    to.mkdir()
    for path in folder.iterdir():
        if path.suffix == ".gz":
            (to / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        elif path.is_file():
            shutil.copy(path, to)
    return to


def published_size(folder: Path) -> int:
    """Bytes of int8 weights, vocabularies and shortlist, compressed as they are published."""
    files = [path for path in folder.iterdir() if path.suffix in (".bin", ".spm")]
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/wanderwort")
    parser.add_argument("--shape", action="append", choices=SHAPES, help="only this one; can be repeated")
    parser.add_argument("--model", action="append", default=[], metavar="SHAPE=FOLDER", help="a model in the place of a stand-in; can be repeated")
    parser.add_argument("--source", type=Path, default=ROOT / "benches/data/flores-dev.en")
    parser.add_argument("--lines", type=int, default=200, help="so many lines of it")
    parser.add_argument("--seconds", type=float, default=5.0, help="each speed is measured for so long")
    given = parser.parse_args()
    models = dict(pair.partition("=")[::2] for pair in given.model)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        lines = given.source.read_text(encoding="utf-8").split("\n")[: given.lines]
        text = place / "text"
        text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

        def translated(model: Path, *options: str) -> Path:
            how = ["--lines-as-sentences", "--without", "all", "--beam", "1", "--threads", "1", *options]
            output = model.with_name(f"{model.name}{''.join(options)}.txt")
            with text.open(encoding="utf-8") as source:
                output.write_text(run(given.program, "translate", "--model", model, *how, stdin=source), encoding="utf-8")
            return output

        def row(shape: str, form: str, size: str, model: Path, floats: Path, *options: str) -> None:
            printed = run(given.program, "evaluate", "--hypothesis", translated(model, *options), "--reference", floats)
            bleu = next(float(line.split("=")[1]) for line in printed.splitlines() if line.startswith("BLEU = "))
            how = ["--beam", "1", "--threads", "1", "--seconds", given.seconds, "--alone", "1", "--json", *options]
            measured = json.loads(run(given.program, "bench", "--model", model, "--source", text, *how))
            rate = measured["words_per_processor_second"] or measured["words_per_second"]
            print(f"| {shape} | {form} | {size} | {bleu:.1f} | {rate:,.0f} |", flush=True)

        print(f"{len(lines)} lines of {given.source.name}\n")
        print("| shape | form | size | BLEU against floats | words/s |")
        print("| --- | --- | ---: | ---: | ---: |")
        for shape in given.shape or SHAPES:
            folder, name = place / shape, shape
            if shape in models or shape == "tiny":
                unpacked(Path(models.get(shape, PROTOTYPE)), folder)
            else:
                run(sys.executable, ROOT / "benches/stand_in.py", folder, "--shape", shape, "--floats")
                name = f"{shape}, a stand-in"
            floats = translated(folder, "--float")
            row(name, "floats", "", folder, floats, "--float")
            row(name, "Marian's int8, gzip", megabytes(published_size(folder)), folder, floats)
            for bits in PACKAGES:
                package = place / f"{shape}.{bits}.wanderwort"
                run(given.program, "convert", "--from", folder, "--to", package, "--bits", bits, "--calibrate", text)
                row(name, f"package, {bits}", megabytes(package.stat().st_size), package, floats)


if __name__ == "__main__":
    main()
