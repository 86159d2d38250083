"""A model of a published shape with made-up weights, in Marian's int8 files, for measuring speed and memory.

    train/.venv/bin/python benches/stand_in.py target/base-memory [--shape base-memory] [--floats] [--seed N]
    node benches/bergamot.mjs --model target/base-memory --memory

Vocabulary and shortlist are those of the tests' prototype, whose folder `--like` names; where there are two vocabularies, it is used for both. Made-up
weights seldom end a sentence: both engines stop at twice the pieces of the source, the limit set by the package that is compared with, and so take the
same number of steps. Needs `train/`, see its README.
"""

import argparse
import gzip
import shutil
from pathlib import Path

import torch
from wanderwort_train import marian
from wanderwort_train.config import Model
from wanderwort_train.quantization import is_quantized
from wanderwort_train.vocabulary import load
from wanderwort_train.weights import Weights, shapes

ROOT = Path(__file__).parent.parent
# Wide enough for what layer normalization lets through.
LARGEST_ACTIVATION = 8.0

SHAPES = {
    "tiny": Model(dimension=256, feed_forward=1536, heads=8, encoder_layers=6, decoder_layers=2, decoder="ssru"),
    "base-memory": Model(dimension=384, feed_forward=1536, heads=8, encoder_layers=6, decoder_layers=4, decoder="ssru"),
    "base": Model(dimension=512, feed_forward=2048, heads=8, encoder_layers=6, decoder_layers=2, decoder="ssru"),
    # Chinese, Japanese and Korean have a vocabulary of their own.
    "two-vocabularies": Model(
        dimension=384, feed_forward=1536, heads=8, encoder_layers=6, decoder_layers=4, decoder="ssru", embeddings="target"
    ),
}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder", type=Path, help="where to write the files")
parser.add_argument("--like", type=Path, default=ROOT / "tests/data/en-de.prototype", help="the model whose other files are taken")
parser.add_argument("--shape", choices=SHAPES, default="base-memory")
parser.add_argument("--floats", action="store_true", help="also the same weights in floats, model.npz")
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()

model = SHAPES[arguments.shape]
words = load(arguments.like / "vocab.ende.spm").get_piece_size()
weights = Weights(shapes(model, words), torch.device("cpu"), "float32", fused=False)
weights.initialize(arguments.seed)
arrays = weights.arrays()
multipliers = {name: 127 / LARGEST_ACTIVATION for name in arrays if is_quantized(name)}

arguments.folder.mkdir(parents=True, exist_ok=True)
for path in arguments.like.iterdir():
    if path.suffix == ".spm" and arguments.shape == "two-vocabularies":
        for side in ("src", "trg"):
            shutil.copy(path, arguments.folder / f"{side}{path.name}")
    elif path.suffix == ".yml":
        # The names of the files tell which ones there are.
        lines = path.read_text(encoding="utf-8").splitlines()
        settings = [line for line in lines if not line.startswith((" ", "models:", "vocabs:", "shortlist:", "relative-paths:"))]
        (arguments.folder / path.name).write_text("".join(f"{line}\n" for line in settings), encoding="utf-8")
    elif path.suffix == ".spm":
        shutil.copy(path, arguments.folder)
    elif path.name.startswith("lex."):
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        (arguments.folder / path.name.removesuffix(".gz")).write_bytes(content)
target = arguments.folder / "model.ende.intgemm.alphas.bin"
marian.write_bin(target, arrays, model, multipliers)
if arguments.floats:
    marian.write_npz(arguments.folder / "model.npz", arrays, model)
print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, {words:,} words")
