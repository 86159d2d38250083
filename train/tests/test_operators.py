"""The fused kernels against plain PyTorch: the same losses and gradients, for every kind of decoder and of integers."""

from types import SimpleNamespace

import numpy
import pytest
import torch

from wanderwort_train import batches, products
from wanderwort_train.candidates import Sampler
from wanderwort_train.config import Model, Package, QuantizationTuning
from wanderwort_train.network import Network
from wanderwort_train.operators import Fused, Reference
from wanderwort_train.tune import Renewal
from wanderwort_train.weights import Weights, shapes

VOCABULARY = 101


def random_batch(rng, sentences):
    def side():
        return [numpy.append(rng.integers(2, VOCABULARY, rng.integers(0, 40)), 0) for _ in range(sentences)]

    sources, targets = side(), side()
    links = []
    for source, target in zip(sources, targets):
        links.append(rng.integers(0, len(source), 3) << 16 | rng.integers(0, len(target), 3))
    return batches.pack(sources, targets, links)


def loss_and_gradient(operators, model, heads, precision, batch, candidates=None, kind=None, taught=False, granularity="matrix"):
    fused = operators.fused
    weights = Weights(shapes(model, VOCABULARY, heads), torch.device("cpu"), precision, fused)
    weights.initialize(3)
    generator = torch.Generator().manual_seed(5)
    for item in weights.items.values():
        item.master.data += 0.1 * torch.randn(item.master.shape, generator=generator)
    weights.refresh()
    if kind:
        config = SimpleNamespace(quantization=QuantizationTuning(granularity=granularity), package=Package(bits="uniform+step=0.3"))
        Renewal(SimpleNamespace(weights=weights, extra={}), kind, {}, config)()
    network = Network(model, weights, operators)
    source, target = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
    memory = network.encode(batch.source_ids, source)
    hidden, first_head = network.decode(batch.input_ids, target, memory, source, alignment=True)
    arguments = (hidden, *network.output, batch.target_ids, 0.1, candidates)
    predicted = None
    if taught:
        words = VOCABULARY if candidates is None else len(candidates.words)
        predicted = (2 * torch.randn(len(batch.target_ids), words, generator=generator)).softmax(1)
    entropy = operators.output_loss(*arguments, predicted)
    links = operators.links(batch.link_positions, target, source)
    alignment = -(first_head[links].log() * batch.link_shares).sum()
    (entropy + 0.3 * alignment).backward()
    return float(entropy.detach()), float(alignment.detach()), weights


@pytest.mark.parametrize("decoder", ["ssru", "average-attention", "self-attention"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("output_words", [0, 16])
@pytest.mark.parametrize("taught", [False, True])
def test_fused_equals_reference(decoder, precision, output_words, taught):
    check_fused({"decoder": decoder}, precision, output_words, taught)


@pytest.mark.parametrize(
    "settings",
    [
        {"norm": "pre"},
        {"norm": "pre", "decoder": "average-attention", "average_feed_forward": 64},
        {"embeddings": "none"},
        {"embeddings": "source"},
        {"decoder": "average-attention", "average_feed_forward": 0, "average_gate": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("output_words", [0, 16])
def test_fused_equals_reference_in_other_shapes(settings, precision, output_words):
    check_fused(settings, precision, output_words)


def check_fused(settings, precision, output_words, taught=False):
    model = Model(dimension=64, feed_forward=96, heads=4, encoder_layers=2, decoder_layers=2, **settings)
    heads = [4, 0 if model.norm == "pre" else 2]
    for seed in range(3):
        batch = random_batch(numpy.random.default_rng(seed), 7)
        candidates = None
        if output_words:
            candidates = Sampler(numpy.arange(VOCABULARY), output_words, seed).draw(batch.target_ids, (0, 0), torch.device("cpu"))
            assert candidates.weights.max() > 1
        expected = loss_and_gradient(Reference(), model, heads, "float32", batch, candidates, taught=taught)
        found = loss_and_gradient(Fused(), model, heads, precision, batch, candidates, taught=taught)
        tolerance = 1e-4 if precision == "float32" else 3e-2
        assert found[0] == pytest.approx(expected[0], rel=tolerance)
        assert found[1] == pytest.approx(expected[1], rel=tolerance)
        if precision == "float32":
            for name in expected[2].shapes:
                a, b = expected[2][name].gradient, found[2][name].gradient
                if a.numel() == 0:
                    continue
                scale = a.abs().max().clamp(min=1e-2)
                assert float((a - b).abs().max() / scale) < 2e-3, name
        else:
            a, b = expected[2].gradient, found[2].gradient
            assert float(torch.nn.functional.cosine_similarity(a, b, dim=0)) > 0.995


@pytest.mark.parametrize("kind", ["int8", "log4", "uniform"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("output_words", [0, 16])
@pytest.mark.parametrize("taught", [False, True])
@pytest.mark.parametrize("granularity", ["matrix", "column"])
def test_fused_equals_reference_with_integers(kind, precision, output_words, taught, granularity):
    embeddings = "all" if granularity == "matrix" else "none"
    model = Model(dimension=64, feed_forward=96, heads=4, encoder_layers=2, decoder_layers=2, embeddings=embeddings)
    batch = random_batch(numpy.random.default_rng(1), 7)
    candidates = None
    if output_words:
        candidates = Sampler(numpy.arange(VOCABULARY), output_words, 1).draw(batch.target_ids, (0, 0), torch.device("cpu"))
    integers = {"kind": kind, "granularity": granularity}
    floats = loss_and_gradient(Reference(), model, None, "float32", batch, candidates, taught=taught)
    expected = loss_and_gradient(Reference(), model, None, "float32", batch, candidates, taught=taught, **integers)
    found = loss_and_gradient(Fused(), model, None, precision, batch, candidates, taught=taught, **integers)
    tolerance = 1e-3 if precision == "float32" else 3e-2
    assert found[0] == pytest.approx(expected[0], rel=tolerance)
    assert found[0] == pytest.approx(floats[0], rel=0.1) and found[0] != floats[0]
    a, b = expected[2].gradient, found[2].gradient
    assert float(torch.nn.functional.cosine_similarity(a, b, dim=0)) > 0.99


def test_sentences_do_not_see_each_other():
    model = Model(dimension=64, feed_forward=96, heads=4, encoder_layers=1, decoder_layers=1)
    weights = Weights(shapes(model, VOCABULARY), torch.device("cpu"), "float32", True)
    weights.initialize(1)
    operators = Fused()
    network = Network(model, weights, operators)
    rng = numpy.random.default_rng(0)
    sides = [[numpy.append(rng.integers(2, VOCABULARY, n), 0) for n in (5, 17, 9)] for _ in range(2)]

    def hidden(sources, targets):
        batch = batches.pack(sources, targets)
        source, target = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
        return network.decode(batch.input_ids, target, network.encode(batch.source_ids, source), source)[0]

    together = hidden(*sides)
    alone = torch.cat([hidden([s], [t]) for s, t in zip(*sides)])
    assert torch.allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("rows", [1, products.BLOCK - 1, products.BLOCK, 3 * products.BLOCK + 5])
def test_products_in_parts_are_those_in_one(rows, dtype):
    generator = torch.Generator().manual_seed(rows)
    x, y, matrix = (torch.randn(*size, generator=generator).to(dtype) for size in ((rows, 48), (rows, 24), (48, 40)))
    out = torch.empty(rows, 40, dtype=dtype)
    assert products.product(x, matrix, out=out) is out
    expected = x.double() @ matrix.double()
    near = {"rtol": 2e-2, "atol": 2e-2} if dtype == torch.bfloat16 else {"rtol": 1e-5, "atol": 1e-5}
    torch.testing.assert_close(out.double(), expected, **near)
    torch.testing.assert_close(products.product(x, matrix), out, rtol=0, atol=0)
    found = sum(part.double() for part in products.sums(x, y))
    torch.testing.assert_close(found, x.double().T @ y.double(), **{**near, "atol": near["atol"] * rows**0.5})
