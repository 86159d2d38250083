"""The part of the vocabulary that stands for all of it."""

import numpy
import torch

from wanderwort_train.candidates import Sampler
from wanderwort_train.operators import Reference
from wanderwort_train.weights import Weight

WORDS, DIMENSION = 500, 16
CPU = torch.device("cpu")


def problem():
    generator = torch.Generator().manual_seed(1)
    table, bias, hidden = (torch.randn(*shape, generator=generator) for shape in ((WORDS, DIMENSION), (1, WORDS), (12, DIMENSION)))
    targets = torch.randint(WORDS, (12,), generator=generator)
    return hidden, *(Weight("", x, torch.zeros_like(x), x) for x in (table, bias)), targets


def draws(size, count):
    hidden, table, bias, targets = problem()
    sampler = Sampler(numpy.arange(WORDS)[::-1].copy(), size, 7)
    return (hidden, table, bias, targets), [sampler.draw(targets, (0, number), CPU) for number in range(count)]


def test_targets_and_frequent_words_are_always_there():
    (_, _, _, targets), found = draws(100, 20)
    for candidates in found:
        assert torch.equal(candidates.words[candidates.targets], targets)
        assert torch.equal(candidates.words[:50], torch.arange(50))
        assert torch.equal(candidates.words, candidates.words.unique())
        assert len(candidates.words) == 100
        assert abs(float(candidates.weights.sum()) - WORDS) < 1e-2, "together they stand for the whole vocabulary"
        assert torch.all(candidates.weights[candidates.targets] == 1)


def test_a_sample_is_left_when_targets_alone_would_fill_it():
    (_, _, _, targets), (candidates,) = draws(16, 1)
    assert len(candidates.words) == len(set(targets.tolist()) | set(range(8))) + 2


def test_draws_depend_on_seed_and_number():
    _, (a, b) = draws(100, 2)
    _, (again, _) = draws(100, 2)
    assert torch.equal(a.words, again.words)
    assert not torch.equal(a.words, b.words)


def test_the_normalizer_is_right_on_average():
    (hidden, table, bias, _), found = draws(150, 4000)
    logits = hidden @ table.master.T + bias.master
    exact = logits.exp().sum(1)
    estimates = torch.stack([(logits[:, c.words].exp() * c.weights).sum(1) for c in found])
    error = estimates.std(0) / len(found) ** 0.5
    assert torch.all((estimates.mean(0) - exact).abs() < 4.5 * error)


def test_all_words_give_the_full_loss():
    arguments = problem()
    candidates = Sampler(numpy.zeros(WORDS), WORDS, 1).draw(arguments[3], (0, 0), CPU)
    full, same = (Reference().output_loss(*arguments, 0.1, c) for c in (None, candidates))
    assert torch.allclose(full, same, rtol=1e-5)
