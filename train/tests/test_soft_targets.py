"""What a teacher predicts, as targets."""

import numpy
import pytest
import torch
from test_operators import VOCABULARY, random_batch

from wanderwort_train import config as configuration, forms, marian
from wanderwort_train.candidates import Sampler
from wanderwort_train.cli import main
from wanderwort_train.config import Model, Training
from wanderwort_train.network import Network
from wanderwort_train.operators import Fused, Reference
from wanderwort_train.soft_targets import SoftTargets
from wanderwort_train.training import Trainer
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
@pytest.mark.parametrize("output_words", [0, 16])
def test_what_is_not_to_be_taught_keeps_its_words(kernels, output_words):
    fused = kernels == "auto"
    members = [(MODEL, network(seed, fused).weights.arrays()) for seed in (1, 2)]
    teachers = SoftTargets(members, Training(precision="float32", kernels=kernels), torch.device("cpu"))
    given = packed(teachers.operators, random_batch(numpy.random.default_rng(0), 5), output_words)
    batch, everywhere = given[0], teachers(*given)
    alone = numpy.array([False, True, False, False, True])
    batch.leave_untaught(alone)
    found = teachers(*given)
    begin = batch.target_offsets.tolist()
    untaught = torch.zeros(len(found), dtype=torch.bool)
    for sentence in numpy.flatnonzero(alone):
        untaught[begin[sentence] : begin[sentence + 1]] = True
    assert torch.equal(found[~untaught], everywhere[~untaught])
    # There the teacher's share makes no difference.
    student = network(3, fused)
    batch.leave_untaught(~numpy.zeros(5, bool))
    losses = [loss(student, (given, teachers(*given)), share) for share in (0.0, 0.4, 1.0)]
    assert losses == [pytest.approx(losses[0], rel=1e-4)] * 3
    assert loss(student, (given, everywhere), 0.4)[0] != pytest.approx(losses[0][0], rel=1e-3)


def test_a_corpus_may_be_left_out_of_what_a_teacher_teaches(prepared):
    plain = prepared.read_text(encoding="utf-8")
    for taught in (True, False):
        prepared.write_text(plain.replace("[[data.corpora]]", f"[[data.corpora]]\ntaught = {str(taught).lower()}"), encoding="utf-8")
        settings = configuration.load(prepared)
        trainer = Trainer(settings, settings.model, settings.training, settings.folder / "rows", torch.device("cpu"))
        stream = trainer._stream()
        batch = stream.next()[0]
        stream.close()
        assert len(batch.untaught) == (0 if taught else len(batch.target_ids))


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
