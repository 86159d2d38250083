"""Decoding step by step agrees with the network that was trained, and the search with its definition."""

import numpy
import pytest
import torch

from wanderwort_train import batches
from wanderwort_train.config import Model
from wanderwort_train.network import Network
from wanderwort_train.operators import Reference
from wanderwort_train.search import Translator, beam
from wanderwort_train.vocabulary import END, UNKNOWN
from wanderwort_train.weights import Weights, shapes

VOCABULARY = 60


def make(decoder="ssru", tied=False, heads=None, seed=1, **settings):
    layers = 3 if tied else 2
    model = Model(
        dimension=32, feed_forward=48, heads=2, encoder_layers=2, decoder_layers=layers, decoder=decoder, tied_decoder=tied, **settings
    )
    weights = Weights(shapes(model, VOCABULARY, heads), torch.device("cpu"), "float32", False)
    weights.initialize(seed)
    generator = torch.Generator().manual_seed(seed)
    for item in weights.items.values():
        item.master.data += 0.3 * torch.randn(item.master.shape, generator=generator)
    return model, weights, Translator(model, weights.arrays(), torch.device("cpu"))


def sources(seed, count=5):
    rng = numpy.random.default_rng(seed)
    return [[*rng.integers(2, VOCABULARY, rng.integers(1, 12)).tolist(), END] for _ in range(count)]


@pytest.mark.parametrize("decoder", ["ssru", "average-attention", "self-attention"])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("heads", [None, [1, 0]])
@pytest.mark.parametrize("settings", [{}, {"norm": "pre", "embeddings": "none"}], ids=["post", "pre"])
def test_steps_agree_with_the_network(decoder, tied, heads, settings):
    check_steps(*make(decoder, tied, heads, **settings))


@pytest.mark.parametrize("width", [None, 0, 32, 64])
@pytest.mark.parametrize("gate", [False, True])
def test_steps_of_average_attention_agree(width, gate):
    model, weights, translator = make("average-attention", average_feed_forward=width, average_gate=gate)
    names = {name.rsplit("_", 1)[1] for name in weights.shapes if "_aan_W" in name}
    assert names == ({"W1", "W2"} if width in (None, 64) else {"W1"} if width else set()) | ({"Wi", "Wf"} if gate else set())
    check_steps(model, weights, translator)


@torch.no_grad()
def check_steps(model, weights, translator):
    network, operators = Network(model, weights, Reference()), Reference()
    for number, source in enumerate(sources(3)):
        target = sources(number + 10, 1)[0]
        batch = batches.pack([numpy.array(source)], [numpy.array(target)])
        packed = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
        memory = network.encode(batch.source_ids, packed[0])
        hidden, _ = network.decode(batch.input_ids, packed[1], memory, packed[0])
        table, bias = network.output
        expected = hidden @ table.master.T + bias.master
        ids, mask = translator._pad([source])
        state = translator.start(translator.encode(ids, mask), mask)
        for step, piece in enumerate(batch.input_ids.tolist()):
            logits, _ = translator.step(torch.tensor([[piece]]), state)
            assert logits[0, UNKNOWN] == -float("inf")
            logits[0, UNKNOWN] = expected[step, UNKNOWN]
            assert torch.allclose(logits[0], expected[step], atol=2e-4)


@pytest.mark.parametrize("decoder", ["ssru", "average-attention", "self-attention"])
def test_batches_do_not_matter(decoder):
    _, _, translator = make(decoder)
    texts = sources(5, 9)
    assert translator.translate(texts, batch_tokens=40) == [translator.greedy([text])[0] for text in texts]


@pytest.mark.parametrize("decoder", ["ssru", "self-attention"])
def test_beam(decoder):
    _, _, translator = make(decoder)
    texts = sources(7, 4)
    greedy = translator.translate(texts)
    for text, (best, *_), expected in zip(texts, beam([translator], texts, 1, 1), greedy):
        assert best[0] == expected
    together = beam([translator], texts, 4, 3)
    for text, found in zip(texts, together):
        alone = beam([translator, translator], [text], 4, 3)[0]
        assert [pieces for pieces, _ in found] == [pieces for pieces, _ in alone]
        assert found == sorted(found, key=lambda item: -item[1])
        assert len({tuple(pieces) for pieces, _ in found}) == 3
        for pieces, score in found:
            ids, mask = translator._pad([text])
            with torch.no_grad():
                state = translator.start(translator.encode(ids, mask), mask)
                total, previous = 0.0, -1
                ended = len(pieces) < 2 * len(text)
                for piece in [*pieces, END] if ended else pieces:
                    found, _ = translator.step(torch.tensor([[previous]]), state, normalized=True)
                    total += float(found[0, piece])
                    previous = piece
            assert total / (len(pieces) + ended) == pytest.approx(score, abs=1e-3)
