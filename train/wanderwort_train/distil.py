"""Step `distil`: interpolated sequence-level distillation (Kim and Rush, 2016, section 3.3).

The teacher's beam gives candidates for each source; the one closest to the reference by sentence BLEU, or another metric, becomes the
student's target. For text without a reference it is the best candidate, and only the sentences whose candidates are the likeliest may be
kept (`likeliest`). Shards of translations lie in
`<folder>/distilled/shards`, so that an interrupted run continues where it was; at the end they are aligned and stored
like prepared data, which the step `student` then takes.

A student can be its own teacher: what is nearest to the reference within its beam is better than what it says at
first, and easier to learn than the reference itself.
"""

import json
import math
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy
from tqdm import tqdm

from . import alignment, batches, corpus, device, engine, shortlist, teacher, vocabulary
from .choice import REFERENCE, closest, is_stuck
from .config import Config, Distillation
from .errors import TrainingError
from .files import atomic, digest, read_json, save_arrays, write_json
from .search import beam

@dataclass
class _Texts:
    """What is translated: pairs of the prepared data, then source text alone, each with its corpus."""

    data: batches.Prepared
    pairs: numpy.ndarray
    alone: list[tuple[int, list[int]]]

    def __len__(self) -> int:
        return len(self.pairs) + len(self.alone)

    def source(self, i: int) -> list[int]:
        return self.data.source(self.pairs[i]).tolist() if i < len(self.pairs) else self.alone[i - len(self.pairs)][1]

    def reference(self, i: int) -> list[int] | None:
        """The existing target; None for text alone."""
        return self.data.target(self.pairs[i]).tolist() if i < len(self.pairs) else None

    def corpus(self, i: int) -> int:
        return int(self.data.corpora[self.pairs[i]]) if i < len(self.pairs) else self.alone[i - len(self.pairs)][0]


def run(config: Config):
    """Translates what is not translated yet, then aligns and stores everything."""
    settings = config.distillation
    target_device = device.choose(config)
    pieces = vocabulary.of(config.data.folder)
    data = batches.Prepared(config.data.folder)
    folder = config.folder / "distilled"
    distilled = numpy.array([item.distilled for item in config.data.corpora])
    weights = numpy.array([item.weight for item in config.data.corpora]) * distilled
    pairs = batches.drawn(data, weights, settings.lines, config.seed)
    pairs = pairs[distilled[data.corpora[pairs]]]
    alone = []
    for index, item in enumerate(config.data.monolingual, len(config.data.corpora)):
        for _, line in corpus.read_lines(item.path):
            ids = pieces.source.encode(corpus.clean_text(line), add_eos=True)
            if 1 < len(ids) <= config.data.max_pieces:
                alone.append((index, ids))

    # Shards of one setting must not mix with those of another.
    likeliest = [item.likeliest for item in config.data.monolingual if item.likeliest < 1]
    fingerprint = digest(
        json.dumps([settings.described(), zlib.crc32(pairs.tobytes()), len(alone), data.pairs, *likeliest]),
        *(config.teacher.command or map(str, teacher.sources(config))),
    )
    stamp = folder / "settings.json"
    if stamp.exists() and read_json(stamp)["fingerprint"] != fingerprint:
        raise TrainingError(f"{folder} holds translations made with other settings; move it away or restore the settings")
    if (folder / "target_tokens.npy").exists():
        print(f"distilled already: {folder}")
        return

    # Only now, so that a wrong teacher leaves nothing behind that could be taken for the right one's.
    teachers = [] if config.teacher.command else teacher.load(config, target_device)
    write_json(stamp, {"fingerprint": fingerprint})
    find = _decoder(config, teachers, pieces, target_device, folder)
    texts = _Texts(data, pairs, alone)
    shards = range(0, len(texts), settings.shard_lines)
    progress = tqdm(total=len(texts), desc="distilling", unit=" lines", mininterval=1)
    started = time.monotonic()
    missing = []
    for first in shards:
        lines = range(first, min(first + settings.shard_lines, len(texts)))
        path = folder / "shards" / f"{first:09}.jsonl"
        if path.exists():
            progress.update(len(lines))
        else:
            missing.append((path, lines))
    # The engine decodes the next shard while the candidates of this one are compared.
    with ThreadPoolExecutor(1) as ahead:

        def decode(number: int):
            return ahead.submit(lambda: find([texts.source(i) for i in missing[number][1]])) if number < len(missing) else None

        decoded = decode(0)
        for number, (path, lines) in enumerate(missing):
            candidates = decoded.result()
            decoded = decode(number + 1)
            _choose(candidates, pieces, texts, lines, path, settings)
            progress.update(len(lines))
    progress.close()
    print(f"translated in {time.monotonic() - started:.0f} s; aligning …", flush=True)
    others = numpy.setdiff1d(numpy.arange(data.pairs), pairs)
    others = others if settings.keep_others else others[~distilled[data.corpora[others]]]
    rng = numpy.random.default_rng([config.seed, 2])
    real = pairs[rng.random(len(pairs)) < settings.reference_share]
    kept = numpy.concatenate([others, real])
    _store(config, pieces, folder, [folder / "shards" / f"{first:09}.jsonl" for first in shards], data, kept)


def _decoder(config: Config, teachers, pieces, target_device, folder: Path):
    """A function from sources (pieces) to each one's candidates, the best first, as texts with their scores: the engine's, or PyTorch's."""
    settings = config.distillation
    if config.teacher.command:
        print(f"decoding with {' '.join(config.teacher.command)}", flush=True)

        def ask(sources):
            lines = [pieces.source.decode(source) for source in sources]
            found = engine.candidates_of(config.teacher.command, lines, "teacher.command")
            return [candidates[: settings.n_best] for candidates in found]

        return ask
    program = engine.find() if settings.decoder != "pytorch" else None
    if settings.decoder == "engine" and (program is None or len(teachers) > 1):
        raise TrainingError(
            'distillation.decoder = "engine": the program `wanderwort` decodes for one teacher; build it with '
            "`cargo build --release`, or name it in WANDERWORT"
        )
    if program is None or len(teachers) > 1 or (settings.decoder == "auto" and target_device.type != "cpu"):
        print("decoding in PyTorch", flush=True)
        return lambda sources: _by_pytorch(settings, teachers, pieces, sources)
    print(f"decoding with {program}", flush=True)
    model = folder / "teacher"
    engine.write_model(model, config, teachers[0].model, teachers[0].arrays(), _shortlist(config))

    def decode(sources):
        lines = [pieces.source.decode(source) for source in sources]
        return engine.candidates(
            program, model, lines, settings.beam, settings.n_best, settings.length_penalty, config.threads, settings.products
        )

    return decode


def _shortlist(config: Config) -> Path | None:
    """The shortlist, if the step `shortlist` was run before: the engine's beam is then twice as fast and loses little."""
    path = config.folder / "export" / shortlist.file_name(config)
    return path if path.exists() else None


def _by_pytorch(settings, teachers, pieces, sources):
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    texts = [None] * len(sources)
    while order:
        size = 1
        while size < len(order) and (size + 1) * len(sources[order[size]]) * settings.beam <= settings.batch_tokens * 4:
            size += 1
        part, order = order[:size], order[size:]
        found = beam(teachers, [sources[i] for i in part], settings.beam, settings.n_best, settings.length_penalty)
        for i, hypotheses in zip(part, found):
            texts[i] = [(pieces.target.decode(item), score) for item, score in hypotheses]
    return texts


def _choose(candidates: list[list[tuple[str, float]]], pieces, texts: _Texts, lines: range, path: Path, settings: Distillation):
    """Writes one shard: a JSON line per source with the chosen translation, where it stood in the beam, and the first one's score."""
    with atomic(path, "w") as file:
        for i, found in zip(lines, candidates):
            best, target = 0, texts.reference(i)
            if target is not None:
                best = closest([text for text, _ in found], pieces.target.decode(target), settings.least, settings.metric)
            if best != REFERENCE:
                target = pieces.target.encode(found[best][0], add_eos=True)
            line = {"corpus": texts.corpus(i), "rank": best, "score": found[0][1], "source": texts.source(i), "target": target}
            file.write(json.dumps(line) + "\n")


def _sure(config: Config, rows: list[dict]) -> list[dict]:
    """The rows whose translations the teacher is sure enough of (`likeliest`)."""
    least = {}
    for index, item in enumerate(config.data.monolingual, len(config.data.corpora)):
        # What was translated in parts has no score, and is long and hard.
        scores = sorted((row["score"] or -math.inf for row in rows if row["corpus"] == index), reverse=True)
        if item.likeliest < 1 and scores:
            least[index] = scores[max(1, math.floor(item.likeliest * len(scores))) - 1]
    return [row for row in rows if row["corpus"] not in least or (row["score"] or -math.inf) >= least[row["corpus"]]]


def without_repeats(rows: list[dict]) -> list[dict]:
    """The rows whose translations are not stuck, each pair once."""
    seen, result = set(), []
    for row in rows:
        pair = tuple(row["source"]), tuple(row["target"])
        if pair not in seen and not is_stuck(*pair):
            seen.add(pair)
            result.append(row)
    return result


def _store(config: Config, pieces, folder: Path, shards: list[Path], data: batches.Prepared, others):
    sides = {"source": [], "target": []}
    corpora = []
    references = 0
    rows = []
    for path in shards:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise TrainingError(f"{path}, line {number}: damaged; remove the file and run `distil` again") from error
    rows = _sure(config, rows)
    if config.distillation.drop_repeats:
        rows = without_repeats(rows)
    for row in rows:
        # A student must not learn to say nothing or to run on.
        if 1 < len(row["target"]) <= config.data.max_pieces:
            corpora.append(row["corpus"])
            references += row["rank"] == REFERENCE
            for name in sides:
                sides[name].append(row[name])
    distilled = len(corpora)
    if not distilled:
        raise TrainingError(f"{folder}: the teacher gave no usable translation; is it trained?")
    for pair in others:
        corpora.append(int(data.corpora[pair]))
        sides["source"].append(data.source(pair))
        sides["target"].append(data.target(pair))
    arrays = {"corpora": numpy.array(corpora, numpy.uint16), "lines": numpy.arange(len(corpora), dtype=numpy.int64)}
    for name, rows in sides.items():
        arrays[f"{name}_tokens"] = numpy.concatenate([numpy.array(row, numpy.uint16) for row in rows])
        arrays[f"{name}_offsets"] = numpy.concatenate([[0], numpy.cumsum([len(row) for row in rows], dtype=numpy.int64)])
    names = ("source_tokens", "source_offsets", "target_tokens", "target_offsets")
    links, offsets = alignment.align(*(arrays[name] for name in names), max(vocabulary.both(pieces.sizes)))
    save_arrays(folder, **{name: array for name, array in arrays.items() if name != "target_tokens"})
    save_arrays(folder, links=links, link_offsets=offsets)
    # Last: its presence tells the step `student` that the folder is complete.
    save_arrays(folder, target_tokens=arrays["target_tokens"])
    print(f"distilled: {distilled:,} pairs, {references:,} of them with their references; {len(others):,} as they were; in {folder}")
