"""What pruning starts from."""

import numpy
import pytest
import torch

from wanderwort_train import config as configuration, engine, forms, marian, prune, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.config import Model
from wanderwort_train.search import Translator
from wanderwort_train.weights import Weights, shapes


@pytest.mark.parametrize("reset", ["early", "student"])
def test_what_is_left_is_reset(prepared, reset):
    """With a rate of nearly nothing, the pruned student is what it was reset to without the least confident head."""
    text = prepared.read_text(encoding="utf-8")
    prepared.write_text(
        text + f'''
[pruning]
reset = "{reset}"
keep_heads = 1
updates_per_round = 1
[pruning.training]
updates = 1
batch_tokens = 200
learning_rate = 1e-9
''',
        encoding="utf-8",
    )
    for step in ("student", "prune"):
        assert main([step, "--config", str(prepared)]) == 0
    config = configuration.load(prepared)
    student, pruned = (forms.arrays(config, stage) for stage in ("student", "pruned"))
    (kept,) = forms.read_json(config.folder / "pruned" / "heads.json")["kept"]
    assert len(kept) == 1
    if reset == "student":
        assert kept == [int(numpy.argmax(prune.confidence(config, student)[0]))]
        expected = prune.remove(student, [kept], 16)
        assert all(numpy.allclose(pruned[name], expected[name], atol=1e-6) for name in pruned)
    else:
        assert not numpy.allclose(pruned["Wemb"], student["Wemb"], atol=1e-3)


def test_heads_that_others_make_good_go_first(prepared, capsys):
    """A head that has a twin and one that nothing reads are the ones to go; what is left computes what the whole network did."""
    model = Model(dimension=64, feed_forward=64, heads=4, encoder_layers=2, decoder_layers=1)
    text = prepared.read_text(encoding="utf-8")
    start = prepared.with_name("start.npz")
    head = f'start = "{start}"\n' + text[: text.index("[model]")]
    settings = head + "[model]\ndimension = 64\nfeed_forward = 64\nheads = 4\nencoder_layers = 2\ndecoder_layers = 1\n" + text[text.index("[training]") :]
    settings += """
[pruning]
measure = "divergence"
reset = "start"
keep_heads = 6
heads_per_round = 1
[pruning.training]
updates = 1
batch_tokens = 200
learning_rate = 1e-9
precision = "float32"
[package]
stage = "pruned"
bits = "int8"
"""
    prepared.write_text(settings, encoding="utf-8")
    assert main(["prune", "--config", str(prepared)]) == 1
    assert "start.npz: no such file" in capsys.readouterr().err
    weights = Weights(shapes(model, 500), torch.device("cpu"), "float32", False)
    weights.initialize(3)
    arrays = weights.arrays()
    twin, unread = slice(48, 64), slice(32, 48)
    for letter in "qkv":
        arrays[f"encoder_l1_self_W{letter}"] *= 3
        arrays[f"encoder_l1_self_W{letter}"][:, twin] = arrays[f"encoder_l1_self_W{letter}"][:, :16]
    arrays["encoder_l2_self_Wo"][unread] = 0
    # Of a package that was unpacked there are activation scales too.
    marian.write_npz(start, arrays | {"encoder_l1_self_Wq_QuantMultA": numpy.ones((1, 1), numpy.float32)}, model)
    assert main(["prune", "--config", str(prepared)]) == 0, capsys.readouterr().err
    config = configuration.load(prepared)
    first, second = forms.read_json(config.folder / "pruned" / "heads.json")["kept"]
    assert first in ([0, 1, 2], [1, 2, 3]) and second == [0, 1, 3]

    def encoded(weights):
        translator = Translator(model, weights, torch.device("cpu"))
        sources = [[5, 17, 300, 2, 0], [44, 0], [9, 8, 7, 6, 5, 4, 3, 0]]
        memory, mask = translator._pad(sources)
        with torch.no_grad():
            return translator.encode(memory, mask)

    whole, pruned = encoded(arrays), encoded(forms.arrays(config, "pruned"))
    cut = encoded(prune.remove(arrays, [first, second], 16))
    assert torch.allclose(pruned, whole, atol=0.02)
    assert (cut - whole).abs().max() > 0.2

    # There is no student of its own to export beside it.
    assert main(["export", "--config", str(prepared)]) == 0, capsys.readouterr().err
    export = config.folder / "export"
    assert "pruned.npz" in (export / "decoder.yml").read_text() and not (export / "model.npz").exists()
    assert numpy.array_equal(marian.read_npz(export / "pruned.npz")[0]["Wemb"], forms.arrays(config, "pruned")["Wemb"])

    prepared.write_text(settings.replace(f'start = "{start}"\n', ""), encoding="utf-8")
    assert main(["prune", "--config", str(prepared)]) == 1
    assert 'pruning.reset = "start", but there is no start' in capsys.readouterr().err


def test_layers_may_lose_all_heads(prepared, tmp_path, capsys):
    """The engine runs what is left, in float and in integers, as PyTorch does; tuning goes on from it."""
    text = prepared.read_text(encoding="utf-8").replace("encoder_layers = 1", "encoder_layers = 2")
    settings = """
[pruning]
reset_updates = 3
updates_per_round = 1
heads_per_round = 2
keep_heads = 1
layer_keeps = 0
[pruning.training]
updates = 4
batch_tokens = 200
learning_rate = 3e-3
[quantization]
base = "pruned"
kinds = ["int8", "log4"]
int8 = { updates = 2, batch_tokens = 200, warmup = 1 }
log4 = { updates = 2, batch_tokens = 200, warmup = 1 }
[package]
bits = "log4"
"""
    prepared.write_text(text + settings.replace("layer_keeps = 0", "layer_keeps = 1"), encoding="utf-8")
    assert main(["prune", "--config", str(prepared)]) == 1
    assert "keep at least 1 each (pruning.layer_keeps), 2 in all" in capsys.readouterr().err
    prepared.write_text(text + settings, encoding="utf-8")
    for step in ("student", "prune"):
        assert main([step, "--config", str(prepared)]) == 0
    config = configuration.load(prepared)
    heads = forms.encoder_heads(config, "pruned")
    assert sorted(heads) == [0, 1]
    # As many updates as each count says.
    updates = [torch.load(config.folder / "pruned" / name / "checkpoint.pt")["optimizer"]["update"] for name in ("reset", "round-1", "final")]
    assert updates == [3, 1, 4]
    # The bias that is all that is left of the sublayer still learns.
    bias = f"encoder_l{heads.index(0) + 1}_self_bo"
    reset = torch.load(config.folder / "pruned" / "reset" / "checkpoint.pt")["weights"]
    layout = Weights(shapes(config.model, 500), torch.device("cpu"), "float32", False)
    assert not numpy.array_equal(layout.arrays(reset)[bias], forms.arrays(config, "pruned")[bias])

    for step in ("quantize-tune", "export"):
        assert main([step, "--config", str(prepared)]) == 0, capsys.readouterr().err
    export = config.folder / "export"
    assert "encoder_l" + str(heads.index(0) + 1) + "_self_Wq" not in marian.read_npz(export / "pruned.npz")[0]
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    texts = [line.split("\t")[0] for line in (tmp_path / "dev.tsv").read_text(encoding="utf-8").splitlines()[:40]]
    sources = pieces.encode(texts, add_eos=True)
    folder = tmp_path / "folder"
    engine.write_model(folder, config, config.model, forms.arrays(config, "pruned"))
    package = export / "test.wanderwort"
    for path, options, expected in (
        (folder, ["--float"], Translator(config.model, forms.arrays(config, "pruned"), torch.device("cpu"))),
        (package, [], forms.quantized_log4(config, "log4").translator(config.model, torch.device("cpu"))),
    ):
        arguments = [str(engine.find()), "translate", "--model", str(path), "--without", "all", "--beam", "1", "--lines-as-sentences"]
        found = engine.run([*arguments, "--threads", "1", *options], "\n".join(texts) + "\n").splitlines()
        wanted = pieces.decode(expected.translate(sources))
        same = sum(a.split() == b.split() for a, b in zip(wanted, found, strict=True))
        assert same >= 36, f"{path}: {same} of 40"
