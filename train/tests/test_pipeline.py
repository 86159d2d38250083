"""The whole chain on the sample, by the commands, and its result in the engine."""

import json
import os
import re
import shutil

import numpy
import pytest
import torch
from conftest import HERE

from wanderwort_train import batches, compare, config as configuration, corpus, engine as program, forms
from wanderwort_train import log4, marian, shortlist, teacher, uniform, vocabulary
from wanderwort_train.cli import main
from wanderwort_train.quantization import Quantized, is_quantized
from wanderwort_train.search import Translator, beam

CONFIG = HERE.parent / "configs" / "sample.toml"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The folder of a finished run."""
    runs = tmp_path_factory.mktemp("runs")
    os.environ["WANDERWORT_RUNS"] = str(runs)
    steps = "prepare teacher distil student prune calibrate quantize-tune shortlist export evaluate report"
    for step in steps.split():
        assert main([step, "--config", str(CONFIG)]) == 0, step
    return configuration.load(CONFIG)


def lines():
    """Sources that the engine takes for one sentence each."""
    pairs = corpus.read_parallel([HERE / "data" / "sample.tsv"]) + corpus.read_parallel([HERE / "data" / "sample-dev.tsv"])
    texts = [source for source, _ in pairs if not any(mark in source[:-1] for mark in ".?!")]
    return list(dict.fromkeys(texts))[:200]


def engine(folder, texts, *options):
    """What the engine makes of lines."""
    arguments = [str(program.find()), "translate", "--model", str(folder), "--threads", "1", *options]
    return program.run(arguments, "\n".join(texts) + "\n").splitlines()


def model_folder(config, folder, file, with_shortlist=False):
    folder.mkdir()
    export = config.folder / "export"
    lists = export / shortlist.file_name(config) if with_shortlist else None
    for name in filter(None, [file, "vocab.ende.spm", lists and lists.name]):
        shutil.copy(export / name, folder / name)
    marian.write_decoder(folder / "decoder.yml", file, "vocab.ende.spm", config, lists)
    return folder


def test_the_student_learns(sample):
    """It says by heart much of what its teacher said."""
    rows = (sample.folder / "student" / "curve.jsonl").read_text().splitlines()
    assert len(rows) == 2 and "sample-dev BLEU" in json.loads(rows[0])
    data = batches.Prepared(sample.folder / "distilled")
    assert data.pairs > 500 and len(data.links) > 0
    translator = Translator(sample.model, forms.arrays(sample, "student"), torch.device("cpu"))
    found = translator.translate([data.source(pair) for pair in range(200)])
    right = sum([*words, vocabulary.END] == data.target(pair).tolist() for pair, words in enumerate(found))
    assert right > 20, f"{right} of 200"


def test_losses_tell_what_is_known_by_heart(sample, capsys):
    before = (sample.folder / "student" / "checkpoint.pt").stat().st_mtime_ns
    assert main(["losses", "--config", str(CONFIG)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    losses = {row[0]: float(row[1]) for row in rows if row[0] in ("sample.tsv", "sample-dev")}
    assert 0 < losses["sample.tsv"] < losses["sample-dev"] < 12
    assert (sample.folder / "student" / "checkpoint.pt").stat().st_mtime_ns == before


def test_the_engine_translates_as_pytorch_does(sample, tmp_path):
    texts = lines()
    pieces = vocabulary.load(sample.data.folder / "vocabulary.spm")
    for stage, name in (("student", "model.npz"), ("pruned", "pruned.npz")):
        arrays = forms.arrays(sample, stage)
        translator = Translator(sample.model, arrays, torch.device("cpu"))
        expected = pieces.decode(translator.translate(pieces.encode(texts, add_eos=True)))
        found = engine(model_folder(sample, tmp_path / stage, name), texts, "--float", "--without", "all")
        different = [(a, b) for a, b in zip(expected, found) if a.split() != b.split()]
        assert len(found) == len(texts) == 200 and len(different) <= 2, different[:3]


def test_marian_translates_as_pytorch_does(sample):
    """Greedy, float32, each sentence alone: what is exported is what was trained."""
    pymarian = pytest.importorskip("pymarian")
    texts = lines()
    pieces = vocabulary.load(sample.data.folder / "vocabulary.spm")
    vocabularies = f"-v {sample.data.folder / 'vocabulary.spm'} {sample.data.folder / 'vocabulary.spm'}"
    translator = Translator(sample.model, forms.arrays(sample, "student"), torch.device("cpu"))
    expected = pieces.decode(translator.translate(pieces.encode(texts, add_eos=True)))
    found = pymarian.Translator(
        f"-m {sample.folder / 'export' / 'model.npz'} {vocabularies} --beam-size 1 --normalize 0 --mini-batch 1 "
        "--maxi-batch 1 --max-length-factor 2 --max-length 1000 --cpu-threads 1 --quiet --quiet-translation"
    ).translate(texts)
    same = sum(a.split() == b.split() for a, b in zip(expected, found))
    assert len(found) == 200 and same >= 198, f"{same} of 200"


def test_the_engine_finds_the_beams_of_pytorch(sample):
    """So it does not matter which of the two distils; the teacher has a decoder with self-attention."""
    texts = lines()[:60]
    assert (sample.folder / "distilled" / "teacher" / "model.npz").exists(), "the engine distilled"
    pieces = vocabulary.load(sample.data.folder / "vocabulary.spm")
    expected = beam(teacher.load(sample, torch.device("cpu")), pieces.encode(texts, add_eos=True), 4, 4)
    found = program.candidates(program.find(), sample.folder / "distilled" / "teacher", texts, 4, 4, 1.0, 1)
    ranked = [[(pieces.decode(words).split(), score) for words, score in beams] for beams in expected]
    same = sum(
        all(text.split() == words and abs(score - other) < 1e-3 for (words, other), (text, score) in zip(a, b, strict=True))
        for a, b in zip(ranked, found)
    )
    assert same >= 58, f"{same} of 60"


def test_pruned_heads_are_gone(sample):
    arrays = forms.arrays(sample, "pruned")
    widths = [arrays[f"encoder_l{i}_self_Wq"].shape[1] // 32 for i in (1, 2)]
    assert widths == forms.encoder_heads(sample, "pruned") and sum(widths) == 3 and min(widths) == 1


def test_int8_and_log4_are_the_engines(sample, tmp_path):
    """Emulated integer products lead to the engine's translations; close decisions may fall differently, since the
    float parts between the products round differently, but not many."""
    texts = lines()
    pieces = vocabulary.load(sample.data.folder / "vocabulary.spm")
    quantized = forms.quantized_int8(sample, "int8")
    assert set(quantized.multipliers) == set(quantized.integers)
    expected = pieces.decode(quantized.translator(sample.model, torch.device("cpu")).translate(pieces.encode(texts, add_eos=True)))
    found = engine(model_folder(sample, tmp_path / "int8", "tuned-int8.intgemm.alphas.bin"), texts, "--without", "all")
    same = sum(a.split() == b.split() for a, b in zip(expected, found))
    assert same >= 198, f"{same} of {len(texts)}"


def halved_vectors(arrays):
    """Biases and norms in half precision, as the package holds them."""
    return {
        name: array if is_quantized(name) else array.astype(numpy.float16).astype(numpy.float32) for name, array in arrays.items()
    }


def test_the_package_is_what_was_tuned(sample, tmp_path):
    texts = lines()
    pieces = vocabulary.load(sample.data.folder / "vocabulary.spm")
    log4 = forms.quantized_log4(sample, "log4")
    assert all(set(numpy.unique(numpy.abs(q))) <= {0, 1, 2, 4, 8, 16, 32, 63} for q in log4.integers.values())
    log4.arrays = halved_vectors(log4.arrays)
    expected = pieces.decode(log4.translator(sample.model, torch.device("cpu")).translate(pieces.encode(texts, add_eos=True)))
    assert len(engine(sample.folder / "export" / "sample.wanderwort", texts)) == 200
    # Without a shortlist, which PyTorch does not have.
    path = tmp_path / "sample.wanderwort"
    program.write_package(program.find(), path, sample, log4.dequantized(), log4.multipliers, None)
    found = engine(path, texts, "--without", "all")
    same = sum(a.split() == b.split() for a, b in zip(expected, found))
    assert same >= 198, f"{same} of {len(texts)}"


def test_the_package_is_calibrated_on_the_training_text(sample, tmp_path):
    """Weights that were tuned for the package's levels keep them; others are rounded by what enters their products, unless it is told."""
    text = CONFIG.read_text().replace('name = "sample"', 'name = "sample-calibrated"').replace('"../tests/', f'"{HERE.parent}/tests/')
    sections = {}
    for stage in ("student", "log4"):
        for lines_drawn, rounding in ((0, "auto"), (150, "nearest"), (150, "auto")):
            config = tmp_path / f"{stage}-{lines_drawn}.toml"
            settings = f'\n[package]\nbits = "log4"\nstage = "{stage}"\ncalibration_lines = {lines_drawn}\nrounding = "{rounding}"\n'
            config.write_text(text + settings, encoding="utf-8")
            assert main(["export", "--config", str(config)]) == 0
            described = program.run([str(program.find()), "inspect", str(sample.folder / "export" / "sample-calibrated.wanderwort")])
            rows = [row.split() for row in described.splitlines()]
            # Name and checksum of each matrix.
            sections[stage, lines_drawn, rounding] = {row[2]: row[1] for row in rows if len(row) == 3 and "_W" in row[2] or row[2:] == ["Wemb"]}
    drawn = (sample.folder / "export" / "calibration.txt").read_text(encoding="utf-8").splitlines()
    assert len(drawn) == 150 and all(drawn)
    assert len(sections["student", 0, "auto"]) > 10
    assert sections["log4", 150, "auto"] == sections["log4", 150, "nearest"] == sections["log4", 0, "auto"]
    nearest, compensated = (sections["student", 150, rounding] for rounding in ("nearest", "auto"))
    assert nearest == sections["student", 0, "auto"] and compensated.keys() == nearest.keys()
    assert all(compensated[name] != checksum for name, checksum in nearest.items())


def test_the_package_may_hold_a_mean(sample, tmp_path, capsys):
    """Of a stage of its own and of another model's file."""
    text = CONFIG.read_text().replace('name = "sample"', 'name = "sample-mean"').replace('"../tests/', f'"{HERE.parent}/tests/')
    other, config = tmp_path / "other.npz", tmp_path / "mean.toml"
    tuned, student = forms.arrays(sample, "int8"), forms.arrays(sample, "student")
    marian.write_npz(other, tuned, sample.model)
    settings = '\n[package]\nbits = "int8"\nstage = "mean"\nmean = { stages = ["student"], models = ["other.npz"] }\n'
    config.write_text(text + settings, encoding="utf-8")
    assert main(["export", "--config", str(config)]) == 0
    folder = sample.folder / "export"
    found, _ = marian.read_npz(folder / "mean.npz")
    assert found.keys() == student.keys()
    assert all(numpy.allclose(found[name], (student[name] + tuned[name]) / 2, atol=1e-7) for name in found)
    assert any(not numpy.array_equal(found[name], student[name]) for name in found)
    program.run([str(program.find()), "unpack", str(folder / "sample-mean.wanderwort"), "--to", str(tmp_path / "unpacked")])
    unpacked, _ = marian.read_npz(tmp_path / "unpacked" / "model.npz")
    error = numpy.abs(unpacked["Wemb"] - found["Wemb"]).max() / numpy.abs(found["Wemb"]).max()
    assert error < 1 / 127

    narrow = sample.model.model_copy(update={"feed_forward": 64})
    marian.write_npz(other, student, narrow)
    assert main(["export", "--config", str(config)]) == 1
    assert "feed_forward=64" in capsys.readouterr().err
    config.write_text(text + '\n[package]\nstage = "mean"\n', encoding="utf-8")
    assert main(["export", "--config", str(config)]) == 1
    assert "go together" in capsys.readouterr().err


def test_the_package_says_how_to_search(sample, tmp_path):
    settings = sample.package.model_copy(update={"beam_size": 3, "beam_threshold": 1.5, "beam_recombination": 2})
    config, path = sample.model_copy(update={"package": settings}), tmp_path / "wide.wanderwort"
    program.write_package(program.find(), path, config, forms.arrays(sample, "student"), {}, None)
    described = program.run([str(program.find()), "inspect", "--options", str(path)])
    assert "3 hypotheses" in described and "e^1.5" in described and "same 2 words" in described
    texts = lines()
    stated, greedy = engine(path, texts, "--lines-as-sentences"), program.translate(program.find(), path, texts, 1)
    assert stated == engine(path, texts, "--lines-as-sentences", "--beam", "3", "--beam-threshold", "1.5", "--beam-recombination", "2")
    assert stated != greedy


def test_the_package_is_written_as_configured(sample, tmp_path, capsys):
    """Other bits, and the weights of another stage: the pruned student tuned for equal steps."""
    bits = "uniform+step=0.2,Wemb=uniform+step=0.1,ffn_W1=int8"
    text = CONFIG.read_text() + f'\n[package]\nbits = "{bits}"\n[quantization]\nkinds = ["uniform"]\nbase = "pruned"\n'
    text += "[quantization.uniform]\nupdates = 80\nbatch_tokens = 600\nsmoothing = 0.05\n"
    # Another name, so that the sample's own package stays, and paths that do not count from the configuration's folder.
    text = text.replace('name = "sample"', 'name = "sample-pruned"').replace('"../tests/', f'"{HERE.parent}/tests/')
    config = tmp_path / "pruned.toml"
    config.write_text(text, encoding="utf-8")
    for step in ("quantize-tune", "export"):
        assert main([step, "--config", str(config)]) == 0
    path = sample.folder / "export" / "sample-pruned.wanderwort"
    described = program.run([str(program.find()), "inspect", str(path)])
    rows = [row.split() for row in described.splitlines() if row.split()[:1] == ["encoder_l2_self_Wq"]]
    widths = forms.encoder_heads(sample, "pruned")
    assert [row[3:5] for row in rows if "×" in row] == [[str(32 * widths[1]), "int8"]], described
    pieces = vocabulary.load(sample.data.folder / "vocabulary.spm")
    texts = lines()
    tuned = forms.arrays(configuration.load(config), "uniform")
    quantized = Quantized.uniform(halved_vectors(tuned), {}, uniform.Steps(bits))
    translator = quantized.translator(sample.model, torch.device("cpu"))
    expected = pieces.decode(translator.translate(pieces.encode(texts, add_eos=True)))
    # Without the shortlist and the scales, which the student was measured for.
    found = engine(path, texts, "--no-shortlist", "--scales", "ignored", "--without", "all")
    same = sum(a.split() == b.split() for a, b in zip(expected, found))
    assert same >= 198, f"{same} of {len(texts)}"
    assert len(program.translate(program.find(), path, texts, 1)) == len(texts)

    # What was tuned is not taken for another student's, and left alone by a configuration that does not ask for it.
    tuned = sample.folder / "export" / "tuned-uniform.npz"
    tuned.unlink()
    of_student = text.replace('base = "pruned"', 'base = "student"')
    config.write_text(of_student, encoding="utf-8")
    assert main(["export", "--config", str(config)]) == 1
    assert "another network" in capsys.readouterr().err
    config.write_text(of_student.replace('kinds = ["uniform"]', 'kinds = ["int8"]'), encoding="utf-8")
    assert main(["export", "--config", str(config)]) == 0
    assert not tuned.exists() and (sample.folder / "export" / "tuned-int8.npz").exists()


def test_weights_from_elsewhere_are_tuned(sample, tmp_path, capsys):
    """A mean of students has no stage of its own: `start` names it."""
    student = forms.arrays(sample, "student")
    mean = {name: array * numpy.float32(0.5) if name == "Wemb" else array for name, array in student.items()}
    marian.write_npz(tmp_path / "mean.npz", mean, sample.model)
    text = CONFIG.read_text().replace('"../tests/', f'"{HERE.parent}/tests/').replace("seed = 1\n", f'seed = 1\nstart = "{tmp_path}/mean.npz"\n')
    text = text.replace('folder = "${WANDERWORT_RUNS:-../runs}/sample"', f'folder = "{tmp_path}/run"')
    text += '\n[package]\nbits = "uniform+step=0.2"\n[quantization]\nkinds = ["uniform"]\nbase = "start"\n'
    text += "[quantization.uniform]\nupdates = 1\nlearning_rate = 1e-6\nwarmup = 1\nbatch_tokens = 600\n"
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    assert main(["quantize-tune", "--config", str(config)]) == 0
    tuned = forms.arrays(configuration.load(config), "uniform")
    assert tuned.keys() == mean.keys()
    assert all(numpy.abs(tuned[name] - mean[name]).max() < 1e-5 for name in mean)
    config.write_text(text.replace("start = ", "# start = ", 1), encoding="utf-8")
    assert main(["quantize-tune", "--config", str(config)]) == 1
    assert "name the weights to begin with" in capsys.readouterr().err


def test_tuning_begins_with_levels_that_are_given(sample, tmp_path, capsys):
    """Those of weights that the engine rounded by what enters their products; other shapes are refused."""
    student = forms.arrays(sample, "student")
    own = {name: log4.quantize(name, array, "matrix") for name, array in student.items() if is_quantized(name)}
    # Every fifth level is the one below the nearest.
    levels = {name: found.copy() for name, (found, _) in own.items()}
    for found in levels.values():
        index = numpy.searchsorted(log4.MAGNITUDES, numpy.abs(found.flat[::5]))
        found.flat[::5] = numpy.sign(found.flat[::5]) * log4.MAGNITUDES[(index - 1).clip(0)]
    rounded = student | {name: found * own[name][1] for name, found in levels.items()}
    marian.write_npz(tmp_path / "rounded.npz", rounded, sample.model)
    marian.write_npz(tmp_path / "start.npz", student, sample.model)
    text = CONFIG.read_text().replace('"../tests/', f'"{HERE.parent}/tests/').replace("seed = 1\n", f'seed = 1\nstart = "{tmp_path}/start.npz"\n')
    text = text.replace('folder = "${WANDERWORT_RUNS:-../runs}/sample"', f'folder = "{tmp_path}/run"')
    text = re.sub(r"(?s)\[quantization\.log4\].*?(\n\[|$)", r"\1", text)
    text += f'\n[quantization]\nkinds = ["log4"]\nbase = "start"\nrounded = "{tmp_path}/rounded.npz"\n'
    text += "[quantization.log4]\nupdates = 1\nlearning_rate = 1e-6\nwarmup = 1\nbatch_tokens = 600\n"
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    assert main(["quantize-tune", "--config", str(config)]) == 0
    tuned = forms.quantized_log4(configuration.load(config), "log4")
    for name, expected in levels.items():
        same = numpy.mean(tuned.integers[name] == expected)
        assert same > 0.99 and numpy.mean(own[name][0] == expected) < 0.9, name

    narrow = {name: array[:, :8] if name.endswith("ffn_W1") else array for name, array in rounded.items()}
    marian.write_npz(tmp_path / "rounded.npz", narrow, sample.model)
    (tmp_path / "run").rename(tmp_path / "before")
    assert main(["quantize-tune", "--config", str(config)]) == 1
    assert "of what is tuned, found" in capsys.readouterr().err


def candidates(config, file, source):
    """Which pieces the engine may say for a source: its first 512, the source's own, and what a shortlist's file lists."""
    allowed = set(range(512)) | set(source)
    if not config.shortlist.phrases:
        data = file.read_bytes()
        offsets = numpy.frombuffer(data, "<u8", numpy.frombuffer(data, "<u8", 6)[4], 48)
        targets = numpy.frombuffer(data, "<u4", offsets[-1], 48 + offsets.nbytes)
        return allowed.union(*(targets[offsets[piece] : offsets[piece + 1]].tolist() for piece in source))
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    lists = dict(row.split("\t") for row in file.read_text(encoding="utf-8").splitlines())
    names = [pieces.id_to_piece(piece) for piece in source]
    for length in (1, 2, 3):
        for start in range(len(names)):
            found = lists.get(" ".join(names[start : start + length]), "").split()
            allowed.update(pieces.piece_to_id(name) for name in found)
    return allowed


@pytest.mark.parametrize("kind", [{}, {"covering_share": 0.02, "covering_least": 2}, {"phrases": True}])
def test_the_engine_chooses_from_the_shortlist(sample, tmp_path, kind):
    """The same as PyTorch does when it may say nothing else, which differs from what it says freely."""
    texts = lines()
    pieces = vocabulary.load(sample.data.folder / "vocabulary.spm")
    settings = sample.shortlist.model_copy(update={"best": 20, "first": 20} | kind)
    config = sample.model_copy(update={"shortlist": settings})
    shortlist.run(config)
    found = engine(model_folder(config, tmp_path / "short", "model.npz", with_shortlist=True), texts, "--float", "--without", "all")
    translator = Translator(sample.model, forms.arrays(sample, "student"), torch.device("cpu"))
    sources = pieces.encode(texts, add_eos=True)
    allowed = [candidates(config, sample.folder / "export" / shortlist.file_name(config), source) for source in sources]
    expected = pieces.decode(translator.greedy(sources, candidates=allowed))
    same = sum(a.split() == b.split() for a, b in zip(expected, found))
    free = sum(a.split() == b.split() for a, b in zip(pieces.decode(translator.greedy(sources)), found))
    assert len(found) == 200 and same >= 198 > free, f"{same} of 200, freely {free}"


def test_the_report_is_there(sample):
    text = (sample.folder / "report" / "report.md").read_text(encoding="utf-8")
    assert all(f"| {stage} |" in text for stage in ("teacher", "student", "pruned", "int8", "log4"))
    assert (sample.folder / "report" / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_kinds_of_shortlist_are_compared(sample, monkeypatch, capsys):
    kinds = {kind: compare.KINDS[kind] for kind in ("none", "lexical 50/20", "phrases 50/10 + 5", "covering 50/0.0005")}
    monkeypatch.setattr(compare, "KINDS", kinds)
    assert main(["compare-shortlists", "--config", str(CONFIG)]) == 0
    rows = [line.strip("| ").split(" | ") for line in (sample.folder / "shortlists.md").read_text().splitlines()[2:]]
    assert [row[0] for row in rows] == list(kinds)
    whole, lexical, phrases, covering = ([float(cell.strip("%").replace(",", "")) for cell in row[1:]] for row in rows)
    assert whole[0] == 0 and whole[1] == 700 and whole[2] == 100
    assert 0 < lexical[0] and 50 < lexical[1] < 700 and 50 < lexical[2] < 100
    assert 0 < phrases[0] and 50 < phrases[1] < 700 and 50 < phrases[2] < 100
    assert 0 < covering[0] and 50 < covering[1] < lexical[1] and 50 < covering[2] < 100
    assert all(row[-1] > 0 for row in (whole, lexical, phrases, covering))


def test_scores_cover_every_form(sample):
    scores = json.loads((sample.folder / "scores.json").read_text())
    in_pytorch = ["float32", "int8", "int8 tuned", "log-4-bit", "log-4-bit tuned", "pruned, float32"]
    assert list(scores) == [*in_pytorch, "package (log4), engine"]
    assert all(set(found) == {"sample-dev"} for found in scores.values())


def test_a_finished_step_has_nothing_left_to_do(sample, capsys):
    for step in ("prepare", "distil", "student", "quantize-tune"):
        assert main([step, "--config", str(CONFIG)]) == 0
    assert "tokens/s" not in capsys.readouterr().out
