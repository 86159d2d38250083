"""Step `prepare`: parallel text → clean pairs, vocabulary, pieces, word alignments.

Everything lies in `data.folder`. Each part is written when it is complete, with a fingerprint of what it was made from; a
later run makes only the parts that are missing or whose configuration changed.

    text.tsv             corpus index, source, target: one pair a line
    vocabulary.spm       SentencePiece model of both sides, or of the source; target.spm that of the target, if it has its own
    source_tokens.npy    pieces of all pairs one after another, each pair ended by </s>; target_tokens.npy likewise
    source_offsets.npy   where each pair begins; target_offsets.npy likewise
    lines.npy, corpora.npy   line in text.tsv and corpus index of each pair
    links.npy, link_offsets.npy   word alignment (see alignment.py)
    development/NAME.tsv, test/NAME.tsv   the sets, for later steps
"""

import hashlib
import json
import os
import random
import time
from pathlib import Path

import numpy
from tqdm import tqdm

from . import alignment, corpus, language, noise, vocabulary
from .config import Config, Data
from .errors import TrainingError
from .files import atomic, digest, read_json, save_arrays, write_json


#: Settings for which pairs are dropped that were added after the others.
FILTERS = ("min_characters", "max_characters", "source_scripts", "target_scripts", "language_least")


class _Parts:
    """Which parts of a folder are complete, and what they were made from."""

    def __init__(self, folder: Path):
        self.path = folder / "parts.json"
        self.done = read_json(self.path) if self.path.exists() else {}

    def is_done(self, name: str, fingerprint: str) -> bool:
        return self.done.get(name) == fingerprint

    def finish(self, name: str, fingerprint: str):
        self.done[name] = fingerprint
        write_json(self.path, self.done)


def run(config: Config):
    """Runs all parts that are not done yet."""
    data = config.data
    for item in data.corpora:
        if not item.path.exists():
            raise TrainingError(f"{item.path}: no such file (named in data.corpora)")
    data.folder.mkdir(parents=True, exist_ok=True)
    parts = _Parts(data.folder)
    threads = config.threads or os.cpu_count() or 1

    sizes = [(item.path.name, item.path.stat().st_size, item.share) for item in data.corpora]
    print_text = digest(json.dumps([sizes, data.target_first, data.noise.model_dump(), data.max_length_ratio, config.seed]), *_changed(data, FILTERS))
    if not parts.is_done("text", print_text):
        _copy_sets(data)
        _clean(data, config.seed)
        parts.finish("text", print_text)

    if data.vocabulary is None:
        print_vocabulary = digest(print_text, str(data.vocabulary_size), str(data.vocabulary_lines), *data.vocabulary_symbols)
    else:
        print_vocabulary = digest(print_text, vocabulary.check(data.vocabulary, data.vocabulary_size, "vocabulary"))
    separate = data.target_vocabulary_size is not None
    if separate and data.target_vocabulary is None:
        print_vocabulary = digest(print_vocabulary, str(data.target_vocabulary_size), str(data.vocabulary_lines))
    elif separate:
        print_vocabulary = digest(print_vocabulary, vocabulary.check(data.target_vocabulary, data.target_vocabulary_size, "target_vocabulary"))
    if not parts.is_done("vocabulary", print_vocabulary):
        sides = ("source", "target")
        symbols = data.vocabulary_symbols
        _make_vocabulary(config, vocabulary.FILE, data.vocabulary, data.vocabulary_size, sides[:1] if separate else sides, symbols, threads)
        if separate:
            _make_vocabulary(config, vocabulary.TARGET_FILE, data.target_vocabulary, data.target_vocabulary_size, sides[1:], [], threads)
        else:
            # Its presence says that there are two vocabularies.
            (data.folder / vocabulary.TARGET_FILE).unlink(missing_ok=True)
        parts.finish("vocabulary", print_vocabulary)

    print_tokens = digest(print_vocabulary, str(data.max_pieces), *_changed(data, ("min_pieces",)))
    if not parts.is_done("tokens", print_tokens):
        _encode(data, threads)
        parts.finish("tokens", print_tokens)

    if not parts.is_done("links", print_tokens):
        _align(data)
        parts.finish("links", print_tokens)
    tokens = numpy.load(data.folder / "target_offsets.npy", mmap_mode="r")
    print(f"prepared: {len(tokens) - 1:,} pairs, {tokens[-1]:,} target tokens in {data.folder}")


def _changed(data: Data, names: tuple[str, ...]) -> list[str]:
    """Those of these settings that differ from their defaults: with the defaults they make what was prepared before they existed."""
    return [f"{name} = {getattr(data, name)}" for name in names if getattr(data, name) != Data.model_fields[name].default]


def _copy_sets(data: Data):
    for kind, sets in (("development", data.development), ("test", data.test)):
        for name, files in sets.items():
            pairs = _set(data, files)
            with atomic(data.folder / kind / f"{name}.tsv", "w") as file:
                file.writelines(f"{source}\t{target}\n" for source, target in pairs)


def _set(data: Data, files: list[Path]) -> list[tuple[str, str]]:
    """A development or test set, source first."""
    pairs = corpus.read_parallel(files)
    return [(source, target) for target, source in pairs] if data.target_first and len(files) == 1 else pairs


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class _Filter:
    """Says why a pair is dropped, by the settings of `data`."""

    def __init__(self, data: Data):
        self.data = data
        self.detector = language.Detector() if data.language_least > 0 else None
        self.sides = (data.source_language, data.source_scripts), (data.target_language, data.target_scripts)

    def reason(self, source: str, target: str) -> str | None:
        """None for a pair that stays."""
        data = self.data
        reason = corpus.reason_to_drop(source, target, data.max_length_ratio, data.min_characters, data.max_characters)
        if reason is not None:
            return reason
        for text, (name, scripts) in zip((source, target), self.sides):
            if language.is_in_another_script(text, scripts):
                return "in another script"
            if self.detector is not None and self.detector.probability(text, name) < data.language_least:
                return "in another language"
        return None


def _clean(data: Data, seed: int):
    """Cleans, drops duplicates within and across corpora and whatever is in a development or test set, adds noise."""
    held_out = set()
    for sets in (data.development, data.test):
        for files in sets.values():
            for pair in _set(data, files):
                held_out.update(_hash(corpus.fingerprint(corpus.clean_text(side))) for side in pair if len(side) > 15)
    seen = set()
    shares = data.noise.model_dump()
    wanted = _Filter(data)
    with atomic(data.folder / "text.tsv", "w") as out:
        for index, item in enumerate(data.corpora):
            rng = random.Random(f"{seed} {item.path.name}")
            drawn = random.Random(f"{seed} {item.path.name} share")
            kept = altered = 0
            dropped = {}
            for line in tqdm(corpus.read_pairs(item.path), desc=item.path.name, unit=" pairs", mininterval=1):
                if drawn.random() >= item.share:
                    continue
                source, target = map(corpus.clean_text, reversed(line) if data.target_first else line)
                reason = wanted.reason(source, target)
                if reason is None:
                    prints = corpus.fingerprint(source), corpus.fingerprint(target)
                    exact, alike = _hash(f"{source}\t{target}"), _hash("\t".join(prints))
                    if (exact if item.cased else alike) in seen:
                        reason = "duplicate"
                    elif held_out and not held_out.isdisjoint(map(_hash, prints)):
                        reason = "in a development or test set"
                if reason is not None:
                    dropped[reason] = dropped.get(reason, 0) + 1
                    continue
                seen.update((exact, alike))
                kept += 1
                out.write(f"{index}\t{source}\t{target}\n")
                for copy in noise.altered_copies(source, target, shares, rng):
                    out.write(f"{index}\t{copy[0]}\t{copy[1]}\n")
                    altered += 1
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(dropped.items())) or "none"
            print(f"{item.path.name}: {kept:,} pairs kept, {altered:,} altered copies; dropped: {reasons}", flush=True)


def _make_vocabulary(config: Config, name: str, given: Path | None, size: int, sides: tuple[str, ...], symbols: list[str], threads: int):
    """A vocabulary of these sides of the text: the given one, or else a trained one."""
    data = config.data
    if given is not None:
        with atomic(data.folder / name) as file:
            file.write(given.read_bytes())
        return
    started = time.monotonic()
    print(f"training a vocabulary of {size} pieces …", flush=True)
    total = sum(1 for _ in open(data.folder / "text.tsv", "rb"))
    lines = _vocabulary_lines(data, total, config.seed, sides)
    vocabulary.train(lines, size, data.folder / name, threads, config.seed, symbols)
    print(f"  done in {time.monotonic() - started:.0f} s")


def _vocabulary_lines(data: Data, total: int, seed: int, sides: tuple[str, ...]):
    """These sides of a random sample of the pairs."""
    rng = random.Random(seed)
    share = min(1.0, data.vocabulary_lines / max(total, 1))
    own = {"source": data.source_scripts, "target": data.target_scripts}
    scripts = [script for side in sides for script in own[side]] if all(own[side] for side in sides) else []
    columns = [("source", "target").index(side) + 1 for side in sides]
    with open(data.folder / "text.tsv", encoding="utf-8") as file:
        for line in file:
            if rng.random() < share:
                row = line.rstrip("\n").split("\t")
                for text in (row[column] for column in columns):
                    yield language.without_other_scripts(text, scripts) if scripts else text


def _encode(data: Data, threads: int):
    pieces = vocabulary.of(data.folder)
    tokens = {"source": [], "target": []}
    lengths = {"source": [], "target": []}
    lines, corpora = [], []
    long_pairs = short_pairs = 0

    def encode(first_line, batch):
        nonlocal long_pairs, short_pairs
        sources = pieces.source.encode([row[1] for row in batch], num_threads=threads, add_eos=True)
        targets = pieces.target.encode([row[2] for row in batch], num_threads=threads, add_eos=True)
        for i, (source, target) in enumerate(zip(sources, targets)):
            if max(len(source), len(target)) > data.max_pieces:
                long_pairs += 1
                continue
            if min(len(source), len(target)) < data.min_pieces:
                short_pairs += 1
                continue
            for name, side in (("source", source), ("target", target)):
                tokens[name].append(numpy.array(side, numpy.uint16))
                lengths[name].append(len(side))
            lines.append(first_line + i)
            corpora.append(int(batch[i][0]))

    with open(data.folder / "text.tsv", encoding="utf-8") as file:
        batch, first = [], 0
        for number, line in enumerate(tqdm(file, desc="pieces", unit=" pairs", mininterval=1)):
            batch.append(line.rstrip("\n").split("\t"))
            if len(batch) == 20_000:
                encode(first, batch)
                batch, first = [], number + 1
        if batch:
            encode(first, batch)
    if not lines:
        raise TrainingError(
            f"no pair has {data.min_pieces} to {data.max_pieces} pieces on both sides; raise data.max_pieces, or lower data.min_pieces"
        )
    if short_pairs:
        print(f"{short_pairs:,} pairs shorter than {data.min_pieces} pieces left out")
    if long_pairs:
        print(f"{long_pairs:,} pairs longer than {data.max_pieces} pieces left out")
    arrays = {"lines": numpy.array(lines, numpy.int64), "corpora": numpy.array(corpora, numpy.uint16)}
    for name in tokens:
        arrays[f"{name}_tokens"] = numpy.concatenate(tokens[name])
        arrays[f"{name}_offsets"] = numpy.concatenate([[0], numpy.cumsum(lengths[name], dtype=numpy.int64)])
    save_arrays(data.folder, **arrays)


def _align(data: Data):
    started = time.monotonic()
    print("aligning …", flush=True)
    names = ("source_tokens", "source_offsets", "target_tokens", "target_offsets")
    links, offsets = alignment.align(*(numpy.load(data.folder / f"{name}.npy") for name in names), max(vocabulary.both(vocabulary.of(data.folder).sizes)))
    save_arrays(data.folder, links=links, link_offsets=offsets)
    print(f"  {len(links):,} links in {time.monotonic() - started:.0f} s")
