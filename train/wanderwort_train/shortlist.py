"""Step `shortlist`: which target pieces each source piece may ask for, from the word alignments.

Lexical: for each source piece the `best` most probable target pieces by relative frequency of links, and for every
sentence the `first` pieces of the vocabulary. Written as text (`target source probability`) and in Marian's binary form:

    u64 magic, checksum, first, best, number of offsets, number of ids; u64 offsets (vocabulary + 1); u32 target ids

with each source piece's ids ascending. The checksum folds the u64 words from `first` on as boost's hash_combine does;
an odd last u32 is left out.

By coverage, if `shortlist.covering_share` says so: what a sentence needs and none of its other pieces lists (`covering_targets`). From the same
text such lists are shorter than the most probable targets, and leave less out: the latter are many for pieces that hardly ever need them, and
too few for pieces with many translations ("take", "off").

By phrases (Klein et al., 2020, section 3.7), if `shortlist.phrases` says so: source phrases of two and three pieces list the
target pieces that are often linked to them but missing from their pieces' own lists, which are then shorter. Written as CTranslate2
reads it: source pieces, tab, target pieces.
"""

import struct
from pathlib import Path

import numpy

from . import batches, vocabulary
from .config import Config, Shortlist
from .errors import TrainingError
from .files import atomic
from .vocabulary import Sizes, both

MAGIC = 0xF11A48D5013417F5
_MASK = (1 << 64) - 1


def lexicon(data: batches.Prepared, sizes: Sizes, chunk: int = 1 << 22):
    """Pairs (source, target) that are linked, and p(target | source): three arrays, by source, most probable first."""
    sources, size = both(sizes)
    totals = numpy.zeros(sources, numpy.int64)
    keys, counts = numpy.zeros(0, numpy.int64), numpy.zeros(0, numpy.int64)
    link_counts = numpy.diff(data.link_offsets)
    for first in range(0, data.pairs, chunk):
        last = min(first + chunk, data.pairs)
        links = numpy.asarray(data.links[data.link_offsets[first] : data.link_offsets[last]], numpy.int64)
        pair = numpy.repeat(numpy.arange(first, last), link_counts[first:last])
        source = data.source_tokens[data.source_offsets[pair] + (links >> 16)].astype(numpy.int64)
        target = data.target_tokens[data.target_offsets[pair] + (links & 0xFFFF)].astype(numpy.int64)
        totals += numpy.bincount(source, minlength=sources)
        found, times = numpy.unique(source * size + target, return_counts=True)
        merged = numpy.concatenate([keys, found])
        keys, inverse = numpy.unique(merged, return_inverse=True)
        counts = numpy.bincount(inverse, numpy.concatenate([counts, times]), len(keys)).astype(numpy.int64)
    source, target = keys // size, keys % size
    order = numpy.lexsort((target, -counts, source))
    source, target, counts = source[order], target[order], counts[order]
    return source, target, counts / totals[source]


def best_targets(source, target, sizes: Sizes, best: int) -> list[numpy.ndarray]:
    """For each source piece its `best` first targets, ascending; a piece without any lists itself, if it is one of the target too."""
    starts = numpy.searchsorted(source, numpy.arange(both(sizes)[0] + 1))
    lists = []
    for piece in range(both(sizes)[0]):
        found = target[starts[piece] : min(starts[piece + 1], starts[piece] + best)]
        itself = numpy.array([piece] if isinstance(sizes, int) else [], numpy.int64)
        lists.append(numpy.sort(found) if len(found) else itself)
    return lists


def _sentences_with(data: batches.Prepared, size: int, chunk: int) -> numpy.ndarray:
    """For each piece the number of sources that contain it."""
    counts = numpy.zeros(size, numpy.int64)
    for begin in range(0, data.pairs, chunk):
        offsets = data.source_offsets[begin : min(begin + chunk, data.pairs) + 1].astype(numpy.int64)
        pair = numpy.repeat(numpy.arange(len(offsets) - 1), numpy.diff(offsets))
        pieces = data.source_tokens[offsets[0] : offsets[-1]].astype(numpy.int64)
        counts += numpy.bincount(numpy.unique(pair * size + pieces) % size, minlength=size)
    return counts


def _uncovered(data: batches.Prepared, listed: numpy.ndarray, chunk: int):
    """Links to target pieces that no source piece of their sentence lists: sources × size + targets, and how often each occurs.

    `listed` is source by target, the latter of `size`.
    """
    size = listed.shape[1]
    keys, counts = numpy.zeros(0, numpy.int64), numpy.zeros(0, numpy.int64)
    for begin in range(0, data.pairs, chunk):
        end = min(begin + chunk, data.pairs)
        ranges = (data.source_offsets, data.target_offsets, data.link_offsets)
        source_offsets, target_offsets, link_offsets = (x[begin : end + 1].astype(numpy.int64) for x in ranges)
        sources = data.source_tokens[source_offsets[0] : source_offsets[-1]].astype(numpy.int64)
        targets = data.target_tokens[target_offsets[0] : target_offsets[-1]].astype(numpy.int64)
        links = numpy.asarray(data.links[link_offsets[0] : link_offsets[-1]], numpy.int64)
        source_offsets, target_offsets = source_offsets - source_offsets[0], target_offsets - target_offsets[0]
        # Each target piece beside each source piece of its sentence. No source is empty: all end with </s>.
        pair = numpy.repeat(numpy.arange(end - begin), numpy.diff(target_offsets))
        lengths = numpy.diff(source_offsets)[pair]
        starts = numpy.cumsum(lengths) - lengths
        position = numpy.arange(lengths.sum()) + numpy.repeat(source_offsets[pair] - starts, lengths)
        covered = numpy.logical_or.reduceat(listed[sources[position], numpy.repeat(targets, lengths)], starts)
        pair = numpy.repeat(numpy.arange(end - begin), numpy.diff(link_offsets))
        source, target = source_offsets[pair] + (links >> 16), target_offsets[pair] + (links & 0xFFFF)
        missing = ~covered[target]
        found, times = numpy.unique(sources[source[missing]] * size + targets[target[missing]], return_counts=True)
        keys, inverse = numpy.unique(numpy.concatenate([keys, found]), return_inverse=True)
        counts = numpy.bincount(inverse, numpy.concatenate([counts, times]), len(keys)).astype(numpy.int64)
    return keys, counts


def covering_targets(
    data: batches.Prepared, sizes: Sizes, first: int, share: float, least: int, chunk: int = 20_000
) -> list[numpy.ndarray]:
    """For each source piece the targets, ascending, that its sentences need and nothing else in them lists.

    A piece lists a target that is linked to it in at least `share` of the sentences that contain the piece, and at least `least`
    times, counting only where the target is not among the `first` pieces, a copy of a source piece, or in the list of another. As in the
    greedy algorithm for covers, pairs that cover most come first: the share falls tenfold with each pass over `data`, down to `share`.
    So a sentence has few candidates for the pieces that it needs. Takes a byte for each pair of pieces.
    """
    sources, size = both(sizes)
    joint = isinstance(sizes, int)
    listed = numpy.eye(size, dtype=bool) if joint else numpy.zeros((sources, size), bool)
    listed[:, :first] = True
    sentences = numpy.maximum(_sentences_with(data, sources, chunk), 1)
    shares = [share]
    while shares[-1] * 10 < 1:
        shares.append(shares[-1] * 10)
    for bound in reversed(shares):
        keys, counts = _uncovered(data, listed, chunk)
        keys = keys[(counts >= least) & (counts >= bound * sentences[keys // size])]
        listed[keys // size, keys % size] = True
    listed[:, :first] = False
    if joint:
        numpy.fill_diagonal(listed, False)
        numpy.fill_diagonal(listed, ~listed.any(1))
    return [numpy.flatnonzero(row) for row in listed]


def piece_lists(settings: Shortlist, data: batches.Prepared, source, target, sizes: Sizes) -> list[numpy.ndarray]:
    """For each source piece its targets, ascending, as `settings` choose them from the text or from its lexicon."""
    if settings.covering_share is None:
        return best_targets(source, target, sizes, settings.best)
    return covering_targets(data, sizes, settings.first, settings.covering_share, settings.covering_least)


#: Stands for the third piece of a phrase of two.
_NONE = 0xFFFF


def phrase_targets(
    data: batches.Prepared, lists: list[numpy.ndarray], first: int, best: int, least: int, chunk: int = 1 << 18, joint: bool = True
):
    """Phrases of two and three source pieces, and the targets that they add: (tuple of pieces, ascending ids) in order.

    A target counts for a phrase each time it is linked to one of its pieces; the `best` most frequent ones that occur
    at least `least` times stay, except those below `first`, the phrase's own pieces if the vocabulary is `joint`, and what its pieces list.
    """
    keys, counts = numpy.zeros(0, numpy.uint64), numpy.zeros(0, numpy.int64)
    link_counts = numpy.diff(data.link_offsets)
    for begin in range(0, data.pairs, chunk):
        end = min(begin + chunk, data.pairs)
        links = numpy.asarray(data.links[data.link_offsets[begin] : data.link_offsets[end]], numpy.int64)
        pair = numpy.repeat(numpy.arange(begin, end), link_counts[begin:end])
        position = data.source_offsets[pair] + (links >> 16)
        target = data.target_tokens[data.target_offsets[pair] + (links & 0xFFFF)].astype(numpy.uint64)
        low, high = data.source_offsets[pair], data.source_offsets[pair + 1]
        found = [keys]
        for length in (2, 3):
            for shift in range(length):
                start = position - shift
                inside = (start >= low) & (start + length <= high) & (target >= first)
                start, word = start[inside], target[inside]
                pieces = [data.source_tokens[start + i].astype(numpy.uint64) for i in range(length)]
                pieces += [numpy.full(len(start), _NONE, numpy.uint64)] * (3 - length)
                # The same target may be linked to several pieces of one phrase; it counts once for each.
                found.append(pieces[0] << 48 | pieces[1] << 32 | pieces[2] << 16 | word)
        together = numpy.concatenate(found)
        weights = numpy.concatenate([counts, numpy.ones(len(together) - len(keys), numpy.int64)])
        keys, inverse = numpy.unique(together, return_inverse=True)
        counts = numpy.bincount(inverse, weights, len(keys)).astype(numpy.int64)
    keys, counts = keys[counts >= least], counts[counts >= least]
    parts = [(keys >> shift & 0xFFFF).astype(numpy.int64) for shift in (48, 32, 16, 0)]
    target = parts.pop()
    size = _NONE + 1
    known = numpy.unique(numpy.concatenate([source * size + ids for source, ids in enumerate(lists)]).astype(numpy.int64))
    new = numpy.ones(len(keys), bool)
    for piece in parts:
        new &= ((piece != target) | (not joint)) & ~numpy.isin(piece * size + target, known)
    order = numpy.lexsort((target, -counts, *reversed(parts)))
    order = order[new[order]]
    rows = numpy.stack([part[order] for part in parts], 1)
    target = target[order]
    starts = numpy.flatnonzero(numpy.concatenate([[True], (rows[1:] != rows[:-1]).any(1)])) if len(rows) else []
    ends = [*starts[1:], len(rows)] if len(rows) else []
    for begin, end in zip(starts, ends):
        yield tuple(p for p in rows[begin].tolist() if p != _NONE), sorted(target[begin : min(end, begin + best)].tolist())


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


def file_name(config: Config) -> str:
    """The name of the shortlist that the exported models use."""
    settings = config.shortlist
    pair = config.data.source_language + config.data.target_language
    if settings.phrases:
        return f"lex.phrases.{pair}.s2t"
    chosen = settings.best if settings.covering_share is None else "covering"
    return f"lex.{settings.first}.{chosen}.{pair}.s2t.bin"


def piece_names(pieces) -> list[str]:
    """The names of the pieces of a SentencePieceProcessor."""
    return [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())]


def write_phrases(path: Path, names: tuple[list[str], list[str]], lists: list[numpy.ndarray], phrases, first: int) -> int:
    """Lists of single pieces, then of phrases, by the names of source and target pieces; returns how many phrases there are."""
    sources, targets = names
    number = 0
    with atomic(path, "w") as file:
        for source, ids in enumerate(lists):
            if (ids := ids[ids >= first]).size:
                file.write(f"{sources[source]}\t{' '.join(targets[i] for i in ids)}\n")
        for pieces, ids in phrases:
            number += 1
            file.write(f"{' '.join(sources[i] for i in pieces)}\t{' '.join(targets[i] for i in ids)}\n")
    return number


def run(config: Config):
    """Writes the shortlist (`file_name`) and, if it is lexical, `lex.s2t` into the export folder."""
    data = batches.Prepared(config.data.folder)
    pieces = vocabulary.of(config.data.folder)
    sizes = pieces.sizes
    if len(data.links) == 0:
        raise TrainingError(f"{config.data.folder}: no alignment links; run the step `prepare` again")
    source, target, probability = lexicon(data, sizes)
    settings = config.shortlist
    folder = config.folder / "export"
    binary = folder / file_name(config)
    names = piece_names(pieces.source), piece_names(pieces.target)
    lists = piece_lists(settings, data, source, target, sizes)
    if settings.phrases:
        found = phrase_targets(data, lists, settings.first, settings.phrase_best, settings.phrase_least, joint=isinstance(sizes, int))
        number = write_phrases(binary, names, lists, found, settings.first)
        print(f"written: {binary}, {number:,} phrases")
        return
    write_binary(binary, lists, settings.first, max(settings.best, *map(len, lists)))
    with atomic(folder / "lex.s2t", "w") as file:
        for s, t, p in zip(source.tolist(), target.tolist(), probability.tolist()):
            if p >= 1e-4:
                file.write(f"{names[1][t]} {names[0][s]} {p:.7f}\n")
    print(f"written: {binary}")
