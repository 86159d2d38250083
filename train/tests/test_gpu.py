"""What a GPU needs of an update, on PyTorch's device of tensors without contents.

There every operation checks that its arguments are on that device, and reading a number back, for which the processor would have to
wait, is an error. Compiled, the network is one graph.
"""

import numpy
import pytest
import torch
from test_operators import VOCABULARY, random_batch

from wanderwort_train.candidates import Sampler
from wanderwort_train.config import Model, Training
from wanderwort_train.network import Network
from wanderwort_train.operators import Reference
from wanderwort_train.optimizer import Adam
from wanderwort_train.soft_targets import SoftTargets
from wanderwort_train.training import Trainer
from wanderwort_train.weights import Weights, shapes


def trainer(device, decoder, output_words, taught=False):
    result = Trainer.__new__(Trainer)
    result.model = Model(dimension=64, feed_forward=96, heads=4, encoder_layers=2, decoder_layers=2, decoder=decoder)
    result.training = Training(label_smoothing=0.1, kernels="plain")
    result.device, result.operators = device, Reference(device)
    result.sampler = Sampler(numpy.arange(VOCABULARY), output_words, 1) if output_words else None
    result.weights = Weights(shapes(result.model, VOCABULARY), device, "bfloat16", False)
    result.network = Network(result.model, result.weights, result.operators)
    result.optimizer = Adam(result.weights, result.training, False)
    weights = Weights(shapes(result.model, VOCABULARY), torch.device("cpu"), "float32", False)
    weights.initialize(2)
    result.soft_targets = SoftTargets([(result.model, weights.arrays())], result.training, device) if taught else None
    return result


@pytest.mark.parametrize("decoder", ["ssru", "average-attention", "self-attention"])
@pytest.mark.parametrize("output_words", [0, 16])
@pytest.mark.parametrize("taught", [False, True])
def test_updates_stay_on_the_device(decoder, output_words, taught):
    one = trainer(torch.device("meta"), decoder, output_words, taught)
    prepared = one.prepare(random_batch(numpy.random.default_rng(1), 7), (0, 0))
    for _ in range(2):
        total, entropy, alignment = one.loss(prepared)
        total.backward()
        length = one.optimizer.step()
    assert {x.device.type for x in (total, entropy, alignment, length, one.weights.flat)} == {"meta"}
    assert total.shape == length.shape == ()
    with pytest.raises(RuntimeError, match="meta"):
        float(length)


@pytest.mark.parametrize("taught", [False, True])
def test_compiled_it_is_one_graph(taught):
    """By the compiler's front end, without generating code, which takes a minute."""
    device = torch.device("cpu")
    graphs = []
    torch._dynamo.reset()
    plain, compiled = (trainer(device, "ssru", 16, taught) for _ in range(2))
    for one in (plain, compiled):
        one.weights.initialize(3)

    def backend(graph, _):
        graphs.append(graph)
        return graph

    compiled._network_loss = torch.compile(compiled._network_loss, dynamic=True, fullgraph=True, backend=backend)
    for number, sentences in enumerate((5, 9, 14, 20)):
        found = []
        for one in (plain, compiled):
            batch = random_batch(numpy.random.default_rng(number), sentences)
            total, _, _ = one.loss(one.prepare(batch, (0, number)))
            total.backward()
            found += [float(total.detach()), float(one.optimizer.step())]
        assert found[:2] == pytest.approx(found[2:], rel=1e-4)
    # One more for each doubling of the longest target, over which the SSRU's prefix doubling unrolls.
    assert len(graphs) <= 3, len(graphs)
