"""A run on another machine: what travels there is the text and the weights, what comes back is the student."""

import json
import shutil

import numpy
import pytest
from conftest import copy_data

from wanderwort_train import accelerator, batches, config as configuration, marian, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.errors import TrainingError
from wanderwort_train.weights import shapes


@pytest.fixture(params=["one vocabulary", "one for each side"])
def started(request, tmp_path):
    """A configuration that goes on from weights, on two corpora of different weights."""
    prepared = copy_data(tmp_path)
    if request.param == "one for each side":
        text = prepared.read_text(encoding="utf-8").replace("vocabulary_size = 500\n", "vocabulary_size = 450\ntarget_vocabulary_size = 400\n")
        prepared.write_text(text.replace("[model]\n", '[model]\nembeddings = "target"\n'), encoding="utf-8")
    assert main(["prepare", "--config", str(prepared)]) == 0
    rng = numpy.random.default_rng(3)
    loaded = configuration.load(prepared)
    arrays = {name: rng.normal(0, 0.2, shape) for name, shape in shapes(loaded.model, vocabulary.of(loaded.data.folder).sizes).items()}
    marian.write_npz(prepared.parent / "start.npz", arrays, loaded.model)
    lines = (prepared.parent / "pairs.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (prepared.parent / "pairs.tsv").write_text("".join(lines[:120]), encoding="utf-8")
    (prepared.parent / "others.tsv").write_text("".join(lines[120:]), encoding="utf-8")
    text = prepared.read_text(encoding="utf-8").replace('folder = "run"', 'folder = "run"\nstart = "start.npz"')
    text = text.replace('path = "pairs.tsv"', 'path = "pairs.tsv"\nweight = 0.5\nsplit_pieces = 0.2\n[[data.corpora]]\npath = "others.tsv"\nweight = 2.0\nfalling_weight = 1.0')
    prepared.write_text(text.replace("warmup = 4", 'warmup = 2\nschedule = "constant"\ncooldown = 0.5'), encoding="utf-8")
    assert main(["prepare", "--config", str(prepared)]) == 0
    return prepared


def pack(config, **settings) -> configuration.Config:
    text = config.read_text(encoding="utf-8").partition("[accelerator]")[0]
    config.write_text(text + "[accelerator]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()), encoding="utf-8")
    assert main(["pack-run", "--config", str(config)]) == 0
    return configuration.load(config)


def test_a_pack_holds_what_was_prepared(started, tmp_path):
    here = pack(started, minutes=3)
    there = accelerator._unpacked(accelerator.folder(here) / "run.zip", tmp_path / "there")
    found, wanted = batches.Prepared(there.data.folder), batches.Prepared(here.data.folder)
    for name in ("source_tokens", "target_tokens", "source_offsets", "target_offsets", "links", "link_offsets", "corpora"):
        assert numpy.array_equal(getattr(found, name), getattr(wanted, name)), name
    assert vocabulary.of(there.data.folder).sizes == vocabulary.of(here.data.folder).sizes
    for name in (vocabulary.FILE, vocabulary.TARGET_FILE):
        files = [config.data.folder / name for config in (here, there)]
        assert [file.exists() and file.read_bytes() for file in files] == [files[0].exists() and files[0].read_bytes()] * 2
    assert there.model == here.model and there.training.minutes == 3 and there.training.learning_rate == here.training.learning_rate
    assert [item.split_pieces for item in there.data.corpora] == [0.2, 0.0]
    weights = [item.weight for item in there.data.corpora]
    assert weights[1] / weights[0] == pytest.approx(4) and there.data.corpora[1].falling_weight == pytest.approx(weights[1] / 2)
    start, _ = marian.read_npz(there.start)
    for name, array in marian.read_npz(here.start)[0].items():
        numpy.testing.assert_allclose(start[name], array, rtol=1e-3, atol=1e-7)


def test_a_pack_is_as_large_as_it_may_be(started, tmp_path):
    """Of the corpora it has as much as their weights ask for, and it learns from each as often as from the whole text."""
    whole = (accelerator.folder(pack(started)) / "run.zip").stat().st_size
    here = pack(started, megabytes=round((whole - 4000) / 1e6, 6))
    size = (accelerator.folder(here) / "run.zip").stat().st_size
    assert 0.95 * (whole - 4000) < size <= whole - 4000
    there = accelerator._unpacked(accelerator.folder(here) / "run.zip", tmp_path / "there")
    found, wanted = batches.Prepared(there.data.folder), batches.Prepared(here.data.folder)
    assert found.pairs < wanted.pairs

    def learnt(data, corpora):
        amounts = numpy.bincount(data.corpora, minlength=2) * [item.weight for item in corpora]
        return amounts / amounts.sum()

    numpy.testing.assert_allclose(learnt(found, there.data.corpora), learnt(wanted, here.data.corpora))
    kept = numpy.bincount(found.corpora) / numpy.bincount(wanted.corpora)
    assert kept[1] > kept[0]


def test_weights_come_back(started, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(accelerator, "PART", 20_000)
    here = pack(started, minutes=60)
    source, out, work = accelerator.folder(here) / "run.zip", tmp_path / "out", tmp_path / "work"
    command = ["run", "--pack", str(source), "--out", str(out), "--work", str(work)]
    assert main([*command, "--minutes", "0.03"]) == 0
    about = json.loads((out / "weights.json").read_text())
    assert about["update"] > 0 and about["parts"] == len(list(out.glob("*.npy"))) > 1
    assert (out / "curve.jsonl").read_text().count("\n") == 1
    # Its time is over: a second start trains no further, but gives what there is.
    shutil.rmtree(out)
    assert main([*command, "--minutes", "0.03"]) == 0
    assert json.loads((out / "weights.json").read_text()) == about
    for file in out.iterdir():
        shutil.copy(file, accelerator.folder(here))
    assert main(["join-run", "--config", str(started)]) == 0
    arrays, _ = marian.read_npz(accelerator.folder(here) / "model.npz")
    start, _ = marian.read_npz(here.start)
    assert list(arrays) == list(start) and not any(numpy.allclose(arrays[name], start[name], atol=1e-6) for name in start if "_W" in name)
    capsys.readouterr()
    (accelerator.folder(here) / "weights-2.npy").write_bytes((accelerator.folder(here) / "weights-1.npy").read_bytes())
    assert main(["join-run", "--config", str(started)]) == 1
    assert "checksum that weights.json names" in capsys.readouterr().err


def test_wrong_packs_are_refused(started, tmp_path, capsys):
    here = pack(started)
    source = accelerator.folder(here) / "run.zip"
    accelerator._unpacked(source, tmp_path / "work")
    pack(started, minutes=2)
    with pytest.raises(TrainingError, match="is of another pack"):
        accelerator._unpacked(source, tmp_path / "work")
    source.write_bytes(source.read_bytes()[:-200])
    assert main(["run", "--pack", str(source), "--out", str(tmp_path / "out")]) == 1
    assert "not a pack of `pack-run`, or damaged" in capsys.readouterr().err
    text = started.read_text(encoding="utf-8").partition("[accelerator]")[0]
    started.write_text(text + "[accelerator]\nmegabytes = 0.01\n", encoding="utf-8")
    assert main(["pack-run", "--config", str(started)]) == 1
    assert "are taken without any text" in capsys.readouterr().err
