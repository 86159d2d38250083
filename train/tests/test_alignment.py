"""The aligner finds a dictionary that is hidden in permuted sentences."""

import numpy

from wanderwort_train import alignment


def corpus(seed):
    rng = numpy.random.default_rng(seed)
    sources, targets, truth = [], [], []
    for _ in range(1500):
        source = rng.integers(2, 100, rng.integers(3, 14))
        order = numpy.argsort(numpy.arange(len(source)) + rng.uniform(-1.5, 1.5, len(source)))
        sources.append(source)
        targets.append(source[order] + 100)
        truth.append({(int(j), i) for i, j in enumerate(order)})
    return sources, targets, truth


def flat(sides):
    return numpy.concatenate(sides), numpy.concatenate([[0], numpy.cumsum([len(x) for x in sides])])


def test_permuted_dictionary():
    sources, targets, truth = corpus(1)
    links, offsets = alignment.align(*flat(sources), *flat(targets), 256)
    right = found = total = 0
    for s, expected in enumerate(truth):
        pairs = {(int(x) >> 16, int(x) & 0xFFFF) for x in links[offsets[s] : offsets[s + 1]]}
        right += len(pairs & expected)
        found += len(pairs)
        total += len(expected)
    # Words that occur twice in a sentence cannot always be told apart.
    assert right / found > 0.97 and right / total > 0.97


def test_links_are_in_range_ordered_and_repeatable():
    sources, targets, _ = corpus(2)
    sources.append(numpy.array([5]))
    targets.append(numpy.array([105, 7, 9]))
    links, offsets = alignment.align(*flat(sources), *flat(targets), 256)
    for s, (source, target) in enumerate(zip(sources, targets)):
        own = links[offsets[s] : offsets[s + 1]]
        assert all(x >> 16 < len(source) and x & 0xFFFF < len(target) for x in own)
        assert list(own & 0xFFFF) == sorted(own & 0xFFFF)
    again, _ = alignment.align(*flat(sources), *flat(targets), 256)
    assert numpy.array_equal(links, again)
