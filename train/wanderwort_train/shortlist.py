"""Step `shortlist`: which target pieces each source piece may ask for, from the word alignments.

Lexical: for each source piece the `best` most probable target pieces by relative frequency of links, and for every
sentence the `first` pieces of the vocabulary. Written as text (`target source probability`) and in Marian's binary form:

    u64 magic, checksum, first, best, number of offsets, number of ids; u64 offsets (vocabulary + 1); u32 target ids

with each source piece's ids ascending. The checksum folds the u64 words from `first` on as boost's hash_combine does;
an odd last u32 is left out.
"""

import struct
from pathlib import Path

import numpy

from . import batches, vocabulary
from .config import Config
from .errors import TrainingError
from .files import atomic

MAGIC = 0xF11A48D5013417F5
_MASK = (1 << 64) - 1


def lexicon(data: batches.Prepared, size: int, chunk: int = 1 << 22):
    """Pairs (source, target) that are linked, and p(target | source): three arrays, by source, most probable first."""
    totals = numpy.zeros(size, numpy.int64)
    keys, counts = numpy.zeros(0, numpy.int64), numpy.zeros(0, numpy.int64)
    link_counts = numpy.diff(data.link_offsets)
    for first in range(0, data.pairs, chunk):
        last = min(first + chunk, data.pairs)
        links = numpy.asarray(data.links[data.link_offsets[first] : data.link_offsets[last]], numpy.int64)
        pair = numpy.repeat(numpy.arange(first, last), link_counts[first:last])
        source = data.source_tokens[data.source_offsets[pair] + (links >> 16)].astype(numpy.int64)
        target = data.target_tokens[data.target_offsets[pair] + (links & 0xFFFF)].astype(numpy.int64)
        totals += numpy.bincount(source, minlength=size)
        found, times = numpy.unique(source * size + target, return_counts=True)
        merged = numpy.concatenate([keys, found])
        keys, inverse = numpy.unique(merged, return_inverse=True)
        counts = numpy.bincount(inverse, numpy.concatenate([counts, times]), len(keys)).astype(numpy.int64)
    source, target = keys // size, keys % size
    order = numpy.lexsort((target, -counts, source))
    source, target, counts = source[order], target[order], counts[order]
    return source, target, counts / totals[source]


def best_targets(source, target, size: int, best: int) -> list[numpy.ndarray]:
    """For each source piece its `best` first targets, ascending; a piece without any lists itself."""
    starts = numpy.searchsorted(source, numpy.arange(size + 1))
    lists = []
    for piece in range(size):
        found = target[starts[piece] : min(starts[piece + 1], starts[piece] + best)]
        lists.append(numpy.sort(found) if len(found) else numpy.array([piece]))
    return lists


def checksum(body: bytes) -> int:
    """boost's hash_combine over the u64 words of `body`."""
    seed = 0
    for word in numpy.frombuffer(body[: len(body) // 8 * 8], "<u8").tolist():
        seed ^= (word + 0x9E3779B9 + ((seed << 6) & _MASK) + (seed >> 2)) & _MASK
    return seed


def write_binary(path: Path, lists: list[numpy.ndarray], first: int, best: int):
    """Marian's binary shortlist."""
    offsets = numpy.concatenate([[0], numpy.cumsum([len(x) for x in lists])]).astype("<u8")
    ids = numpy.concatenate(lists).astype("<u4")
    body = struct.pack("<4Q", first, best, len(offsets), len(ids)) + offsets.tobytes() + ids.tobytes()
    with atomic(path) as file:
        file.write(struct.pack("<2Q", MAGIC, checksum(body)))
        file.write(body)


def run(config: Config):
    """Writes `lex.<first>.<best>.<pair>.s2t.bin` and `lex.s2t` into the export folder."""
    data = batches.Prepared(config.data.folder)
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    size = pieces.get_piece_size()
    if len(data.links) == 0:
        raise TrainingError(f"{config.data.folder}: no alignment links; run the step `prepare` again")
    source, target, probability = lexicon(data, size)
    settings = config.shortlist
    pair = config.data.source_language + config.data.target_language
    folder = config.folder / "export"
    binary = folder / f"lex.{settings.first}.{settings.best}.{pair}.s2t.bin"
    write_binary(binary, best_targets(source, target, size, settings.best), settings.first, settings.best)
    names = [pieces.id_to_piece(i) for i in range(size)]
    with atomic(folder / "lex.s2t", "w") as file:
        for s, t, p in zip(source.tolist(), target.tolist(), probability.tolist()):
            if p >= 1e-4:
                file.write(f"{names[t]} {names[s]} {p:.7f}\n")
    print(f"written: {binary}")
