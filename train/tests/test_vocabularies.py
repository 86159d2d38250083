"""A vocabulary for each side: from text to a package."""

import numpy
import pytest
import torch
from conftest import copy_data

from wanderwort_train import batches, config as configuration, engine, export, forms, marian, shortlist, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.config import Model
from wanderwort_train.errors import TrainingError
from wanderwort_train.search import Translator
from wanderwort_train.weights import shapes, word_counts


def separate(folder, embeddings="target", more=""):
    path = copy_data(folder)
    text = path.read_text(encoding="utf-8")
    text = text.replace("vocabulary_size = 500\n", "vocabulary_size = 450\ntarget_vocabulary_size = 400\n")
    path.write_text(text.replace("[model]\n", f'[model]\nembeddings = "{embeddings}"\n') + more, encoding="utf-8")
    return path


def run(path, *steps):
    for step in steps:
        assert main([step, "--config", str(path)]) == 0, step


def test_each_side_has_its_own(tmp_path, capsys):
    more = '[package]\nbits = "int8"\n[teacher]\n[teacher.model]\ndimension = 32\nfeed_forward = 64\nheads = 2\nencoder_layers = 1\ndecoder_layers = 1\n'
    more += 'embeddings = "none"\n[teacher.training]\nupdates = 4\nbatch_tokens = 200\nevaluate_every = 4\nevaluate_lines = 5\nguided_alignment = 0.0\n'
    more += "[distillation]\nbeam = 2\nn_best = 2\ndrop_repeats = true\n"
    path = separate(tmp_path, more=more)
    run(path, "prepare", "teacher", "distil", "student", "shortlist", "export", "evaluate", "losses", "compare-shortlists")
    config = configuration.load(path)
    own = vocabulary.of(config.data.folder)
    assert own.sizes == (450, 400) and own.reversed_sizes == (400, 450)
    data = batches.Prepared(config.data.folder)
    assert data.source_tokens.max() >= 400 > data.target_tokens.max()
    # Each was trained on its own side.
    text = (tmp_path / "data" / "text.tsv").read_text(encoding="utf-8").splitlines()[3].split("\t")
    assert len(own.source.encode(text[1])) < len(own.target.encode(text[1])) and len(own.target.encode(text[2])) < len(own.source.encode(text[2]))

    folder = config.folder / "export"
    assert {file.name for file in folder.glob("*.spm")} == {"srcvocab.ende.spm", "trgvocab.ende.spm"}
    arrays, options = marian.read_npz(folder / "model.npz")
    assert word_counts(arrays) == (450, 400) and options["dim-vocabs"] == [450, 400]
    assert marian.model(folder, options) == config.model

    lines = [line.split("\t")[0] for line in (tmp_path / "dev.tsv").read_text(encoding="utf-8").splitlines()[:20]]
    loaded = tmp_path / "loaded"
    engine.write_model(loaded, config, config.model, forms.arrays(config, "student"))
    arguments = [str(engine.find()), "translate", "--model", str(loaded), "--without", "all", "--beam", "1", "--lines-as-sentences", "--float"]
    found = engine.run([*arguments, "--threads", "1"], "".join(f"{line}\n" for line in lines)).splitlines()
    translator = Translator(config.model, forms.arrays(config, "student"), torch.device("cpu"))
    expected = own.target.decode(translator.translate(own.source.encode(lines, add_eos=True)))
    assert sum(a.split() == b.split() for a, b in zip(expected, found, strict=True)) >= 19
    # The package has both, and the shortlist between them.
    assert len(engine.translate(engine.find(), export.package(config), lines, 1)) == 20
    assert "shortlist" in engine.run([str(engine.find()), "inspect", str(export.package(config))])


def test_a_piece_is_no_piece_of_the_other_side(tmp_path):
    """Of a joint vocabulary a source piece may be copied; here the same number is another piece."""
    path = separate(tmp_path)
    run(path, "prepare")
    data = batches.Prepared(tmp_path / "data")
    source, target, _ = shortlist.lexicon(data, (450, 400))
    lists = shortlist.best_targets(source, target, (450, 400), 20)
    assert len(lists) == 450 and max(ids.max() for ids in lists if len(ids)) < 400
    unseen = numpy.setdiff1d(numpy.arange(450), source)
    assert len(unseen) and all(len(lists[piece]) == 0 for piece in unseen)
    covering = shortlist.covering_targets(data, (450, 400), first=20, share=0.01, least=2)
    assert len(covering) == 450 and any(piece in ids for piece, ids in enumerate(covering)) == any(
        (source == target) & (source >= 20) & numpy.isin(source, [piece for piece, ids in enumerate(covering) if piece in ids])
    )


def test_one_again_leaves_none_of_the_other(tmp_path):
    path = separate(tmp_path)
    run(path, "prepare")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("target_vocabulary_size = 400\n", "").replace('embeddings = "target"\n', ""), encoding="utf-8")
    run(path, "prepare")
    assert vocabulary.of(tmp_path / "data").sizes == 450


def test_two_that_are_there_are_used(tmp_path):
    path = separate(tmp_path)
    run(path, "prepare")
    for name in (vocabulary.FILE, vocabulary.TARGET_FILE):
        (tmp_path / f"own.{name}").write_bytes((tmp_path / "data" / name).read_bytes())
    text = path.read_text(encoding="utf-8").replace('folder = "data"', 'folder = "again"')
    text = text.replace("[[data.corpora]]", 'vocabulary = "own.vocabulary.spm"\ntarget_vocabulary = "own.target.spm"\n[[data.corpora]]')
    path.write_text(text, encoding="utf-8")
    run(path, "prepare")
    for name in (vocabulary.FILE, vocabulary.TARGET_FILE):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "data" / name).read_bytes()


def test_nonsense_is_refused(tmp_path):
    for embeddings in ("all", "source"):
        with pytest.raises(TrainingError, match="needs one vocabulary"):
            configuration.load(separate(tmp_path, embeddings))
        with pytest.raises(TrainingError, match="vocabularies of their own"):
            shapes(Model(embeddings=embeddings), (450, 400))
    path = separate(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("target_vocabulary_size = 400", 'target_vocabulary = "x.spm"'), encoding="utf-8")
    with pytest.raises(TrainingError, match="target_vocabulary_size"):
        configuration.load(path)
