"""Training a student on another machine, an accelerator lent for a few minutes: all that it needs in one file, and its weights back.

    wanderwort-train pack-run --config FILE               here: writes <folder>/accelerator/run.zip
    wanderwort-train run --pack run.zip --out FOLDER      there
    wanderwort-train join-run --config FILE               here: FOLDER's files in <folder>/accelerator → model.npz beside them

A pack is a zip archive of LZMA-compressed members:

    run.json              the shapes, settings and corpora of the configuration; each corpus's weight in proportion to how much of it is here
    vocabulary.spm        SentencePiece model; beside it target.spm, where each side has its own
    NAME.npy              the arrays of prepared pairs (prepare.py), with sizes and links as differences, which are small
    development/NAME.tsv  what the development sets are measured on
    start.npy             the weights to begin with, one after another in half precision; absent if they are random

It holds as many of the prepared pairs as `accelerator.megabytes` allows, drawn by their corpora's weights. The output of `run` is small too:

    weights-1.npy …       the weights in half precision, one after another, in parts of 16 MB
    weights.json          the update they are from, their number, their checksum
    curve.jsonl           what was measured

They are written at each measurement and at the end, so that the last of them remain if the machine is taken away.
"""

import hashlib
import io
import json
import shutil
import time
import zipfile
from pathlib import Path

import numpy

from . import batches, device, marian, scores, student, vocabulary
from .config import Config, Corpus, Training
from .errors import TrainingError
from .files import atomic, digest, read_json, save_arrays, write_json
from .training import Trainer, data_folder
from .weights import shapes

#: Values per part: 16 MB in half precision.
PART = 8_000_000
#: Pairs of the first try, from which their size is estimated.
FIRST_TRY = 20_000
#: The share of the room for pairs that may be left empty.
SLACK = 0.05


def folder(config: Config) -> Path:
    """Where a configuration's pack is, and what comes back."""
    return config.folder / "accelerator"


# -- pairs as small numbers --


def _pack_pairs(data: batches.Prepared, pairs: numpy.ndarray) -> dict[str, numpy.ndarray]:
    """The arrays of some pairs. Offsets become lengths; in links, source positions become distances from the target's, and target positions
    distances from the previous link's."""

    def taken(tokens, offsets):
        return numpy.concatenate([tokens[offsets[pair] : offsets[pair + 1]] for pair in pairs.tolist()])

    links = taken(data.links, data.link_offsets).astype(numpy.int64)
    source, target = links >> 16, links & 0xFFFF
    return {
        "source_tokens": taken(data.source_tokens, data.source_offsets).astype(numpy.uint16),
        "target_tokens": taken(data.target_tokens, data.target_offsets).astype(numpy.uint16),
        "source_lengths": data.source_lengths[pairs].astype(numpy.uint16),
        "target_lengths": data.target_lengths[pairs].astype(numpy.uint16),
        "link_lengths": numpy.diff(data.link_offsets)[pairs].astype(numpy.uint16),
        "link_sources": (source - target).astype(numpy.int16),
        "link_targets": numpy.diff(target, prepend=0).astype(numpy.int16),
        "corpora": data.corpora[pairs].astype(numpy.uint16),
    }


def _unpack_pairs(arrays: dict[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """The arrays that `batches.Prepared` reads."""

    def offsets(lengths):
        return numpy.concatenate([[0], numpy.cumsum(lengths, dtype=numpy.int64)])

    target = numpy.cumsum(arrays["link_targets"], dtype=numpy.int64)
    source = arrays["link_sources"] + target
    return {
        "source_tokens": arrays["source_tokens"],
        "target_tokens": arrays["target_tokens"],
        "source_offsets": offsets(arrays["source_lengths"]),
        "target_offsets": offsets(arrays["target_lengths"]),
        "link_offsets": offsets(arrays["link_lengths"]),
        "links": (source << 16 | target).astype(numpy.int32),
        "corpora": arrays["corpora"],
        "lines": numpy.arange(len(arrays["corpora"])),
    }


# -- packing --


def _half(arrays: dict[str, numpy.ndarray], names) -> numpy.ndarray:
    """Weights one after another."""
    return numpy.concatenate([numpy.asarray(arrays[name], numpy.float16).ravel() for name in names])


def _settings(config: Config) -> Training:
    """How the accelerator trains: as `accelerator.training` says, or as the student does but with one fall of the rate; for
    `accelerator.minutes` if neither names any."""
    own = config.accelerator.training
    if own is None:
        own = config.training.model_copy(update={"cycles": []})
    if own.minutes == 0:
        own = own.model_copy(update={"minutes": config.accelerator.minutes})
    return Training.model_validate(own.model_dump())


def _settings_file(config: Config, weights: list[float]) -> bytes:
    """run.json, with these weights of the corpora."""
    training = _settings(config)
    if training.teacher_share > 0:
        raise TrainingError("accelerator: teacher_share needs a teacher, and a pack holds none; distil the text instead")
    if scores.are_wanted(config):
        raise TrainingError("accelerator: reverse.weight and drop_worst go by scores of pairs, and a pack holds none")
    corpora = []
    for item, weight in zip(_corpora(config), weights):
        own = item.model_dump(mode="json", include=set(Corpus.model_fields))
        falling = item.falling_weight and item.weight and item.falling_weight * weight / item.weight
        corpora.append(own | {"path": item.path.name, "weight": weight, "falling_weight": falling})
    settings = {
        "name": config.name,
        "seed": config.seed,
        "device": config.device,
        "threads": config.threads,
        "data": {
            "source_language": config.data.source_language,
            "target_language": config.data.target_language,
            "vocabulary_size": config.data.vocabulary_size,
            "target_vocabulary_size": config.data.target_vocabulary_size,
            "corpora": corpora,
            "development": {name: [f"{name}.tsv"] for name in config.data.development},
        },
        "model": config.model.model_dump(),
        "training": training.model_dump(),
    }
    return json.dumps(settings, indent=1).encode()


def _files(config: Config) -> dict[str, bytes]:
    """The members that do not depend on which pairs are drawn."""
    files = (config.data.folder / name for name in (vocabulary.FILE, vocabulary.TARGET_FILE))
    members = {path.name: path.read_bytes() for path in files if path.exists()}
    for name in config.data.development:
        lines = (config.data.folder / "development" / f"{name}.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        members[f"development/{name}.tsv"] = "".join(lines[: _settings(config).evaluate_lines]).encode()
    starting = student.starting_weights(config)
    if starting is not None:
        size = vocabulary.of(config.data.folder).sizes
        members["start.npy"] = _bytes(_half(starting, shapes(config.model, size)))
    return members


def _corpora(config: Config) -> list:
    return config.data.corpora + config.data.monolingual


def _bytes(array: numpy.ndarray) -> bytes:
    buffer = io.BytesIO()
    numpy.lib.format.write_array(buffer, array, version=(1, 0))
    return buffer.getvalue()


def _archive(members: dict[str, bytes]) -> bytes:
    """A zip archive that is the same whenever it is made."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_LZMA
            archive.writestr(entry, content)
    return buffer.getvalue()


def _drawn(config: Config, data: batches.Prepared, weights: list[float], count: int) -> dict[str, bytes]:
    """The members that hold `count` pairs and how they are weighted."""
    chosen = batches.drawn(data, weights, count, config.seed)
    # What was drawn by weight must not be weighted again: a corpus is learnt from as often as if all of it were there.
    whole = numpy.bincount(data.corpora, minlength=len(weights))
    kept = numpy.bincount(data.corpora[chosen], minlength=len(weights))
    learnt = numpy.asarray(weights) * whole / whole.sum()
    share = numpy.divide(learnt, kept, out=numpy.zeros(len(weights)), where=kept > 0)
    share *= len(chosen) / max(share @ kept, 1e-9)
    arrays = {f"{name}.npy": _bytes(array) for name, array in _pack_pairs(data, chosen).items()}
    return {"run.json": _settings_file(config, share.tolist())} | arrays


def pack(config: Config):
    """Step `pack-run`: writes the pack, with as many pairs as there is room for."""
    data = batches.Prepared(data_folder(config))
    weights = [item.weight for item in _corpora(config)]
    files = _files(config)
    taken, room = len(_archive(files)), int(config.accelerator.megabytes * 1e6)
    usable = int(numpy.isin(data.corpora, numpy.flatnonzero(weights)).sum())
    # The size grows almost in proportion to the pairs, so each try tells how many to take next, between what fitted and what did not.
    fitted, too_many, count = 0, usable + 1, min(usable, FIRST_TRY)
    while True:
        drawn = _drawn(config, data, weights, count)
        size = len(_archive(drawn))
        if taken + size > room:
            too_many = count
        else:
            fitted = count
            if too_many - fitted == 1 or size >= (1 - SLACK) * (room - taken):
                break
        if too_many == 1:
            raise TrainingError(
                f"accelerator.megabytes: {taken / 1e6:.2f} MB are taken without any text, mostly by the weights of `start`; {room / 1e6:g} MB are too few"
            )
        count = min(max(int(count * (1 - SLACK / 2) * (room - taken) / size), fitted + 1), too_many - 1)
    path = folder(config) / "run.zip"
    with atomic(path) as file:
        file.write(_archive(drawn | files))
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, {count:,} of {usable:,} pairs")


# -- training there --


def _unpacked(pack: Path, work: Path) -> Config:
    """The configuration of a pack, whose files are unpacked to `work` unless they are there already."""
    try:
        with zipfile.ZipFile(pack) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        raw = json.loads(members["run.json"])
    except FileNotFoundError as error:
        raise TrainingError(f"{pack}: no such file; `pack-run` writes it") from error
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        raise TrainingError(f"{pack}: not a pack of `pack-run`, or damaged ({error})") from error
    data = work / "data"
    raw["folder"] = str(work)
    raw["data"]["folder"] = str(data)
    config = Config.model_validate(raw)
    config.data.development = {name: [data / "development" / files[0]] for name, files in config.data.development.items()}
    whole = digest(hashlib.sha256(pack.read_bytes()).hexdigest())
    mark = work / "pack.json"
    if mark.exists() and read_json(mark) != whole:
        raise TrainingError(f"{work} is of another pack than {pack}; name another folder with --work, or remove it")
    if not mark.exists():
        for name, content in members.items():
            if not name.endswith(".npy"):
                with atomic(data / name) as file:
                    file.write(content)
        arrays = {name.removesuffix(".npy"): numpy.load(io.BytesIO(content)) for name, content in members.items() if name.endswith(".npy")}
        start = arrays.pop("start", None)
        if start is not None:
            size = vocabulary.of(data).sizes
            marian.write_npz(work / "start.npz", _whole(start, shapes(config.model, size)), config.model)
        save_arrays(data, **_unpack_pairs(arrays))
        write_json(mark, whole)
    config.start = work / "start.npz" if (work / "start.npz").exists() else None
    return config


def _whole(flat: numpy.ndarray, sizes: dict[str, tuple[int, int]]) -> dict[str, numpy.ndarray]:
    """Weights by name."""
    found, place = {}, 0
    for name, (rows, columns) in sizes.items():
        found[name] = flat[place : place + rows * columns].reshape(rows, columns).astype(numpy.float32)
        place += rows * columns
    if place != len(flat):
        raise TrainingError(f"{len(flat):,} weights, but the network has {place:,}")
    return found


def _write_weights(out: Path, trainer: Trainer):
    """Writes the output of `run`."""
    flat = _half(trainer.result(), trainer.weights.shapes)
    parts = [flat[start : start + PART] for start in range(0, len(flat), PART)]
    for number, part in enumerate(parts, 1):
        with atomic(out / f"weights-{number}.npy") as file:
            numpy.save(file, part)
    update, checksum = trainer.optimizer.update, hashlib.sha256(flat.tobytes()).hexdigest()
    write_json(out / "weights.json", {"update": update, "parts": len(parts), "weights": len(flat), "sha256": checksum})
    curve = trainer.folder / "curve.jsonl"
    if curve.exists():
        shutil.copyfile(curve, out / "curve.jsonl")


def run(pack: Path, out: Path, work: Path, minutes: float | None):
    """Trains as a pack says. `minutes` count from here, unpacking included."""
    began = time.monotonic()
    config = _unpacked(pack, work)
    out.mkdir(parents=True, exist_ok=True)
    if minutes is not None:
        config.training = Training.model_validate(config.training.model_dump() | {"minutes": minutes})
    chosen = device.choose(config)
    trainer = Trainer(config, config.model, config.training, work / "student", chosen, config.data.folder, initial=student.starting_weights(config))
    trainer.elapsed += time.monotonic() - began
    trainer.measured = lambda: _write_weights(out, trainer)
    print(f"training on {chosen}: {trainer.data.pairs:,} pairs, ready after {time.monotonic() - began:.0f} s", flush=True)
    trainer.run()
    # A run that was interrupted in its last measurement has nothing more to train, but has not written these.
    _write_weights(out, trainer)


# -- back here --


def join(config: Config):
    """Step `join-run`: what came back, as a Marian model."""
    place = folder(config)
    about = read_json(place / "weights.json")
    try:
        flat = numpy.concatenate([numpy.load(place / f"weights-{number}.npy") for number in range(1, about["parts"] + 1)])
    except (OSError, ValueError) as error:
        raise TrainingError(f"{place}: {about['parts']} parts of weights are expected ({error})") from error
    if hashlib.sha256(flat.astype(numpy.float16).tobytes()).hexdigest() != about["sha256"]:
        raise TrainingError(f"{place}: the parts of weights do not have the checksum that weights.json names; copy all of one run")
    size = vocabulary.of(config.data.folder).sizes
    marian.write_npz(place / "model.npz", _whole(flat, shapes(config.model, size)), config.model)
    print(f"{place / 'model.npz'}: the weights after update {about['update']:,}")
