"""Step `compare-students`: students of several architectures, trained equally long on the same batches, in one table.

Without `comparison.models` these are what the papers compared: a decoder with SSRU, one with average attention and no feed-forward part, and a
recurrent network. Each makes as many updates as `training` says, and lies in `<folder>/compared/NAME`, where an interrupted one continues. The table,
also in `<folder>/students.md`, shows

    weights      millions
    minutes      of processor time that training took
    loss, BLEU   of the development sets: the loss in PyTorch, the translations of the engine with int8 products, greedy
    words/s      per second of processor time, on one thread
"""

import json
import tempfile
from pathlib import Path

import sacrebleu

from . import checkpoint, corpus, device, engine, export, forms, shortlist
from .config import Config, Model
from .errors import TrainingError
from .files import atomic
from .training import Trainer, data_folder


def models(config: Config) -> dict[str, Model]:
    """Name → network."""
    if config.comparison.models:
        return config.comparison.models
    if config.model.architecture == "recurrent":
        raise TrainingError("comparison.models names no networks, and none can be made of a recurrent one; name them, or give the shape of a Transformer")
    shape = {key: value for key, value in config.model.model_dump().items() if key in config.model.model_fields_set}
    shape = {key: value for key, value in shape.items() if key not in ("decoder", "average_feed_forward", "average_gate")}
    small = {"dimension": config.model.dimension, "embeddings": config.model.embeddings}
    return {
        "SSRU": Model(**shape, decoder="ssru"),
        "AAN": Model(**shape, decoder="average-attention", average_feed_forward=0),
        "GRU": Model(**small, architecture="recurrent", recurrent_width=config.model.dimension, recurrent_norm=True),
    }


def _row(config: Config, program: Path, sets: dict, text: Path, data: Path | None) -> list[str]:
    """Trains one student, on the text in `data` or else on what was prepared; the cells of its row."""
    folder = config.folder / "student"
    Trainer(config, config.model, config.training, folder, device.choose(config), data).run()
    state = checkpoint.load(folder / "checkpoint.pt")
    arrays = forms.arrays(config, "student")
    size = sum(array.size for array in arrays.values())
    curve = (folder / "curve.jsonl").read_text(encoding="utf-8").splitlines()
    loss = json.loads(curve[-1]).get("loss")
    lists = config.folder.parents[1] / "export" / shortlist.file_name(config)
    package = export.package(config)
    package.parent.mkdir(parents=True, exist_ok=True)
    own = config.model_copy(update={"package": config.package.model_copy(update={"bits": "int8"})})
    engine.write_package(program, package, own, arrays, {}, lists if lists.exists() else None)
    scores = []
    for pairs in sets.values():
        found = engine.translate(program, package, [source for source, _ in pairs], config.threads)
        scores.append(sacrebleu.corpus_bleu(found, [[target for _, target in pairs]]).score)
    arguments = [str(program), "bench", "--model", str(package), "--source", str(text), "--json", "--beam", "1", "--threads", "1", "--seconds", "3"]
    speed = json.loads(engine.run(arguments))["words_per_processor_second"]
    cells = [f"{size / 1e6:.1f}", f"{state['optimizer']['update']:,}", f"{state['processor_seconds'] / 60:.1f}", f"{loss}"]
    return [*cells, *(f"{score:.2f}" for score in scores), f"{speed:,.0f}"]


def run(config: Config):
    """Trains what is not trained yet, writes and prints the table."""
    program = engine.find()
    if program is None:
        raise TrainingError("the program `wanderwort` is not there; build it with `cargo build --release`")
    sets = {name: corpus.read_parallel([config.data.folder / "development" / f"{name}.tsv"]) for name in config.data.development}
    if not sets:
        raise TrainingError("data.development names no set to compare students on")
    # Distilled text belongs to the whole folder, not to one of them.
    learnt = data_folder(config)
    data = None if learnt == config.data.folder else learnt
    heads = ["student", "million weights", "updates", "minutes", "loss", *(f"BLEU {name}" for name in sets), "words/s"]
    lines = [f"| {' | '.join(heads)} |", "| --- |" + " ---: |" * (len(heads) - 1)]
    with tempfile.TemporaryDirectory() as scratch:
        text = Path(scratch) / "text"
        text.write_text("".join(f"{source}\n" for pairs in sets.values() for source, _ in pairs[:200]), encoding="utf-8")
        for name, model in models(config).items():
            print(f"{name} …", flush=True)
            # Its own weights: what `start` names belongs to another network.
            own = config.model_copy(update={"folder": config.folder / "compared" / name, "name": name, "model": model, "start": None})
            lines.append(f"| {name} | {' | '.join(_row(own, program, sets, text, data))} |")
    with atomic(config.folder / "students.md", "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(["", *lines]))
