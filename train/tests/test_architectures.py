"""Every shape of network that can be trained is the one that Marian and the engine run."""

import gzip
import itertools

import numpy
import pytest
import torch
from conftest import REPOSITORY, copy_data

from wanderwort_train import config as configuration, engine, marian, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.config import Model
from wanderwort_train.errors import TrainingError
from wanderwort_train.quantization import Quantized
from wanderwort_train.search import Translator
from wanderwort_train.weights import Weights, output_bias, shapes, tables

MARIAN = REPOSITORY / "tests" / "data" / "architectures"
BASE = {"dimension": 32, "feed_forward": 48, "heads": 2, "encoder_layers": 2, "decoder_layers": 2}
AVERAGE = {"decoder": "average-attention"}
RECURRENT = {"architecture": "recurrent", "recurrent_width": 24, "encoder_layers": 1, "decoder_layers": 1}

SHAPES = {
    "pre-norm": {"norm": "pre"},
    "pre-norm, deep": {"norm": "pre", "encoder_layers": 25, "decoder_layers": 1, "decoder": "self-attention"},
    "pre-norm, average attention": {"norm": "pre", **AVERAGE},
    "pre-norm, tied layers": {"norm": "pre", "tied_decoder": True},
    "target embeddings": {"embeddings": "target"},
    "source embeddings": {"embeddings": "source"},
    "no embeddings are one": {"embeddings": "none"},
    "recurrent": {**RECURRENT, "embeddings": "none"},
    "recurrent, normalized": {**RECURRENT, "recurrent_norm": True},
    "recurrent, target embeddings": {**RECURRENT, "embeddings": "target"},
    "average attention": AVERAGE,
    "average attention, wide": {**AVERAGE, "average_feed_forward": 80},
    "average attention, as wide as the network": {**AVERAGE, "average_feed_forward": 32},
    "average attention, no feed-forward": {**AVERAGE, "average_feed_forward": 0},
    "average attention, no gate": {**AVERAGE, "average_gate": False},
    "average attention, mean alone": {**AVERAGE, "average_feed_forward": 0, "average_gate": False},
}


@pytest.fixture(scope="module")
def pieces():
    return vocabulary.load(MARIAN / "vocab.spm")


@pytest.fixture(scope="module")
def texts():
    return [line.split("\t")[0] for line in (MARIAN / "post-norm" / "golden.tsv").read_text(encoding="utf-8").splitlines()]


def random_arrays(model: Model, pieces) -> dict[str, numpy.ndarray]:
    """Weights that make very different words, and end now and then."""
    size, space = pieces.get_piece_size(), pieces.piece_to_id("\u2581")
    weights = Weights(shapes(model, size), torch.device("cpu"), "float32", False)
    weights.initialize(1)
    rng = numpy.random.default_rng(2)
    arrays = {name: array + rng.normal(0, 0.12, array.shape).astype(numpy.float32) for name, array in weights.arrays().items()}
    if model.architecture == "recurrent":
        # What is tanh'd needs longer words, or all translations are alike.
        arrays = {name: array * 3 if name.endswith(("Wemb", "Wt", "_l1_W0", "_l1_W1", "_l1_W2", "U_att")) else array for name, array in arrays.items()}
    arrays[output_bias(model)][0, vocabulary.END] += 1.5
    # Two spaces behind one another are not what a translation keeps.
    arrays[output_bias(model)][0, space] = -20
    return arrays


def folder(path, model: Model, name: str):
    """A model folder around a file; the file is written by the caller."""
    path.mkdir()
    (path / "vocab.ende.spm").write_bytes((MARIAN / "vocab.spm").read_bytes())
    marian.write_decoder(path / "decoder.yml", name, "vocab.ende.spm", configuration.load(copy_data(path)))
    for extra in ("config.toml", "pairs.tsv", "dev.tsv"):
        (path / extra).unlink()
    return path


def translated(path, texts, *options):
    arguments = [str(engine.find()), "translate", "--model", str(path), "--threads", "1", "--without", "all", "--beam", "1", "--lines-as-sentences"]
    return engine.run([*arguments, *options], "\n".join(texts) + "\n").splitlines()


def same(expected, found) -> int:
    assert len(expected) == len(found) and len(set(expected)) > len(expected) // 2, "translations that differ"
    return sum(a.split() == b.split() for a, b in zip(expected, found))


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_exported_is_run_by_the_engine(name, tmp_path, pieces, texts):
    model = Model(**BASE | SHAPES[name])
    arrays = random_arrays(model, pieces)
    sources = pieces.encode(texts, add_eos=True)
    path = folder(tmp_path / "model", model, "model.npz")
    marian.write_npz(path / "model.npz", arrays, model)
    found, options = marian.read_npz(path / "model.npz")
    assert marian.model(path, options) == model and found.keys() == arrays.keys()
    marian.check_weights(path, found, model, pieces.get_piece_size())

    expected = pieces.decode(Translator(model, arrays, torch.device("cpu")).translate(sources))
    assert same(expected, translated(path, texts, "--float")) >= 39

    if model.architecture == "recurrent":
        return
    # Integers as in Marian's files, with the multipliers of activations under the names that are read.
    output = tables(model)[2]
    quantized = Quantized.int8(arrays, {output: 9.0})
    path = folder(tmp_path / "int8", model, "model.intgemm.alphas.bin")
    marian.write_bin(path / "model.intgemm.alphas.bin", arrays, model, quantized.multipliers)
    expected = pieces.decode(quantized.translator(model, torch.device("cpu")).translate(sources))
    # What lies between the products rounds differently, which random weights often make another word of; a matrix in another order
    # would leave none the same.
    assert same(expected, translated(path, texts)) >= 34


@pytest.mark.parametrize("name", SHAPES)
def test_marian_runs_what_is_exported(name, tmp_path, pieces, texts):
    pymarian = pytest.importorskip("pymarian")
    model = Model(**BASE | SHAPES[name])
    if model.norm == "pre" and model.decoder == "self-attention":
        pytest.skip("Marian 1.12 decodes such a decoder otherwise than it trains it")
    arrays = random_arrays(model, pieces)
    marian.write_npz(tmp_path / "model.npz", arrays, model)
    expected = pieces.decode(Translator(model, arrays, torch.device("cpu")).translate(pieces.encode(texts, add_eos=True)))
    found = pymarian.Translator(
        f"-m {tmp_path / 'model.npz'} -v {MARIAN / 'vocab.spm'} {MARIAN / 'vocab.spm'} --beam-size 1 --normalize 0 --mini-batch 1 "
        "--maxi-batch 1 --max-length-factor 2 --max-length 1000 --cpu-threads 1 --quiet --quiet-translation"
    ).translate(texts)
    assert same(expected, found) >= 39


#: Files of Marian's with shapes that are trained here too.
FILES = (
    "average-attention-mean-alone", "average-attention-no-feed-forward", "average-attention-pre-norm",
    "average-attention-same-width", "average-attention-with-gate", "post-norm", "pre-norm", "self-attention",
    "separate-embeddings", "separate-output", "shared-source",
)  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_marians_files_are_read(name, pieces, tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(gzip.decompress((MARIAN / name / "model.npz.gz").read_bytes()))
    arrays, options = marian.read_npz(path)
    # Their heads are narrower than those that are trained; no weight has another shape for that.
    heads = options["transformer-heads"]
    model = marian.model(path, options | {"transformer-heads": 2})
    marian.check_weights(path, arrays, model, pieces.get_piece_size())
    rows = [line.split("\t") for line in (MARIAN / name / "golden.tsv").read_text(encoding="utf-8").splitlines()]
    translator = Translator(model.model_copy(update={"heads": heads}), arrays, torch.device("cpu"))
    found = pieces.decode(translator.translate(pieces.encode([source for source, _ in rows], add_eos=True)))
    assert sum(a.split() == target.split() for a, (_, target) in zip(found, rows, strict=True)) >= len(rows) - 1


@pytest.mark.parametrize(("option", "value"), [("transformer-aan-activation", "relu"), ("transformer-ffn-activation", "swish")])
def test_other_meanings_are_refused(option, value, tmp_path):
    model = Model(**BASE, **AVERAGE)
    options = marian.configuration(model, 300) | {option: value}
    with pytest.raises(TrainingError, match=f"{option} is '{value}'"):
        marian.model(tmp_path, options)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"average_gate": False}, "average_gate are for decoder"),
        ({"average_feed_forward": 64}, "average_gate are for decoder"),
        ({**AVERAGE, "average_feed_forward": 40}, "multiple of 16"),
        ({"norm": "both"}, "'post' or 'pre'"),
        ({"embeddings": "some"}, "'all', 'target', 'source' or 'none'"),
    ],
)
def test_nonsense_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Model(**BASE | settings)


def test_older_checkpoints_fit():
    """Keys that came later do not make another network of one that has their defaults."""
    first = {"dimension", "feed_forward", "heads", "encoder_layers", "decoder_layers", "decoder", "tied_decoder"}
    assert set(Model(**BASE).described()) == first
    described = [Model(**BASE | settings).described() for settings in ({}, *SHAPES.values())]
    assert all(a != b for a, b in itertools.combinations(described, 2))


def test_students_are_compared(prepared, capsys):
    """Trained on the same batches, one row for each; a second time they are there already."""
    prepared.write_text(prepared.read_text(encoding="utf-8").replace("updates = 8", "updates = 4"), encoding="utf-8")
    for _ in range(2):
        assert main(["compare-students", "--config", str(prepared)]) == 0, capsys.readouterr().err
        printed = capsys.readouterr().out
        rows = [line.strip("|").split("|") for line in printed.splitlines() if line.startswith("| ")]
        assert [row[0].strip() for row in rows] == ["student", "---", "SSRU", "AAN", "GRU"]
        assert [row[2].strip() for row in rows[2:]] == ["4"] * 3
        assert all(float(row[-1].replace(",", "")) > 0 for row in rows[2:])
    assert (prepared.parent / "run" / "students.md").read_text(encoding="utf-8").count("\n") == 5
    assert "development at" not in printed, "nothing is trained twice"
