"""What a teacher predicts, as targets."""

import numpy
import pytest
import torch
from test_operators import VOCABULARY, random_batch

from wanderwort_train import batches, config as configuration, corpus, forms, marian, vocabulary
from wanderwort_train.candidates import Sampler
from wanderwort_train.cli import main
from wanderwort_train.config import Model, Training
from wanderwort_train.network import Network
from wanderwort_train.operators import Fused, Reference
from wanderwort_train.soft_targets import SoftTargets
from wanderwort_train.training import encoder_distance
from wanderwort_train.weights import Weights, shapes

MODEL = Model(dimension=64, feed_forward=96, heads=4, encoder_layers=2, decoder_layers=2)


def network(seed, fused):
    weights = Weights(shapes(MODEL, VOCABULARY), torch.device("cpu"), "float32", fused)
    weights.initialize(seed)
    weights["decoder_ff_logit_out_b"].master.data += torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(seed))
    weights.refresh()
    return Network(MODEL, weights, Fused() if fused else Reference())


def packed(operators, batch, output_words):
    candidates = None
    if output_words:
        candidates = Sampler(numpy.arange(VOCABULARY), output_words, 1).draw(batch.target_ids, (0, 0), torch.device("cpu"))
    return batch, operators.packing(batch.source_offsets), operators.packing(batch.target_offsets), candidates


def loss(student, taught, share):
    """The loss of one batch against what a teacher predicts, and the length of its gradient."""
    batch, source, target, candidates = taught[0]
    student.weights.gradient.zero_()
    hidden, _ = student.decode(batch.input_ids, target, student.encode(batch.source_ids, source), source)
    weights = student.weights
    arguments = hidden, weights["Wemb"], weights["decoder_ff_logit_out_b"], batch.target_ids, share, candidates
    total = student.operators.output_loss(*arguments, taught[1])
    total.backward()
    return float(total.detach()), float(weights.gradient.norm())


@pytest.mark.parametrize("kernels", ["auto", "plain"])
@pytest.mark.parametrize("output_words", [0, 16])
def test_who_predicts_as_the_teacher_has_nothing_to_learn(kernels, output_words):
    fused = kernels == "auto"
    teacher, other = network(1, fused), network(2, fused)
    targets = SoftTargets([(MODEL, teacher.weights.arrays())], Training(precision="float32", kernels=kernels), torch.device("cpu"))
    given = packed(targets.operators, random_batch(numpy.random.default_rng(0), 7), output_words)
    predicted = targets(*given)
    assert torch.allclose(predicted.sum(1), torch.ones(len(predicted)), atol=1e-5)
    entropy = float(-(predicted * predicted.log()).sum())
    same, gradient = loss(teacher, (given, predicted), 1.0)
    assert same == pytest.approx(entropy, rel=1e-4)
    elsewhere, steep = loss(other, (given, predicted), 1.0)
    assert elsewhere > entropy * 1.05 and steep > 100 * gradient
    # The words that stand there are the other part.
    assert loss(teacher, (given, predicted), 0.5)[1] > 100 * gradient


def test_several_teachers_predict_their_mean():
    members = [(MODEL, network(seed, True).weights.arrays()) for seed in (1, 2)]
    settings = Training(precision="float32")
    together, first, second = (SoftTargets(chosen, settings, torch.device("cpu")) for chosen in (members, members[:1], members[1:]))
    given = packed(together.operators, random_batch(numpy.random.default_rng(0), 5), 0)
    assert torch.allclose(together(*given), (first(*given) + second(*given)) / 2, atol=1e-6)


@pytest.mark.parametrize("kernels", ["auto", "plain"])
def test_an_encoder_learns_to_end_each_layer_where_the_teacher_does(kernels):
    fused = kernels == "auto"
    teacher, other = network(1, fused), network(2, fused)
    settings = Training(precision="float32", kernels=kernels)
    targets = SoftTargets([(MODEL, teacher.weights.arrays())], settings, torch.device("cpu"))
    given = packed(targets.operators, random_batch(numpy.random.default_rng(0), 7), 0)
    theirs = []
    targets(*given, theirs)
    assert len(theirs) == MODEL.encoder_layers

    def distance(student):
        layers = []
        memory = student.encode(given[0].source_ids, given[1], layers)
        assert torch.equal(layers[-1], memory)
        return encoder_distance(layers, theirs)

    assert float(distance(teacher).detach()) == pytest.approx(0, abs=1e-9)
    # Rows without any relation are as far apart as two independent ones of this length: ‖x − t‖² = ‖x‖² + ‖t‖².
    before = distance(other)
    assert 1 < float(before.detach()) < 3
    other.weights.gradient.zero_()
    before.backward()
    gradient = other.weights.gradient
    assert float(gradient.norm()) > 0
    # Against its gradient it is nearer.
    other.weights.flat.data -= 0.05 * gradient / gradient.norm()
    other.weights.refresh()
    assert float(distance(other).detach()) < float(before.detach())


def test_several_teachers_or_others_have_no_rows_to_be_near_to():
    one, two = ((MODEL, network(seed, True).weights.arrays()) for seed in (1, 2))
    settings = Training(precision="float32")
    assert SoftTargets([one], settings, torch.device("cpu")).has_encoder_of(MODEL.model_copy(update={"feed_forward": 32}))
    assert not SoftTargets([one, two], settings, torch.device("cpu")).has_encoder_of(MODEL)
    for change in ({"encoder_layers": 3}, {"dimension": 128}):
        assert not SoftTargets([one], settings, torch.device("cpu")).has_encoder_of(MODEL.model_copy(update=change))


def test_what_is_pruned_stays_near_the_teacher(prepared, capsys):
    """With weight on the distance pruning ends nearer to the teacher's rows; a weight that nobody could act on is an error."""
    text = prepared.read_text(encoding="utf-8").replace("encoder_layers = 1", "encoder_layers = 2")
    prepared.write_text(text, encoding="utf-8")
    for step in ("student", "export"):
        assert main([step, "--config", str(prepared)]) == 0
    whole = configuration.load(prepared).folder / "export" / "model.npz"
    found = {}
    for weight in ("0.0", "4.0"):
        file = prepared.with_name(f"weight-{weight}.toml")
        file.write_text(
            f'start = "{whole}"\n'
            + text.replace('"run"', f'"weight-{weight}"')
            + f"""
[teacher]
models = ["{whole}"]
[pruning]
measure = "divergence"
reset = "start"
keep_heads = 2
[pruning.training]
updates = 12
batch_tokens = 200
warmup = 2
learning_rate = 2e-3
teacher_share = 0.9
encoder_distance = {weight}
""",
            encoding="utf-8",
        )
        assert main(["prune", "--config", str(file)]) == 0, capsys.readouterr().err
        config = configuration.load(file)
        arrays = forms.arrays(config, "pruned")
        heads = [arrays[f"encoder_l{layer}_self_Wq"].shape[1] * config.model.heads // config.model.dimension for layer in (1, 2)]
        found[weight] = _distance(config, arrays, heads, whole)
    assert found["4.0"] < 0.9 * found["0.0"], found
    assert "distance" in capsys.readouterr().out

    file.write_text(file.read_text(encoding="utf-8").replace("teacher_share = 0.9", ""), encoding="utf-8")
    assert main(["prune", "--config", str(file)]) == 1
    assert "encoder_distance is from a teacher" in capsys.readouterr().err


def _distance(config, arrays, heads, whole) -> float:
    """How far the rows of a pruned encoder are from those of the `whole` one, on its development set."""
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    lines = [source for source, _ in corpus.read_parallel([config.data.folder / "development" / "dev.tsv"])]
    sources = pieces.encode(lines, add_eos=True)
    batch = batches.pack(sources, sources)
    operators, size = Fused(), pieces.get_piece_size()
    layers = []
    for values, left in ((arrays, heads), (marian.read_npz(whole)[0], [config.model.heads] * 2)):
        weights = Weights(shapes(config.model, size, left), torch.device("cpu"), "float32", True)
        weights.load_arrays(values)
        layers.append([])
        with torch.no_grad():
            Network(config.model, weights, operators).encode(batch.source_ids, operators.packing(batch.source_offsets), layers[-1])
    return float(encoder_distance(*layers))


def test_students_tuned_and_pruned_ones_are_taught(prepared, capsys):
    """Each of the three steps ends elsewhere with a teacher than without, from the same weights and batches."""
    for step in ("student", "export"):
        assert main([step, "--config", str(prepared)]) == 0
    first = configuration.load(prepared)
    teacher = first.folder / "export" / "model.npz"
    plain = prepared.read_text(encoding="utf-8").replace('folder = "run"', 'folder = "taught"').replace("dropout = 0.1", "dropout = 0.0")
    plain = plain.replace("[training]", "[training]\nteacher_share = 0.9")
    taught = prepared.with_name("taught.toml")
    settings = "updates = 4\nbatch_tokens = 200\nwarmup = 2\nlearning_rate = 3e-3\nteacher_share = 0.9\n"
    stages = f"""
[pruning]
reset = "student"
keep_heads = 1
[pruning.training]
{settings}
[quantization]
base = "start"
kinds = ["log4"]
[quantization.log4]
{settings}
"""
    whole = f'start = "{teacher}"\n{plain}\n[teacher]\nmodels = ["{teacher}"]\n{stages}'
    found = {}
    for share in ("0.9", "0.0"):
        text = whole.replace("teacher_share = 0.9", f"teacher_share = {share}").replace('"taught"', f'"share-{share}"')
        taught.write_text(text, encoding="utf-8")
        for step in ("student", "prune", "quantize-tune"):
            assert main([step, "--config", str(taught)]) == 0, capsys.readouterr().err
        config = configuration.load(taught)
        found[share] = [forms.arrays(config, stage) for stage in ("student", "pruned", "log4")]
    for with_teacher, without in zip(*found.values()):
        assert numpy.abs(with_teacher["Wemb"] - without["Wemb"]).max() > 1e-4

    # A teacher does not teach itself before it is there, and one that is missing is named.
    taught.write_text(plain.replace('"taught"', '"alone"'), encoding="utf-8")
    assert main(["student", "--config", str(taught)]) == 1
    assert "run the step `teacher` first" in capsys.readouterr().err
    taught.write_text(f"{plain}\n[teacher.training]\nteacher_share = 0.5\n", encoding="utf-8")
    assert main(["teacher", "--config", str(taught)]) == 1
    assert "teacher_share: nobody teaches this network" in capsys.readouterr().err
