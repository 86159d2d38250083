"""Step `distil`: interpolated sequence-level distillation (Kim and Rush, 2016, section 3.3).

The teacher's beam gives candidates for each source; the one closest to the reference by sentence BLEU becomes the
student's target. For text without a reference it is the best candidate. Shards of translations lie in
`<folder>/distilled/shards`, so that an interrupted run goes on where it was; at the end they are aligned and stored
like prepared data, which the step `student` then takes.
"""

import json
import time
from pathlib import Path

import numpy
import sacrebleu
from tqdm import tqdm

from . import alignment, batches, corpus, device, engine, teacher, vocabulary
from .config import Config
from .errors import TrainingError
from .files import atomic, digest, read_json, save_arrays, write_json
from .search import beam


def closest(candidates: list[str], reference: str) -> int:
    """The index of the candidate with the highest sentence BLEU against the reference; the first of equals."""
    scores = [sacrebleu.sentence_bleu(candidate, [reference]).score for candidate in candidates]
    return scores.index(max(scores))


def run(config: Config):
    """Translates what is not translated yet, then aligns and stores everything."""
    settings = config.distillation
    target_device = device.choose(config)
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    data = batches.Prepared(config.data.folder)
    folder = config.folder / "distilled"
    pairs = numpy.arange(data.pairs)
    if 0 < settings.lines < data.pairs:
        pairs = numpy.sort(numpy.random.default_rng(config.seed).choice(pairs, settings.lines, replace=False))
    count = len(pairs)
    extra = []
    for path in config.data.monolingual:
        for _, line in corpus.read_lines(path):
            ids = pieces.encode(corpus.clean_text(line), add_eos=True)
            if 1 < len(ids) <= config.data.max_pieces:
                extra.append(ids)

    # Shards of one setting must not mix with those of another.
    fingerprint = digest(
        json.dumps([settings.model_dump(), count, len(extra), data.pairs]),
        *(str(path) for path in teacher.sources(config)),
    )
    stamp = folder / "settings.json"
    if stamp.exists() and read_json(stamp)["fingerprint"] != fingerprint:
        raise TrainingError(f"{folder} holds translations made with other settings; move it away or restore the settings")
    if (folder / "target_tokens.npy").exists():
        print(f"distilled already: {folder}")
        return

    # Only now, so that a wrong teacher leaves nothing behind that the right one would have to be told apart from.
    teachers = teacher.load(config, target_device)
    write_json(stamp, {"fingerprint": fingerprint})
    find = _decoder(config, teachers, pieces, target_device, folder)
    total = count + len(extra)
    shards = range(0, total, settings.shard_lines)
    progress = tqdm(total=total, desc="distilling", unit=" lines", mininterval=1)
    started = time.monotonic()
    for first in shards:
        last = min(first + settings.shard_lines, total)
        path = folder / "shards" / f"{first:09}.jsonl"
        if not path.exists():
            _translate(find, pieces, data, extra, pairs, range(first, last), path)
        progress.update(last - first)
    progress.close()
    print(f"translated in {time.monotonic() - started:.0f} s; aligning …", flush=True)
    others = numpy.setdiff1d(numpy.arange(data.pairs), pairs) if settings.keep_others else []
    _store(config, pieces, folder, [folder / "shards" / f"{first:09}.jsonl" for first in shards], data, others)


def _decoder(config: Config, teachers, pieces, target_device, folder: Path):
    """A function from sources (pieces) to the texts of each one's candidates: the engine's, or PyTorch's."""
    settings = config.distillation
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
    engine.write_model(model, config, teachers[0].model, teachers[0].arrays())

    def decode(sources):
        lines = [pieces.decode(source) for source in sources]
        return engine.candidates(
            program, model, lines, settings.beam, settings.n_best, settings.length_penalty, config.threads, settings.products
        )

    return decode


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
            texts[i] = [pieces.decode(item) for item, _ in hypotheses]
    return texts


def _translate(find, pieces, data, extra, pairs, lines, path: Path):
    """Writes one shard: a JSON line per source with the chosen translation and where it stood in the beam."""
    count = len(pairs)
    sources = [data.source(pairs[i]).tolist() if i < count else extra[i - count] for i in lines]
    found = find(sources)
    with atomic(path, "w") as file:
        for i, source, texts in zip(lines, sources, found):
            best = closest(texts, pieces.decode(data.target(pairs[i]).tolist())) if i < count else 0
            corpus_index = int(data.corpora[pairs[i]]) if i < count else 0
            target = pieces.encode(texts[best], add_eos=True)
            line = {"corpus": corpus_index, "rank": best, "source": source, "target": target}
            file.write(json.dumps(line) + "\n")


def _store(config: Config, pieces, folder: Path, shards: list[Path], data: batches.Prepared, others):
    sides = {"source": [], "target": []}
    corpora = []
    for path in shards:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise TrainingError(f"{path}, line {number}: damaged; remove the file and run `distil` again") from error
            # A student must not learn to say nothing or to run on.
            if 1 < len(row["target"]) <= config.data.max_pieces:
                corpora.append(row["corpus"])
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
    links, offsets = alignment.align(*(arrays[name] for name in names), pieces.get_piece_size())
    save_arrays(folder, **{name: array for name, array in arrays.items() if name != "target_tokens"})
    save_arrays(folder, links=links, link_offsets=offsets)
    # Last: its presence tells the step `student` that the folder is whole.
    save_arrays(folder, target_tokens=arrays["target_tokens"])
    print(f"distilled: {distilled:,} pairs, and {len(others):,} as they were, in {folder}")
