"""Models of the other direction: what they make of pairs, and text that is translated back."""

import json
import sys

import numpy
import pytest
import torch

from wanderwort_train import batches, config as configuration, marian, scores, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.config import Reverse
from wanderwort_train.search import Translator


@pytest.fixture
def reverse(prepared):
    """A configuration with a model of the other direction."""
    for step in ("student", "export"):
        assert main([step, "--config", str(prepared)]) == 0
    model = configuration.load(prepared).folder / "export" / "model.npz"
    text = prepared.read_text(encoding="utf-8").replace('folder = "run"', 'folder = "second"')
    path = prepared.with_name("second.toml")
    path.write_text(text + f'[reverse]\nmodels = ["{model}"]\n', encoding="utf-8")
    return path


def test_scores_are_log_probabilities_of_the_source(reverse):
    assert main(["score", "--config", str(reverse)]) == 0
    config = configuration.load(reverse)
    data = batches.Prepared(config.data.folder)
    found = numpy.load(config.data.folder / "reverse_scores.npy")
    arrays, options = marian.read_npz(config.reverse.models[0])
    translator = Translator(marian.model(config.reverse.models[0], options), arrays, torch.device("cpu"))
    assert len(found) == data.pairs
    for pair in (0, 7, 131):
        ids, mask = translator._pad([data.target(pair)])
        with torch.no_grad():
            state, previous, total = translator.start(translator.encode(ids, mask), mask), -1, 0.0
            for piece in data.source(pair).tolist():
                logits, _ = translator.step(torch.tensor([[previous]]), state, normalized=True)
                total, previous = total + float(logits[0, piece]), piece
        if vocabulary.UNKNOWN not in data.source(pair):
            assert total / data.source_lengths[pair] == pytest.approx(found[pair], abs=1e-3)


def test_likely_pairs_are_seen_more_often_and_the_worst_not_at_all():
    found = numpy.array([-1.0, -5.0, -3.0, -2.0, -9.0, -1.0])
    corpora = numpy.array([0, 0, 0, 0, 1, 1])
    weights = scores.weights_of(found, corpora, [0.25, 0.0], 0.1)
    assert weights[1] == 0 and weights[:4].sum() == pytest.approx(3) and weights[4:].sum() == pytest.approx(2)
    assert weights[0] / weights[2] == pytest.approx(numpy.exp(0.2)) and weights[5] / weights[4] == pytest.approx(numpy.exp(0.8))
    # Without a weight only what is dropped differs.
    assert scores.weights_of(found, corpora, [0.0, 0.5], 0.0).tolist() == [1, 1, 1, 1, 0, 1]
    data = type("Data", (), {"corpora": corpora, "pairs": 6, "target_lengths": numpy.full(6, 3), "source_lengths": numpy.full(6, 3)})
    plan = numpy.concatenate(batches.epoch_plan(data, [1.0, 1.0], 0, 1, 100, 100, numpy.array([2.0, 0, 1, 1, 0, 0])))
    assert sorted(plan.tolist()) == [0, 0, 2, 3]


def test_training_goes_by_scores(reverse, capsys):
    text = reverse.read_text(encoding="utf-8")
    wanted = text.replace('path = "pairs.tsv"', 'path = "pairs.tsv"\ndrop_worst = 0.5').replace("[reverse]\n", "[reverse]\nweight = 0.1\n")
    reverse.write_text(wanted, encoding="utf-8")
    assert main(["student", "--config", str(reverse)]) == 1
    assert "need the step `score`" in capsys.readouterr().err
    for step in ("score", "student"):
        assert main([step, "--config", str(reverse)]) == 0
    config = configuration.load(reverse)
    data = batches.Prepared(config.data.folder)
    weights = scores.pair_weights(config, data, config.data.folder)
    found = numpy.load(config.data.folder / "reverse_scores.npy")
    assert (weights == 0).sum() == data.pairs // 2 and found[weights == 0].max() <= found[weights > 0].min()
    assert main(["pack-run", "--config", str(reverse)]) == 1
    assert "a pack holds none" in capsys.readouterr().err
    # Of other pairs they tell nothing.
    (config.data.folder / "reverse_scores.json").write_text('"other"', encoding="utf-8")
    assert main(["student", "--config", str(reverse)]) == 1
    assert "run the step `score` again" in capsys.readouterr().err


def backwards(path):
    """A program that turns each line around."""
    path.write_text("import sys\nfor line in sys.stdin: print(line.rstrip('\\n')[::-1])\n", encoding="utf-8")
    return [sys.executable, str(path)]


def test_text_is_translated_back_by_any_program(prepared, tmp_path, capsys):
    (tmp_path / "german.txt").write_text("Ein Haus.\n\nDas rote Auto.\n", encoding="utf-8")
    text = prepared.read_text(encoding="utf-8")
    settings = f'[reverse]\ncommand = {json.dumps(backwards(tmp_path / "program.py"))}\ntexts = ["german.txt"]\ntag = "<BT>"\n'
    prepared.write_text(text + settings, encoding="utf-8")
    assert main(["back-translate", "--config", str(prepared)]) == 0
    out = configuration.load(prepared).folder / "back-translated" / "german.tsv"
    assert out.read_text(encoding="utf-8") == "<BT> .suaH niE\tEin Haus.\n<BT> .otuA etor saD\tDas rote Auto.\n"
    # Names of corpora that have the target first get it first.
    out.unlink()
    prepared.write_text(text.replace("vocabulary_size", "target_first = true\nvocabulary_size") + settings, encoding="utf-8")
    assert main(["back-translate", "--config", str(prepared)]) == 0
    assert out.read_text(encoding="utf-8").startswith("Ein Haus.\t<BT> .suaH niE\n")
    out.unlink()
    (tmp_path / "program.py").write_text("print('one line')", encoding="utf-8")
    assert main(["back-translate", "--config", str(prepared)]) == 1
    assert "reverse.command: 1 of 2 lines came back" in capsys.readouterr().err and not out.exists()


def test_text_is_translated_back_by_a_model(reverse, tmp_path, capsys):
    assert main(["back-translate", "--config", str(reverse)]) == 1
    assert "reverse.texts names no text" in capsys.readouterr().err
    (tmp_path / "german.txt").write_text("Ein Haus.\nDas rote Auto.\n", encoding="utf-8")
    config = configuration.load(reverse)
    arrays, _ = marian.read_npz(config.reverse.models[0])
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    # After so few updates it says nothing: it gets a word of its own.
    arrays["decoder_ff_logit_out_b"][0, [vocabulary.END, pieces.piece_to_id("▁the")]] = -50, 50
    marian.write_npz(tmp_path / "back.npz", arrays, config.model)
    text = reverse.read_text(encoding="utf-8").partition("[reverse]")[0]
    reverse.write_text(text + '[reverse]\nmodels = ["back.npz"]\ntexts = ["german.txt"]\n', encoding="utf-8")
    assert main(["back-translate", "--config", str(reverse)]) == 0
    rows = [line.split("\t") for line in (config.folder / "back-translated" / "german.tsv").read_text(encoding="utf-8").splitlines()]
    assert [target for _, target in rows] == ["Ein Haus.", "Das rote Auto."] and all("the the" in source for source, _ in rows)


@pytest.mark.parametrize(("settings", "message"), [({"weight": 0.1}, "name some in reverse.models"), ({"tag": "a b"}, "expected one word")])
def test_nonsense_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Reverse(**settings)
