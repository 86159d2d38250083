"""Step `papers`: the networks of the papers that this project follows, in one table for each paper. A row is either ours, measured on the
configuration's development and test sets, or "not trained here"; what would train it follows the table.

docs/papers.md says which papers these are, and which option does what they did.
"""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

import sacrebleu

from . import corpus, engine
from .config import Config
from .errors import TrainingError

REPOSITORY = Path(__file__).resolve().parents[2]

_AVERAGE = """\
[model]
dimension = {dimension}
feed_forward = {feed_forward}
heads = {heads}
encoder_layers = 6
decoder_layers = {layers}
decoder = "average-attention"
average_feed_forward = 0
average_gate = false

[training]
clip_weights = 2.0
clip_activations = 2.0
criterion = "BLEU"
patience = 20
result = "best"
"""

_RECURRENT = """\
[model]
architecture = "recurrent"
dimension = {dimension}
recurrent_width = {width}
recurrent_norm = true
{more}
[package]
bits = "int8"
calibration_lines = 200
"""

_TEACHER = """\
[teacher]
ensemble = 2

[teacher.model]
dimension = 1024
feed_forward = 4096
heads = 16
encoder_layers = {layers}
decoder_layers = 6
decoder = "self-attention"
norm = "{norm}"

[teacher.training]
label_smoothing = 0.1
dropout = 0.1
guided_alignment = 0.0
accumulate = 8
result = "mean"
mean_of = 8
"""

_PRUNED = """\
[pruning]
measure = "confidence"
reset = "early"
reset_updates = 25000
updates_per_round = 15000
heads_per_round = 3
keep_heads = 6
layer_keeps = 0
"""

_DEEP = """\
[model]
dimension = 512
feed_forward = 2048
heads = 8
encoder_layers = 20
decoder_layers = 1
decoder = "ssru"
norm = "pre"
"""


#: OpenNMT 2020 names the shapes of what it submitted in its images, such as `4-3-256`: layers of the encoder, layers of the decoder, width
#: (github.com/OpenNMT/CTranslate2, examples/wngt2020/README.md). The widths of the feed-forward parts are not given there; `2ffn` is taken to mean
#: half of the usual four times the width.
_SELF_ATTENTION = """\
[model]
dimension = {dimension}
feed_forward = {feed_forward}
heads = 8
encoder_layers = {encoder}
decoder_layers = {decoder}
decoder = "self-attention"

[shortlist]
phrases = true
"""


@dataclass(frozen=True)
class Row:
    """A network of a paper."""

    network: str
    #: What trains it: the keys that make it what it is, for a configuration of one's own.
    configuration: str
    #: Where its result is described, if it was trained here, and its package, if there is one.
    described: str | None = None
    package: str | None = None


def _average(dimension: int, feed_forward: int, heads: int, layers: int) -> str:
    return _AVERAGE.format(dimension=dimension, feed_forward=feed_forward, heads=heads, layers=layers)


def _self_attention(encoder: int, decoder: int, dimension: int, feed_forward: int) -> str:
    return _SELF_ATTENTION.format(dimension=dimension, feed_forward=feed_forward, encoder=encoder, decoder=decoder)


def _recurrent(dimension: int, width: int, more: str = "") -> str:
    return _RECURRENT.format(dimension=dimension, width=width, more=more)


_TINY = "[model]\ndimension = 256\nfeed_forward = 1536\nheads = 8\nencoder_layers = 6\ndecoder_layers = 2\ndecoder = \"ssru\"\n"
_BASE = "[model]\ndimension = 512\nfeed_forward = 2048\nheads = 8\nencoder_layers = 6\ndecoder_layers = 2\ndecoder = \"ssru\"\n"

#: Short name of a paper → its networks.
TABLES: dict[str, list[Row]] = {
    "Marian 2018": [
        Row("teacher, big Transformer", _TEACHER.format(layers=6, norm="post")),
        Row("Transformer with average attention, base", _average(512, 2048, 8, 6)),
        Row("Transformer with average attention, small", _average(256, 1536, 8, 2)),
        Row("recurrent, deep", _recurrent(512, 1024, "encoder_cells = 4\ndecoder_base_cells = 8\n")),
        Row("recurrent, shallow", _recurrent(512, 1024)),
        Row("recurrent, small", _recurrent(256, 512)),
    ],
    "Edinburgh 2020": [
        Row("base student", _BASE, "train/docs/en-de.tiny/larger.md"),
        Row("tiny student", _TINY, "models/en-de.tiny.md", "models/en-de.tiny.wanderwort"),
        Row("tiny student, its decoder's layers tied", _TINY + "tied_decoder = true\n"),
        Row("tiny student in log-4-bit, tuned", _TINY + "\n[quantization]\nkinds = [\"log4\"]\n\n[package]\nbits = \"log4\"\n", "train/docs/en-de.tiny/smaller.md"),
        Row("tiny student, 12 of 48 heads", "[pruning]\nkeep_heads = 12\nmeasure = \"divergence\"\n", "train/docs/en-de.tiny/smaller.md"),
        Row("tiny student, 6 of 48 heads, layers without any", _PRUNED),
    ],
    "OpenNMT 2020": [
        Row("Transformer, base", _self_attention(6, 6, 512, 2048)),
        Row("Transformer, 6-3-256", _self_attention(6, 3, 256, 1024)),
        Row("Transformer, 4-3-256", _self_attention(4, 3, 256, 1024)),
        Row("Transformer, 4-3-256-2ffn", _self_attention(4, 3, 256, 512)),
    ],
    "HW-TSC 2021": [
        Row("teacher, 25 and 6 layers", _TEACHER.format(layers=25, norm="pre")),
        Row("deep encoder, one SSRU layer", _DEEP),
    ],
}


def _measured(config: Config, program: Path, package: Path, sets: dict) -> list[str]:
    """BLEU on each set as the package translates it, words per second of processor time, megabytes."""
    with tempfile.TemporaryDirectory() as scratch:
        text = Path(scratch) / "text"
        text.write_text("".join(f"{source}\n" for pairs in sets.values() for source, _ in pairs[:200]), encoding="utf-8")
        arguments = [str(program), "bench", "--model", str(package), "--source", str(text), "--json", "--threads", "1", "--seconds", "3"]
        speed = json.loads(engine.run(arguments))["words_per_processor_second"]
    cells = []
    for pairs in sets.values():
        threads = ["--threads", str(config.threads)] if config.threads else []
        arguments = [str(program), "translate", "--model", str(package), "--lines-as-sentences", *threads]
        found = engine.lines_through(arguments, [source for source, _ in pairs], str(program))
        cells.append(f"{sacrebleu.corpus_bleu(found, [[target for _, target in pairs]]).score:.2f}")
    return [*cells, f"{speed:,.0f}", f"{package.stat().st_size / 1e6:.2f}"]


def run(config: Config):
    """Prints the tables."""
    program = engine.find()
    if program is None:
        raise TrainingError("the program `wanderwort` is not there; build it with `cargo build --release`")
    sets = {}
    for kind, names in (("development", config.data.development), ("test", config.data.test)):
        for name in names:
            sets[name] = corpus.read_parallel([config.data.folder / kind / f"{name}.tsv"])
    pair = config.data.source_language, config.data.target_language
    for paper, rows in TABLES.items():
        heads = ["network", "here", *(f"BLEU {name}" for name in sets), "words/s", "MB"]
        print(f"\n## {paper}\n\n| {' | '.join(heads)} |\n| --- | --- |{' ---: |' * (len(heads) - 2)}")
        for number, row in enumerate(rows, 1):
            state = f"ours: {row.described}" if row.described else f"not trained here: configuration {number}"
            cells = [""] * (len(heads) - 2)
            package = REPOSITORY / row.package if row.package else None
            # Ours are from English to German.
            if package is not None and package.exists() and pair == ("en", "de"):
                cells = _measured(config, program, package, sets)
            print(f"| {row.network} | {state} | {' | '.join(cells)} |", flush=True)
        for number, row in enumerate(rows, 1):
            if row.described is None:
                print(f"\nConfiguration {number}, {row.network}:\n\n```toml\n{row.configuration.strip()}\n```")
