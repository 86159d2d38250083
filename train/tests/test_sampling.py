"""Sentences that are cut into other pieces at each pass."""

import numpy
import pytest

from wanderwort_train import batches, config as configuration, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.config import Corpus
from wanderwort_train.regularize import Regularizer
from wanderwort_train.sampling import Sampler, relinked


@pytest.fixture
def data(prepared):
    config = configuration.load(prepared)
    return batches.Prepared(config.data.folder), vocabulary.load(config.data.folder / "vocabulary.spm")


def test_other_pieces_spell_the_same(data):
    prepared, pieces = data
    sampler = Sampler(pieces, 64, 0.1)
    rng = numpy.random.default_rng(1)
    changed = 0
    for pair in range(40):
        tokens = prepared.source(pair)
        found = [tuple(sampler.draw(tokens, rng).tolist()) for _ in range(8)]
        assert {pieces.decode(list(way)) for way in found} == {pieces.decode(tokens.tolist())} and all(way[-1] == vocabulary.END for way in found)
        changed += len(set(found)) > 3
    assert changed > 30
    # Of one way alone, and with an α that leaves nothing else, the likeliest comes.
    for sampler in (Sampler(pieces, 1, 0.1), Sampler(pieces, 64, 1000.0)):
        assert all(sampler.draw(prepared.source(pair), rng).tolist() == prepared.source(pair).tolist() for pair in range(20))


def test_what_is_unknown_stays(data):
    _, pieces = data
    tokens = numpy.array([*pieces.encode("A house"), vocabulary.UNKNOWN, vocabulary.END])
    assert Sampler(pieces, 64, 0.1).draw(tokens, numpy.random.default_rng(1)) is tokens
    only = numpy.array([vocabulary.END])
    assert Sampler(pieces, 64, 0.1).draw(only, numpy.random.default_rng(1)) is only


def test_links_follow_the_characters():
    # Characters: |ab|cde|f| became |a|bc|def|.
    source = numpy.array([2, 5, 6]), numpy.array([1, 3, 6])
    links = numpy.array([0 << 16 | 0, 1 << 16 | 0, 2 << 16 | 3])
    pairs = [(int(link) >> 16, int(link) & 0xFFFF) for link in relinked(links, source, None)]
    # "ab" shares characters with "a" and "bc", "cde" with "bc" and "def", "f" with "def".
    assert sorted(pairs) == [(0, 0), (1, 0), (2, 0), (2, 3)] and [target for _, target in pairs] == [0, 0, 0, 3]
    target = numpy.array([4, 6, 7, 9]), numpy.array([2, 4, 9])
    pairs = {(int(link) >> 16, int(link) & 0xFFFF) for link in relinked(links[:1], None, target)}
    assert pairs == {(0, 0), (0, 1)}
    assert relinked(numpy.zeros(0, numpy.uint32), source, target).tolist() == []


def batch_of(data, position, **settings):
    prepared, pieces = data
    regularizer = Regularizer([Corpus(path="a", **settings)], pieces, seed=3)
    rows = range(20)
    sides = [[side(i) for i in rows] for side in (prepared.source, prepared.target, prepared.alignment)]
    return regularizer.pack(*sides, numpy.zeros(20, numpy.int64), position)


def test_batches_depend_on_their_position_alone(data):
    first, again, next_pass = (batch_of(data, position, sampled_best=64) for position in ((0, 1), (0, 1), (1, 1)))
    assert first.source_ids.tolist() == again.source_ids.tolist() and first.link_positions.tolist() == again.link_positions.tolist()
    assert first.source_ids.tolist() != next_pass.source_ids.tolist()
    plain = batch_of(data, (0, 1))
    assert first.target_ids.tolist() == plain.target_ids.tolist() and len(first.source_ids) > len(plain.source_ids)
    both = batch_of(data, (0, 1), sampled_best=64, sampled_sides="both")
    assert both.target_ids.tolist() != plain.target_ids.tolist()
    # Every piece that had a link still has one, and no link points beyond its sentence.
    areas = (both.source_offsets[1:] - both.source_offsets[:-1]) * (both.target_offsets[1:] - both.target_offsets[:-1])
    assert int(both.link_positions.max()) < int(areas.sum()) and len(both.link_positions) >= len(plain.link_positions)


def test_it_trains(prepared):
    text = prepared.read_text(encoding="utf-8")
    prepared.write_text(text.replace('path = "pairs.tsv"', 'path = "pairs.tsv"\nsampled_best = 64\nsampled_sides = "both"'), encoding="utf-8")
    assert main(["student", "--config", str(prepared)]) == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sampled_best": 64, "split_pieces": 0.1}, "leave one of them out"),
        ({"sampled_best": 0}, "greater than or equal to 1"),
        ({"sampled_sides": "target"}, "'source' or 'both'"),
    ],
)
def test_nonsense_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Corpus(path="a", **settings)
