"""Options of training: batches that make one update together, bounds of weights and activations, which weights are the result."""

import json
from types import SimpleNamespace

import numpy
import pytest
import torch

from wanderwort_train import calibrate, config as configuration, forms, selection
from wanderwort_train.batches import pack
from wanderwort_train.cli import main
from wanderwort_train.config import Training
from wanderwort_train.errors import TrainingError
from wanderwort_train.training import Trainer
from wanderwort_train.weights import is_matrix


def changed(prepared, **settings):
    """The configuration with other settings of its training, which is the last table of the file."""
    kept = [line for line in prepared.read_text(encoding="utf-8").splitlines() if line.split(" = ")[0] not in settings]
    kept += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    prepared.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return configuration.load(prepared)


def trainer(config, folder):
    return Trainer(config, config.model, config.training, folder, torch.device("cpu"))


def test_gradients_of_several_batches_are_those_of_one(prepared, tmp_path):
    config = changed(prepared, dropout=0.0, precision="float32", guided_alignment=0.3, batch_tokens=150)
    one = trainer(config, tmp_path / "one")
    sides = [one.data.source(i) for i in range(9)], [one.data.target(i) for i in range(9)], [one.data.alignment(i) for i in range(9)]
    whole = one.prepare(pack(*sides), (0, 0))
    one.loss(whole)[0].backward()
    expected = one.weights.gradient.clone()
    one.weights.gradient.zero_()
    parts = [one.prepare(pack(*(side[part] for side in sides)), (0, 0)) for part in (slice(0, 2), slice(2, 9))]
    for part in parts:
        one.loss(part, len(whole[0].target_ids))[0].backward()
    assert torch.allclose(one.weights.gradient, expected, atol=1e-6) and expected.norm() > 0.01


def test_batches_are_counted_by_update(prepared):
    config = changed(prepared, updates=6, accumulate=3, accumulate_from=5, batch_tokens=60)
    run = trainer(config, config.folder / "student")
    assert [run._batches_of(update) for update in range(1, 7)] == [1, 1, 1, 1, 3, 3]
    run.run()
    assert run.optimizer.update == 6 and run.position == (0, 10)


@pytest.mark.parametrize("kernels", ["auto", "plain"])
def test_weights_and_activations_stay_in_bounds(prepared, tmp_path, kernels):
    config = changed(prepared, clip_weights=0.1, clip_activations=0.5, kernels=kernels)
    bounded = trainer(config, tmp_path / "bounded")
    seen = []
    linear = bounded.operators.linear
    bounded.operators.linear = lambda x, *rest: (seen.append(float(x.detach().abs().max())), linear(x, *rest))[1]
    bounded.run()
    found = bounded.result()
    largest = {name: float(numpy.abs(array).max()) for name, array in found.items()}
    assert all(value <= 0.100001 for name, value in largest.items() if is_matrix(name)) and max(largest.values()) > 0.5
    assert 0 < max(seen) <= 0.5
    free = trainer(changed(prepared, clip_weights=0.0, clip_activations=0.0, kernels=kernels), tmp_path / "free")
    free.run()
    assert max(float(numpy.abs(array).max()) for name, array in free.result().items() if is_matrix(name)) > 0.2


def test_calibration_knows_where_activations_were_cut_off(prepared, monkeypatch):
    config = changed(prepared, clip_activations=2.0)
    assert main(["student", "--config", str(prepared)]) == 0
    monkeypatch.setattr(calibrate, "DEFINITIONS", {})
    calibrate.run(config)
    multipliers = forms.multipliers(config)
    assert len(multipliers) > 5 and set(multipliers.values()) == {63.5}


def test_the_best_by_each_criterion():
    for criterion, best in (("loss", 20), ("BLEU", 10)):
        found = selection.Best(Training(criterion=criterion))
        for update, loss, bleu in ((10, 3.0, 12.0), (20, 2.5, 11.0), (30, 2.8, 11.5)):
            found.take(update, loss, bleu)
        assert found.state["update"] == best
    # Checkpoints of before there was a choice.
    assert not selection.Best(Training(), {"loss": 2.0, "update": 5}).take(6, 2.1, 9.0)


def test_what_is_kept_and_averaged(tmp_path):
    values = {10: 12.0, 20: 14.0, 30: 13.0, 40: 10.0}
    for settings, expected, left in (
        ({"result": "best", "criterion": "BLEU"}, 20.0, [20]),
        ({"result": "mean", "mean_of": 2}, 35.0, [30, 40]),
    ):
        training, folder = Training(**settings), tmp_path / settings["result"]
        folder.mkdir()
        best = selection.Best(training)
        for update, bleu in values.items():
            best.take(update, 1.0, bleu)
            selection.keep(folder, training, update, best, "network", torch.full((3,), float(update)))
        weights, updates = selection.result(folder, training, "network")
        assert weights.tolist() == [expected] * 3 and updates == left and len(list(folder.glob("measured-*.pt"))) == len(left)
        with pytest.raises(TrainingError, match="another network"):
            selection.result(folder, training, "other")
    assert selection.result(tmp_path, Training(), "network") is None
    with pytest.raises(TrainingError, match="holds no weights"):
        selection.result(tmp_path, Training(result="best"), "network")


def test_the_result_of_a_run_is_the_chosen_one(prepared):
    config = changed(prepared, updates=6, evaluate_every=2, result="mean", mean_of=2)
    run = trainer(config, config.folder / "student")
    kept = []
    run.measured = lambda: kept.append(run._found().clone())
    run.run()
    assert len(kept) == 3 and not torch.equal(kept[1], kept[2])
    found = torch.from_numpy(forms.arrays(config, "student")["Wemb"]).flatten()
    size = len(found)
    assert torch.allclose(found, ((kept[1] + kept[2]) / 2)[:size], atol=1e-7)


def test_patience_on_bleu(prepared, monkeypatch, capsys):
    """Losses fall all the time; BLEU does not rise after the second measurement."""
    config = changed(prepared, updates=40, evaluate_every=2, criterion="BLEU", patience=2, result="best", learning_rate=1e-4)
    scores = iter([5.0, 6.0, 6.0, 4.0, 9.0])
    monkeypatch.setattr("sacrebleu.corpus_bleu", lambda *_: SimpleNamespace(score=next(scores)))
    run = trainer(config, config.folder / "student")
    run.run()
    assert run.optimizer.update == 8 and run.best.state["update"] == 4
    assert "BLEU does not improve any more" in capsys.readouterr().out
    # The same command does not train on from the result.
    again = trainer(config, config.folder / "student")
    again.run()
    assert again.optimizer.update == 8 and torch.equal(again._found(), run._found())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"result": "best", "cooldown": 0.5, "cycles": [10]}, "cycles and start_share"),
        ({"result": "mean", "mean_of": 1}, "greater than or equal to 2"),
        ({"accumulate": 0}, "greater than or equal to 1"),
        ({"accumulate_from": 5}, "nothing to begin"),
        ({"clip_weights": -1}, "greater than or equal to 0"),
        ({"criterion": "chrF"}, "'loss' or 'BLEU'"),
    ],
)
def test_nonsense_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Training(**settings)


def test_without_development_sets_nothing_measures(prepared, capsys):
    changed(prepared, result="best")
    text = prepared.read_text(encoding="utf-8").replace('[data.development]\ndev = "dev.tsv"\n', "")
    prepared.write_text(text, encoding="utf-8")
    assert main(["student", "--config", str(prepared)]) == 1
    assert "data.development names none" in capsys.readouterr().err
