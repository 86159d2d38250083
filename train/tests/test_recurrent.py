"""Recurrent students: what is trained is what is decoded and exported."""

import gzip
import json

import numpy
import pytest
import torch
from conftest import REPOSITORY

from wanderwort_train import batches, config as configuration, engine, export, forms, marian, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.config import Model
from wanderwort_train.errors import TrainingError
from wanderwort_train.network import Network, operators_for
from wanderwort_train.search import Translator, beam
from wanderwort_train.weights import Weights, is_bias, is_matrix, is_norm_scale, shapes

FOLDER = REPOSITORY / "tests" / "data" / "architectures"
SHAPE = {"architecture": "recurrent", "dimension": 32, "recurrent_width": 24}
#: Encoders and decoders deepened by layers and by cells, in each way that the engine runs.
DEEP = {
    "stacked": {"encoder_layers": 2, "encoder_cells": 2, "decoder_layers": 2, "decoder_base_cells": 4, "decoder_high_cells": 2},
    "alternating": {"recurrent_encoder": "alternating", "encoder_layers": 3, "decoder_layers": 3, "recurrent_skip": True},
    "bi-unidirectional": {"recurrent_encoder": "bi-unidirectional", "encoder_layers": 3, "encoder_cells": 2, "recurrent_skip": True},
}


def make(**settings):
    model = Model(**SHAPE | settings)
    weights = Weights(shapes(model, 60), torch.device("cpu"), "float32", False)
    weights.initialize(1)
    generator = torch.Generator().manual_seed(2)
    for item in weights.items.values():
        item.master.data += 0.3 * torch.randn(item.master.shape, generator=generator)
    return model, weights


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("depth", [{}, *DEEP.values()], ids=["shallow", *DEEP])
def test_steps_agree_with_the_network(depth, normalized):
    """Of several sentences at once: what one is longer than another must not matter; and the alignment is that of the steps."""
    model, weights = make(recurrent_norm=normalized, embeddings="none", **depth)
    operators = operators_for([model], torch.device("cpu"))
    assert not operators.fused
    network, translator = Network(model, weights, operators), Translator(model, weights.arrays(), torch.device("cpu"))
    rng = numpy.random.default_rng(5)
    sources, targets = ([numpy.append(rng.integers(2, 60, length), 0) for length in lengths] for lengths in ((7, 2, 11), (5, 9, 3)))
    links = [numpy.array([1 << 16 | 2]), numpy.array([0 << 16 | 4]), numpy.array([9 << 16 | 1])]
    batch = batches.pack(sources, targets, links)
    source, target = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
    hidden, seen = network.decode(batch.input_ids, target, network.encode(batch.source_ids, source), source, alignment=True)
    expected = (hidden @ network.output[0].master.T + network.output[1].master).detach()
    seen = seen[operators.links(batch.link_positions, target, source)].tolist()
    row = 0
    for number, text in enumerate(sources):
        ids, mask = translator._pad([text])
        with torch.no_grad():
            state, previous = translator.start(translator.encode(ids, mask), mask), -1
            for step, piece in enumerate(targets[number].tolist()):
                logits, weights_now = translator.step(torch.tensor([[previous]]), state)
                logits[0, vocabulary.UNKNOWN] = expected[row, vocabulary.UNKNOWN]
                assert torch.allclose(logits[0], expected[row], atol=1e-4)
                if step == links[number][0] & 0xFFFF:
                    assert float(weights_now[0, links[number][0] >> 16]) == pytest.approx(seen[number], abs=1e-5)
                previous, row = piece, row + 1


@pytest.mark.parametrize("depth", [{}, *DEEP.values()], ids=["shallow", *DEEP])
def test_every_parameter_learns(depth):
    model, weights = make(recurrent_norm=True, embeddings="none", **depth)
    operators = operators_for([model], torch.device("cpu"))
    network = Network(model, weights, operators)
    rows = [numpy.array([5, 9, 20, 0]), numpy.array([8, 0])]
    batch = batches.pack(rows, rows[::-1])
    source, target = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
    hidden, _ = network.decode(batch.input_ids, target, network.encode(batch.source_ids, source), source)
    operators.output_loss(hidden, *network.output, batch.target_ids, 0.1).backward()
    assert all(item.gradient.abs().max() > 0 for item in weights.items.values())


@pytest.mark.parametrize("depth", [{}, *DEEP.values()], ids=["shallow", *DEEP])
def test_parameters_are_told_apart(depth):
    model = Model(**SHAPE, recurrent_norm=True, embeddings="none", **depth)
    names = shapes(model, 60)
    kinds = {name: (is_matrix(name), is_bias(name), is_norm_scale(name)) for name in names}
    vectors = {name for name, (matrix, _, _) in kinds.items() if not matrix}
    assert all(sum(kind) == 1 for name, kind in kinds.items() if name != "decoder_U_att")
    assert all(names[name][0] == 1 for name in vectors - {"decoder_U_att"}) and all(names[name][0] > 1 for name in set(names) - vectors)


@pytest.mark.parametrize("kind", ["shallow", "deep", "alternating", "bi-unidirectional"])
def test_marians_file_is_read(kind, tmp_path):
    """The arithmetic is Marian's: its own translations of its own file."""
    path, folder = tmp_path / "model.npz", FOLDER / f"recurrent-{kind}"
    path.write_bytes(gzip.decompress((folder / "model.npz.gz").read_bytes()))
    arrays, options = marian.read_npz(path)
    pieces = vocabulary.load(FOLDER / "vocab.spm")
    # Its embeddings are narrower than those that are trained; nothing else is another network for that.
    model = marian.model(path, options | {"dim-emb": 16})
    model.dimension = options["dim-emb"]
    marian.check_weights(path, arrays, model, pieces.get_piece_size())
    rows = [line.split("\t") for line in (folder / "golden.tsv").read_text(encoding="utf-8").splitlines()]
    found = Translator(model, arrays, torch.device("cpu")).translate(pieces.encode([source for source, _ in rows], add_eos=True))
    assert sum(a.split() == target.split() for a, (_, target) in zip(pieces.decode(found), rows, strict=True)) >= len(rows) - 1


@pytest.mark.parametrize(("option", "value"), [("enc-cell", "gru-nematus"), ("enc-type", "unidirectional"), ("dec-cell", "lstm"), ("dec-cell-base-depth", 1)])
def test_other_recurrent_networks_are_refused(option, value, tmp_path):
    options = marian.configuration(Model(**SHAPE), 300) | {option: value}
    with pytest.raises(TrainingError, match=f"{option}|recurrent_encoder|decoder_base_cells"):
        marian.model(tmp_path, options)


@pytest.mark.parametrize("depth", DEEP.values(), ids=DEEP)
def test_a_file_says_what_network_it_is_of(depth, tmp_path):
    model = Model(**SHAPE, **depth)
    assert marian.model(tmp_path, marian.configuration(model, 300)) == model


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({**SHAPE, "decoder_base_cells": 1}, "greater than or equal to 2"),
        ({**SHAPE, "norm": "pre"}, "is for Transformers"),
        ({"encoder_cells": 2}, "is for architecture"),
        ({"recurrent_encoder": "alternating"}, "is for architecture"),
        ({"recurrent_width": 64}, "is for architecture"),
        ({"recurrent_norm": True}, "is for architecture"),
        ({**SHAPE, "recurrent_width": 0}, "greater than or equal to 1"),
    ],
)
def test_nonsense_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Model(**settings)


@pytest.mark.parametrize("depth", [{}, DEEP["alternating"] | {"decoder_base_cells": 3, "encoder_cells": 2}], ids=["shallow", "deep"])
def test_a_recurrent_student_learns_and_is_packed(depth, prepared, tmp_path, capsys):
    text = prepared.read_text(encoding="utf-8")
    head, rest = text[: text.index("[model]")], text[text.index("[training]") :].replace("updates = 8", "updates = 30").replace("1000", "15")
    model = "[model]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in (SHAPE | depth).items()).replace("True", "true")
    prepared.write_text(head + model + rest + 'precision = "float32"\n' + "guided_alignment = 0.2\n[package]\nbits = \"int8\"\ncalibration_lines = 60\n", encoding="utf-8")
    for step in ("student", "shortlist", "export", "evaluate"):
        assert main([step, "--config", str(prepared)]) == 0, capsys.readouterr().err
    config = configuration.load(prepared)
    losses = [json.loads(row)["loss"] for row in (config.folder / "student" / "curve.jsonl").read_text().splitlines()]
    assert len(losses) == 2 and losses[1] < losses[0] < 6.5
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    arrays = forms.arrays(config, "student")
    translator = Translator(config.model, arrays, torch.device("cpu"))
    texts = [line.split("\t")[0] for line in (tmp_path / "dev.tsv").read_text(encoding="utf-8").splitlines()[:40]]
    sources = pieces.encode(texts, add_eos=True)
    folder = tmp_path / "folder"
    engine.write_model(folder, config, config.model, arrays)
    arguments = [str(engine.find()), "translate", "--model", str(folder), "--without", "all", "--beam", "1", "--lines-as-sentences", "--float"]
    found = engine.run([*arguments, "--threads", "1"], "\n".join(texts) + "\n").splitlines()
    same = sum(a.split() == b.split() for a, b in zip(pieces.decode(translator.translate(sources)), found, strict=True))
    assert same >= 39, f"{same} of 40"
    best = engine.candidates(engine.find(), folder, texts[:10], 3, 1, 1.0, 1)
    for hypotheses, (_, score) in zip(beam([translator], sources[:10], 3, 1), (item[0] for item in best)):
        assert hypotheses[0][1] == pytest.approx(score, abs=1e-3)
    assert export.package(config).exists()
    assert len(engine.translate(engine.find(), export.package(config), texts, 1)) == 40

    for step in ("prune", "calibrate", "quantize-tune", "benchmark"):
        assert main([step, "--config", str(prepared)]) == 1
        assert f"{step}: for Transformers alone" in capsys.readouterr().err
