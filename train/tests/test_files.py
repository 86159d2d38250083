"""Files of Marian, byte for byte."""

import gzip
import struct

import numpy
import pytest
from conftest import REPOSITORY

from wanderwort_train import marian, shortlist
from wanderwort_train.config import Model

PROTOTYPE = REPOSITORY / "tests" / "data" / "en-de.prototype"
REAL_SHORTLIST = PROTOTYPE / "lex.50.50.ende.s2t.bin.gz"


def read_bin(data: bytes):
    count = struct.unpack_from("<2Q", data)[1]
    entries = [struct.unpack_from("<4Q", data, 16 + 32 * i) for i in range(count)]
    place = 16 + 32 * count
    names, shapes, items = [], [], {}
    for entry in entries:
        names.append(data[place : place + entry[0] - 1].decode())
        place += entry[0]
    for entry in entries:
        shapes.append(struct.unpack_from(f"<{entry[2]}i", data, place))
        place += 4 * entry[2]
    place += 8 + struct.unpack_from("<Q", data, place)[0]
    assert place % 256 == 0
    for name, shape, entry in zip(names, shapes, entries):
        items[name] = (entry[1], shape, data[place : place + entry[3]])
        place += entry[3]
    assert place == len(data)
    return items


def test_bin_is_what_marian_writes(tmp_path):
    """The floats behind Marian's own int8 file, written again, give its bytes."""
    reference = read_bin(gzip.decompress((PROTOTYPE / "model.ende.intgemm.alphas.bin.gz").read_bytes()))
    arrays, multipliers = {}, {}
    for name, (kind, shape, data) in reference.items():
        size = int(numpy.prod(shape))
        if name.endswith("_QuantMultA"):
            if kind == 0x404:
                multipliers[name.removesuffix("_QuantMultA")] = float(numpy.frombuffer(data[:4], numpy.float32)[0])
        elif kind == 0x4101:
            levels = numpy.frombuffer(data[:size], numpy.int8).astype(numpy.float32)
            multiplier = numpy.frombuffer(data[size : size + 4], numpy.float32)[0]
            levels = levels.reshape(shape if name == "Wemb" else shape[::-1])
            arrays[name] = (levels if name == "Wemb" else levels.T) / multiplier
        elif kind == 0x404:
            arrays[name] = numpy.frombuffer(data[: 4 * size], numpy.float32).reshape(shape)
    multipliers["Wemb"] = multipliers.pop("none")
    path = tmp_path / "model.bin"
    marian.write_bin(path, arrays, Model(), multipliers)
    found = read_bin(path.read_bytes())
    assert list(found) == list(reference)
    for name, (kind, shape, data) in reference.items():
        if name == marian.CONFIGURATION:
            continue
        assert found[name][:2] == (kind, shape), name
        if kind == 0x4101:
            # The multiplier went through a division and back: one unit in the last place.
            size = int(numpy.prod(shape))
            assert found[name][2][:size] == data[:size], name
            a, b = (numpy.frombuffer(x[size : size + 4], numpy.float32)[0] for x in (found[name][2], data))
            assert abs(a - b) <= 2e-7 * abs(b), name
        else:
            assert found[name][2] == data, name


def test_npz_round_trip(tmp_path):
    rng = numpy.random.default_rng(1)
    arrays = {"Wemb": rng.normal(size=(7, 16)).astype(numpy.float32), "decoder_ff_logit_out_b": numpy.zeros((1, 7))}
    marian.write_npz(tmp_path / "model.npz", arrays, Model(dimension=16, heads=1))
    found, options = marian.read_npz(tmp_path / "model.npz")
    assert options["dim-emb"] == 16 and options["dim-vocabs"] == [7, 7]
    assert all(numpy.array_equal(found[name], arrays[name]) for name in arrays)
    # Marian reads sizes from the 32-bit fields of the members' headers.
    assert struct.unpack_from("<I", (tmp_path / "model.npz").read_bytes(), 18)[0] == 128 + 4 * 7 * 16


def test_shortlist_is_what_marian_writes(tmp_path):
    data = gzip.decompress(REAL_SHORTLIST.read_bytes())
    magic, checksum, first, best, words, size = struct.unpack_from("<6Q", data)
    offsets = numpy.frombuffer(data, "<u8", words, 48).astype(int)
    ids = numpy.frombuffer(data, "<u4", size, 48 + 8 * words)
    assert magic == shortlist.MAGIC and checksum == shortlist.checksum(data[16:])
    lists = [ids[a:b] for a, b in zip(offsets, offsets[1:])]
    shortlist.write_binary(tmp_path / "lex.bin", lists, first, best)
    assert (tmp_path / "lex.bin").read_bytes() == data


def test_lexicon_counts_links():
    class Data:
        pairs = 2
        source_tokens = numpy.array([5, 6, 0, 5, 0])
        source_offsets = numpy.array([0, 3, 5])
        target_tokens = numpy.array([7, 8, 0, 8, 0])
        target_offsets = numpy.array([0, 3, 5])
        links = numpy.array([0 << 16 | 0, 1 << 16 | 1, 2 << 16 | 2, 0 << 16 | 0, 1 << 16 | 1], numpy.int32)
        link_offsets = numpy.array([0, 3, 5])

    source, target, probability = shortlist.lexicon(Data, 10, chunk=1)
    assert list(zip(source, target, probability)) == [(0, 0, 1.0), (5, 7, 0.5), (5, 8, 0.5), (6, 8, 1.0)]
    lists = shortlist.best_targets(source, target, 10, 1)
    assert [list(x) for x in lists] == [[0], [1], [2], [3], [4], [7], [8], [7], [8], [9]]


@pytest.mark.parametrize("chunk", [4, 1000])
def test_what_another_piece_covers_is_not_listed(chunk):
    """8 belongs to 6, though 5 is linked to it too; 7 belongs to 5; 9 is said once, 1 always allowed, and 6 a copy where it is said."""
    pairs = [([5, 6, 0], [8, 0], [(0, 0), (1, 0), (2, 1)])] * 3
    pairs += [([5, 0], [7, 1, 0], [(0, 0), (0, 1), (1, 2)])] * 15
    pairs += [([5, 6, 0], [9, 6, 8, 0], [(0, 0), (0, 1), (1, 2), (2, 3)])]

    class Data:
        links = numpy.concatenate([[source << 16 | target for source, target in found] for _, _, found in pairs]).astype(numpy.int32)
        source_tokens, target_tokens = (numpy.concatenate([pair[side] for pair in pairs]).astype(numpy.uint16) for side in (0, 1))
        source_offsets, target_offsets, link_offsets = (
            numpy.concatenate([[0], numpy.cumsum([len(pair[part]) for pair in pairs])]) for part in range(3)
        )

    Data.pairs = len(pairs)
    lists = shortlist.covering_targets(Data, 10, first=2, share=0.03, least=2, chunk=chunk)
    assert [list(x) for x in lists] == [[0], [1], [2], [3], [4], [7], [8], [7], [8], [9]]
    lists = shortlist.covering_targets(Data, 10, first=2, share=0.03, least=1, chunk=chunk)
    assert (list(lists[5]), list(lists[6])) == ([7, 9], [8])
    # The most probable targets of 5 have 8 among them, for want of a look at what stands beside it.
    assert 8 in shortlist.best_targets(*shortlist.lexicon(Data, 10)[:2], 10, 3)[5]


def test_phrases_list_what_their_words_do_not():
    class Data:
        pairs = 3
        source_tokens = numpy.array([5, 6, 0] * 2 + [6, 0], numpy.uint16)
        source_offsets = numpy.array([0, 3, 6, 8])
        target_tokens = numpy.array([7, 8, 0] * 2 + [9, 0], numpy.uint16)
        target_offsets = numpy.array([0, 3, 6, 8])
        links = numpy.array([0 << 16 | 0, 1 << 16 | 1] * 2 + [0 << 16 | 0], numpy.int32)
        link_offsets = numpy.array([0, 2, 4, 5])

    lists = [numpy.array([9])] * 10
    found = dict(shortlist.phrase_targets(Data, lists, first=2, best=5, least=2, chunk=2))
    assert found == {(5, 6): [7, 8], (5, 6, 0): [7, 8], (6, 0): [8]}
    lists[6] = numpy.array([8, 9])
    found = dict(shortlist.phrase_targets(Data, lists, first=2, best=5, least=2))
    assert found == {(5, 6): [7], (5, 6, 0): [7]}
    assert dict(shortlist.phrase_targets(Data, lists, first=8, best=5, least=2)) == {}
