"""A widened network computes what the narrow one did."""

import numpy
import pytest
import torch

from wanderwort_train import batches
from wanderwort_train.config import Model
from wanderwort_train.errors import TrainingError
from wanderwort_train.network import Network
from wanderwort_train.operators import Reference
from wanderwort_train.weights import Weights, shapes
from wanderwort_train.widen import widen

VOCABULARY = 60
NARROW = {"dimension": 32, "feed_forward": 48, "heads": 2, "encoder_layers": 2, "decoder_layers": 2}


def network(model, arrays=None):
    weights = Weights(shapes(model, VOCABULARY), torch.device("cpu"), "float32", False)
    weights.initialize(1)
    if arrays is None:
        generator = torch.Generator().manual_seed(1)
        for item in weights.items.values():
            item.master.data += 0.3 * torch.randn(item.master.shape, generator=generator)
    else:
        weights.load_arrays(arrays)
    return Network(model, weights, Reference())


def outputs(network):
    """Logits and alignment of some pairs; gradients reach every weight."""
    random = numpy.random.default_rng(5)
    rows = [[*random.integers(2, VOCABULARY, length), 0] for length in (3, 9, 5, 7)]
    batch = batches.pack([numpy.array(row) for row in rows[:2]], [numpy.array(row) for row in rows[2:]])
    source, target = (Reference().packing(offsets) for offsets in (batch.source_offsets, batch.target_offsets))
    memory = network.encode(batch.source_ids, source)
    hidden, alignment = network.decode(batch.input_ids, target, memory, source, alignment=True)
    logits = hidden @ network.output[0].master.T + network.output[1].master
    torch.nn.functional.cross_entropy(logits, batch.target_ids.long()).backward()
    return logits.detach(), alignment.detach()


@pytest.mark.parametrize("decoder", ["ssru", "average-attention", "self-attention"])
@pytest.mark.parametrize("width", [(64, 96), (96, 80), (32, 64)])
@pytest.mark.parametrize("settings", [{}, {"norm": "pre", "embeddings": "none"}], ids=["post", "pre"])
def test_the_function_stays(decoder, width, settings):
    check_widened(Model(**NARROW, decoder=decoder, **settings), dimension=width[0], feed_forward=width[1])


@pytest.mark.parametrize(("narrow", "wide"), [(64, 80), (32, 64), (0, 0)])
def test_average_attention_may_have_a_width_of_its_own(narrow, wide):
    check_widened(Model(**NARROW, decoder="average-attention", average_feed_forward=narrow), dimension=64, average_feed_forward=wide)


def check_widened(model, **changes):
    narrow = network(model)
    wider = model.model_copy(update=changes)
    wide = network(wider, widen(narrow.weights.arrays(), model, wider, seed=3))
    copies = wider.dimension // model.dimension
    wide._signal = narrow._signal.repeat_interleave(copies, 1)
    for found, expected in zip(outputs(wide), outputs(narrow)):
        assert torch.allclose(found, expected, atol=2e-4)
    # Copies must part: equal gradients would keep them equal for ever.
    for name in ("encoder_l1_self_Wo", "decoder_l1_ffn_W2") if copies > 1 else ():
        gradient = wide.weights[name].gradient
        assert (gradient[:, ::copies] - gradient[:, 1::copies]).abs().max() > 1e-3 * gradient.abs().max()


def test_its_own_positions_are_near():
    model = Model(**NARROW)
    narrow, wider = network(model), model.model_copy(update={"dimension": 128})
    signal = network(wider)._signal[:8]
    assert (signal - narrow._signal[:8].repeat_interleave(4, 1)).abs().mean() < 0.2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"heads": 1}, "heads"),
        ({"dimension": 48}, "multiple"),
        ({"feed_forward": 32}, "at least as much"),
    ],
)
def test_what_cannot_be_widened_is_said(change, reason):
    model = Model(**NARROW)
    with pytest.raises(TrainingError, match=reason):
        widen({}, model, model.model_copy(update=change), seed=1)
