"""Bad input gives a message that names the file, the place and the fault."""

import pytest
from conftest import copy_data

from wanderwort_train.cli import main


def fails(capsys, config, *parts, step="prepare"):
    assert main([step, "--config", str(config)]) == 1
    message = capsys.readouterr().err
    for part in parts:
        assert part in message, message
    assert "Traceback" not in message


def test_missing_configuration(tmp_path, capsys):
    fails(capsys, tmp_path / "none.toml", "no such configuration file")


def test_unknown_and_wrong_keys(tmp_path, capsys):
    config = copy_data(tmp_path)
    text = config.read_text()
    config.write_text(text.replace("heads = 2", 'heads = "two"').replace("warmup = 4", "warmups = 4"))
    fails(capsys, config, "model.heads", "training.warmups", "2 wrong entries")


def test_missing_environment_variable(tmp_path, capsys, monkeypatch):
    config = copy_data(tmp_path)
    monkeypatch.delenv("NO_SUCH_CORPUS", raising=False)
    config.write_text(config.read_text().replace('"pairs.tsv"', '"${NO_SUCH_CORPUS}/pairs.tsv"'))
    fails(capsys, config, "NO_SUCH_CORPUS", "is not set")


def test_missing_corpus(tmp_path, capsys):
    config = copy_data(tmp_path)
    (tmp_path / "pairs.tsv").unlink()
    fails(capsys, config, "pairs.tsv", "no such file")


def test_wrong_encoding(tmp_path, capsys):
    config = copy_data(tmp_path)
    with open(tmp_path / "pairs.tsv", "ab") as file:
        file.write("Good day.\tGrüß Gott.\n".encode("latin-1"))
    fails(capsys, config, "pairs.tsv, line 201", "not UTF-8")


@pytest.mark.parametrize("line", ["no tab at all", "one\ttwo\tthree"])
def test_wrong_number_of_tabs(tmp_path, capsys, line):
    config = copy_data(tmp_path)
    with open(tmp_path / "pairs.tsv", "a") as file:
        file.write(line + "\n")
    fails(capsys, config, "pairs.tsv, line 201", "one tab")


def test_unequal_line_counts(tmp_path, capsys):
    config = copy_data(tmp_path)
    (tmp_path / "dev.en").write_text("One.\nTwo.\n")
    (tmp_path / "dev.de").write_text("Eins.\n")
    config.write_text(config.read_text().replace('dev = "dev.tsv"', 'dev = ["dev.en", "dev.de"]'))
    fails(capsys, config, "has 2 lines", "has 1")


def test_damaged_archive(tmp_path, capsys):
    config = copy_data(tmp_path)
    (tmp_path / "pairs.tsv.xz").write_bytes(b"\xfd7zXZ\x00 this is no archive")
    config.write_text(config.read_text().replace('"pairs.tsv"', '"pairs.tsv.xz"'))
    fails(capsys, config, "pairs.tsv.xz", "damaged archive")


def test_vocabulary_too_large_for_the_text(tmp_path, capsys):
    config = copy_data(tmp_path, lines=20)
    config.write_text(config.read_text().replace("vocabulary_size = 500", "vocabulary_size = 30000"))
    fails(capsys, config, "30000 pieces")


def test_steps_out_of_order(tmp_path, capsys):
    config = copy_data(tmp_path)
    fails(capsys, config, "run the step `prepare` first", step="student")
    assert main(["prepare", "--config", str(config)]) == 0
    fails(capsys, config, "run the step `student` first", step="export")


def test_held_out_pairs_and_duplicates_are_dropped(tmp_path, capsys):
    config = copy_data(tmp_path)
    held_out = (tmp_path / "dev.tsv").read_text(encoding="utf-8").splitlines()[0]
    first = (tmp_path / "pairs.tsv").read_text(encoding="utf-8").splitlines()[0]
    with open(tmp_path / "pairs.tsv", "a", encoding="utf-8") as file:
        file.write(held_out.upper() + "!\n" + first.lower() + "\n")
    assert main(["prepare", "--config", str(config)]) == 0
    assert "1 duplicate, 1 in a development or test set" in capsys.readouterr().out
    kept = (tmp_path / "data" / "text.tsv").read_text(encoding="utf-8")
    assert held_out.split("\t")[0].upper() not in kept


def test_labels_that_repeat_entries_with_capitals_are_kept_where_case_counts(tmp_path, capsys):
    config = copy_data(tmp_path)
    first = (tmp_path / "pairs.tsv").read_text(encoding="utf-8").splitlines()[0]
    labels = "\n".join([first.upper(), first.upper(), first]) + "\n"
    for name in ("once.tsv", "labels.tsv"):
        (tmp_path / name).write_text(labels, encoding="utf-8")
    added = '[[data.corpora]]\npath = "once.tsv"\n\n[[data.corpora]]\npath = "labels.tsv"\ncased = true\n\n'
    config.write_text(config.read_text().replace("[data.development]", added + "[data.development]"))
    assert main(["prepare", "--config", str(config)]) == 0
    out = capsys.readouterr().out
    # Of the labels the second is the first again, and the third differs in nothing from the pair that was there before.
    assert "once.tsv: 0 pairs kept" in out and "labels.tsv: 1 pairs kept" in out
    assert first.upper() in (tmp_path / "data" / "text.tsv").read_text(encoding="utf-8")


def test_prepare_goes_on_where_it_was(prepared, capsys):
    folder = prepared.parent / "data"
    text = (folder / "text.tsv").stat().st_mtime_ns
    assert main(["prepare", "--config", str(prepared)]) == 0
    assert (folder / "text.tsv").stat().st_mtime_ns == text
    assert "training a vocabulary" not in capsys.readouterr().out.split("prepared:")[-1]


def test_texts_of_the_other_direction(tmp_path):
    """Lines with the target first are turned round; of a set in two files the source's is named first in any case."""
    config = copy_data(tmp_path, lines=50)
    (tmp_path / "dev.en").write_text("One.\nTwo.\n")
    (tmp_path / "dev.de").write_text("Eins.\nZwei.\n")
    text = config.read_text().replace('source_language = "en"\ntarget_language = "de"', 'source_language = "de"\ntarget_language = "en"\ntarget_first = true')
    config.write_text(text.replace('dev = "dev.tsv"', 'dev = "dev.tsv"\nother = ["dev.de", "dev.en"]'))
    assert main(["prepare", "--config", str(config)]) == 0
    pairs = [line.split("\t") for line in (tmp_path / "pairs.tsv").read_text().splitlines()]
    prepared = {tuple(line.split("\t")[1:]) for line in (tmp_path / "data" / "text.tsv").read_text().splitlines()}
    assert prepared == {(target, source) for source, target in pairs}
    assert (tmp_path / "data" / "development" / "other.tsv").read_text() == "Eins.\tOne.\nZwei.\tTwo.\n"
    source, target = (tmp_path / "dev.tsv").read_text().splitlines()[0].split("\t")
    assert (tmp_path / "data" / "development" / "dev.tsv").read_text().splitlines()[0] == f"{target}\t{source}"


def test_a_share_of_a_corpus(tmp_path):
    """It is drawn at random, and the same one always."""
    config = copy_data(tmp_path)
    config.write_text(config.read_text().replace('path = "pairs.tsv"', 'path = "pairs.tsv"\nshare = 0.3'))
    found = []
    for folder in ("data", "again"):
        config.write_text(config.read_text().replace('folder = "data"', f'folder = "{folder}"').replace("vocabulary_size = 500", "vocabulary_size = 300"))
        assert main(["prepare", "--config", str(config)]) == 0
        found.append((tmp_path / folder / "text.tsv").read_text().splitlines())
    assert found[0] == found[1] and 35 < len(found[0]) < 85
