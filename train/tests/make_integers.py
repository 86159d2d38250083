"""Writes tests/data/integers: every matrix product of three real sentences with the integers that PyTorch computes.

    python tests/make_integers.py CONFIG        (a finished run of configs/sample.toml)

`model.npz` holds the student. `products.bin.gz` holds records, little-endian, each a product with a matrix of the student:
u32 length of its name, name, u32 rows;  f32 activation multiplier (0: each row its own);  f32 rows × inner activations,
i8 their integers;  then for int8 and for log-4-bit: f32 step of the weights, i32 rows × columns sums of integers.
"""

import gzip
import struct
import sys
from pathlib import Path

import numpy
import torch

from wanderwort_train import config as configuration, forms, marian, vocabulary
from wanderwort_train.quantization import Quantized, quantize_rows
from wanderwort_train.search import Translator

SENTENCES = ["Tom is not here today.", "Mary said that she would call Tom (tomorrow).", "Did you see 25 birds?"]
#: Rows kept of each product; all its columns are.
ROWS = 10
FOLDER = Path(__file__).parents[2] / "tests" / "data" / "integers"


def inputs(config, arrays) -> dict[str, numpy.ndarray]:
    """Name of the weight → rows that enter its product."""
    rows = {}

    def product(name, x, weight, transposed):
        rows.setdefault(name, []).append(x.reshape(-1, x.shape[-1]).numpy())
        return x @ (weight.T if transposed else weight)

    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    translator = Translator(config.model, arrays, torch.device("cpu"), product)
    for source in pieces.encode(SENTENCES, add_eos=True):
        translator.greedy([source])
    spread = {}
    for name, parts in rows.items():
        together = numpy.concatenate(parts)
        spread[name] = together[numpy.linspace(0, len(together) - 1, min(ROWS, len(together))).astype(int)]
    return spread


def main(path: str):
    config = configuration.load(path)
    arrays = forms.arrays(config, "student")
    multipliers = forms.multipliers(config)
    kinds = Quantized.int8(arrays), Quantized.log4(arrays)
    out = bytearray()
    for index, (name, x) in enumerate(inputs(config, arrays).items()):
        # Every third product is quantized by row.
        multiplier = 0.0 if index % 3 == 2 else multipliers[name]
        integers = quantize_rows(torch.from_numpy(x), multiplier or None)[0].numpy().astype(numpy.int8)
        out += struct.pack("<I", len(name)) + name.encode() + struct.pack("<If", len(x), multiplier)
        out += x.astype("<f4").tobytes() + integers.tobytes()
        for quantized in kinds:
            levels = quantized.integers[name].astype(numpy.int32)
            sums = integers.astype(numpy.int32) @ (levels.T if name == "Wemb" else levels)
            out += struct.pack("<f", float(quantized.steps[name])) + sums.astype("<i4").tobytes()
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "products.bin.gz").write_bytes(gzip.compress(bytes(out), 9, mtime=0))
    marian.write_npz(FOLDER / "model.npz", arrays, config.model)
    for file in sorted(FOLDER.iterdir()):
        print(f"{file}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
