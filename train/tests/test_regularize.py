"""Dropped words and split pieces."""

import numpy
import pytest
import torch

from wanderwort_train.batches import pack
from wanderwort_train.config import Corpus
from wanderwort_train.regularize import Regularizer, Splits

#: `▁ab` and `abc` can be spelt in two ways, `bc` in one.
PIECES = ["</s>", "<unk>", "▁", "a", "b", "c", "ab", "bc", "▁a", "▁ab", "abc"]


class Vocabulary:
    """The part of SentencePieceProcessor that is needed."""

    is_control = staticmethod(lambda i: i == 0)
    is_unknown = staticmethod(lambda i: i == 1)
    is_unused = is_byte = staticmethod(lambda i: False)
    id_to_piece = staticmethod(PIECES.__getitem__)
    get_piece_size = staticmethod(lambda: len(PIECES))


def spelt(ids):
    return "".join(PIECES[i] for i in ids if i > 1)


def test_ways_to_split():
    splits = Splits(Vocabulary)
    ways = {PIECES[i]: int(count) for i, count in enumerate(splits.counts) if count}
    assert ways == {"ab": 1, "bc": 1, "▁a": 1, "▁ab": 2, "abc": 2}


def test_splitting_keeps_the_spelling_and_moves_links():
    splits = Splits(Vocabulary)
    rng = numpy.random.default_rng(1)
    tokens = numpy.array([9, 1, 10, 3, 0], numpy.uint16)
    links = numpy.array([(source << 16) | target for source, target in ((0, 2), (2, 1), (2, 3), (3, 0))], numpy.uint32)
    seen = set()
    for _ in range(200):
        found, moved = splits.apply(tokens, links, 0.5, rng)
        assert spelt(found) == spelt(tokens) and found[-1] == 0
        assert (found == 1).sum() == 1, "what is unknown stays one piece"
        seen.add(tuple(found.tolist()))
        pairs = {(spelt([found[link >> 16]]), int(link & 0xFFFF)) for link in moved.tolist()}
        for place, target in ((0, 2), (2, 1), (2, 3), (3, 0)):
            linked = [int(link >> 16) for link in moved.tolist() if link & 0xFFFF == target]
            assert spelt(found[sorted(linked)]) == PIECES[tokens[place]]
        assert ("a", 0) in pairs
    assert len(seen) == 9, "each of two pieces whole or in two ways"


def make(dropped, split, seed=3):
    corpora = [Corpus(path="a", dropped_words=dropped, split_pieces=split), Corpus(path="b")]
    rng = numpy.random.default_rng(5)
    sources = [numpy.append(rng.integers(2, len(PIECES), 30), 0) for _ in range(40)]
    targets = [numpy.append(rng.integers(2, len(PIECES), 20), 0) for _ in range(40)]
    links = [numpy.arange(20) << 16 | numpy.arange(20) for _ in range(40)]
    which = numpy.arange(40) % 2
    return Regularizer(corpora, Vocabulary, seed), (sources, targets, links, which)


def test_only_the_corpora_that_ask_for_it_change():
    regularizer, (sources, targets, links, which) = make(0.3, 0.4)
    batch = regularizer.pack(sources, targets, links, which, (0, 1))
    same = pack(sources, targets, links)
    begin, end = batch.source_offsets[:-1].tolist(), batch.source_offsets[1:].tolist()
    for i in range(40):
        source = batch.source_ids[begin[i] : end[i]].tolist()
        read = slice(same.target_offsets[i], same.target_offsets[i + 1])
        assert source[-1] == 0, "the end is never dropped"
        if which[i] == 1:
            assert source == sources[i].tolist()
            assert torch.equal(batch.input_ids[read], same.input_ids[read])
        else:
            assert -1 in source and len(source) > len(sources[i])
            assert (batch.input_ids[read] == -1).sum() > 1
    assert torch.equal(batch.target_ids, same.target_ids), "what the decoder must say is never changed"
    assert float(batch.link_shares.sum()) == pytest.approx(40 * 20)


def test_shares_are_kept():
    regularizer, arguments = make(0.25, 0.0)
    dropped = [(regularizer.pack(*arguments, (0, n)).source_ids == -1).sum().item() for n in range(50)]
    assert sum(dropped) / (50 * 20 * 30) == pytest.approx(0.25, abs=0.01)


def test_draws_depend_on_seed_and_position():
    regularizer, arguments = make(0.2, 0.2)
    ids = regularizer.pack(*arguments, (1, 5)).source_ids
    assert torch.equal(ids, make(0.2, 0.2)[0].pack(*arguments, (1, 5)).source_ids)
    for other in (regularizer.pack(*arguments, (1, 6)), make(0.2, 0.2, seed=4)[0].pack(*arguments, (1, 5))):
        assert not torch.equal(ids[:50], other.source_ids[:50])


def test_without_shares_it_is_plain_packing():
    regularizer, (sources, targets, links, which) = make(0.0, 0.0)
    batch, same = regularizer.pack(sources, targets, links, which, (0, 0)), pack(sources, targets, links)
    for name in ("source_ids", "input_ids", "target_ids", "link_positions", "link_shares"):
        assert torch.equal(getattr(batch, name), getattr(same, name))
