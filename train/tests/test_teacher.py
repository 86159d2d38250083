"""Teachers that are there already."""

import json

import pytest

from wanderwort_train import config as configuration, marian, vocabulary
from wanderwort_train.cli import main


def teaching(prepared, model, **distillation):
    """A second configuration, whose teacher is a model file."""
    text = prepared.read_text(encoding="utf-8").replace('folder = "run"', 'folder = "taught"')
    settings = "\n".join(f"{key} = {json.dumps(value)}" for key, value in ({"beam": 2, "n_best": 2, "lines": 30} | distillation).items())
    path = prepared.with_name("taught.toml")
    path.write_text(f'{text}\n[teacher]\nmodels = ["{model}"]\n[distillation]\n{settings}\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("products", ["float32", "int8"])
def test_a_model_file_teaches(prepared, products, capsys):
    for step in ("student", "export"):
        assert main([step, "--config", str(prepared)]) == 0
    first = configuration.load(prepared)
    arrays = marian.read_npz(first.folder / "export" / "model.npz")[0]
    # After so few updates it says nothing: it gets a word of its own.
    pieces = vocabulary.load(first.data.folder / "vocabulary.spm")
    arrays["decoder_ff_logit_out_b"][0, [vocabulary.END, pieces.piece_to_id("▁the")]] = -50, 50
    model = prepared.with_name("teacher.npz")
    marian.write_npz(model, arrays, first.model)
    second = teaching(prepared, model, decoder="engine", products=products)
    for step in ("teacher", "distil"):
        assert main([step, "--config", str(second)]) == 0
    printed = capsys.readouterr().out
    assert "nothing to train" in printed and "decoding with" in printed
    distilled = configuration.load(second).folder / "distilled"
    taught = marian.read_npz(distilled / "teacher" / "model.npz")[0]
    assert taught.keys() == arrays.keys() and all((taught[name] == arrays[name]).all() for name in arrays)
    rows = [json.loads(line) for line in (distilled / "shards" / "000000000.jsonl").read_text().splitlines()]
    assert len(rows) == 30 and all("the the" in pieces.decode(row["target"]) for row in rows)


def test_what_cannot_teach_is_said(prepared, tmp_path, capsys):
    for step in ("student", "export"):
        assert main([step, "--config", str(prepared)]) == 0
    model = configuration.load(prepared).folder / "export" / "model.npz"
    for change, message in (
        (('folder = "data"', 'folder = "data2"'), "expected the shape (400, 32), found (500, 32)"),
        ((str(model), str(tmp_path / "none.npz")), "none.npz: missing"),
        ((str(model), str(prepared)), "not a NumPy archive"),
    ):
        path = teaching(prepared, model)
        text = path.read_text(encoding="utf-8").replace(*change)
        if "data2" in change[1]:
            text = text.replace("vocabulary_size = 500", "vocabulary_size = 400")
        path.write_text(text, encoding="utf-8")
        if "data2" in change[1]:
            assert main(["prepare", "--config", str(path)]) == 0
        assert main(["distil", "--config", str(path)]) == 1
        assert message in capsys.readouterr().err
