"""What Spark and Ray share, in this process."""

import pickle

import pytest
from conftest import MODEL
from test_models import install

import wanderwort
from wanderwort import _cluster
from wanderwort._cluster import ByName, ByPath, Job, checksum


class Frail:
    """A translator for which some texts are too much."""

    def __init__(self, error):
        self.error, self.seen = error, []

    def translate_batch(self, texts, **options):
        self.seen.append(texts)
        if any("bad" in text for text in texts):
            raise self.error
        return [text.upper() for text in texts]


class Panic(BaseException):
    """Like PyO3's, not an Exception."""


@pytest.mark.parametrize("error", [ValueError("too much"), Panic("too much")])
def test_only_rows_that_fail_alone_fail(monkeypatch, error):
    frail = Frail(error)
    monkeypatch.setattr(Job, "translator", lambda job: frail)
    texts = [None, "a longer one", "bad", "c", b"bytes", "bad again", ""]
    rows = _cluster.translate(Job("nowhere"), texts)
    why = f"{type(error).__name__}: too much"
    assert rows.translations == [None, "A LONGER ONE", None, "C", None, None, ""]
    assert rows.errors == [None, None, why, None, "TypeError: expected a text, found bytes", why, None]
    assert rows.words == [0, 3, 1, 1, 0, 2, 0] and rows.failed == 3
    # The shortest first.
    assert frail.seen[0] == ["", "c", "bad", "bad again", "a longer one"]


def test_interruptions_are_no_reasons(monkeypatch):
    monkeypatch.setattr(Job, "translator", lambda job: Frail(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        _cluster.translate(Job("nowhere"), ["bad"])


def test_the_engines_own_failures(small):
    rows = _cluster.translate(Job(small), ["17", "\ud800", "18"])
    assert rows.translations == ["17", None, "18"] and rows.errors[1].startswith("UnicodeEncodeError: ")


def test_batches_are_sorted_together_and_come_back_apart(monkeypatch):
    frail = Frail(ValueError())
    monkeypatch.setattr(Job, "translator", lambda job: frail)
    monkeypatch.setattr(_cluster, "WINDOW", 6)
    counted, read = [], []

    def batches():
        for name, texts in [("one", ["ccc", "a"]), ("two", []), ("three", [None, "bb"]), ("four", ["e"])]:
            read.append(name)
            yield name, texts

    results = _cluster.translate_batches(Job("nowhere"), batches(), lambda rows: counted.append(len(rows.words)))
    name, rows = next(results)
    assert (name, rows.translations, read) == ("one", ["CCC", "A"], ["one", "two", "three"])
    assert [(name, rows.translations) for name, rows in results] == [("two", []), ("three", [None, "BB"]), ("four", ["E"])]
    assert frail.seen == [["a", "bb", "ccc"], ["e"]] and counted == [4, 1]


def test_models_are_found_and_checked(translator, tmp_path):
    sha256, wrong = checksum(MODEL), "0" * 64
    path = install(tmp_path, "en", "de")
    folder = str(tmp_path)
    expected = translator.translate("The house is big.")
    for place in [ByPath(str(MODEL), sha256), ByName("en-de.tiny", sha256.upper(), folder), ByName("en-de.tiny", folder=folder)]:
        job = pickle.loads(pickle.dumps(Job(place)))
        assert job.translator().translate("The house is big.") == expected
        # Once in a process.
        assert Job(place).translator() is job.translator()
    for place in [ByPath(str(MODEL), wrong), ByName("en-de.tiny", wrong, folder)]:
        with pytest.raises(wanderwort.ModelError, match=f"SHA-256 {sha256}, expected {wrong}"):
            Job(place).translator()
    with pytest.raises(wanderwort.NotInstalledError, match="no model xx-yy is installed"):
        Job(ByName("xx-yy", folder=folder)).translator()
    rows = _cluster.translate(Job("/nowhere.wanderwort"), ["A dog.", None])
    assert rows.translations == [None, None] and rows.errors[0].startswith("ModelError: ") and rows.errors[1] is None

    # What is there by name is what was installed.
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(wanderwort.ModelError, match="is damaged"):
        ByName("en-de.tiny", checksum(path), folder).open()


def test_checksums_of_folders(small, tmp_path):
    first = checksum(small)
    assert len(first) == 64 and first == checksum(small)
    for file in small.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    assert checksum(tmp_path) == first
    (tmp_path / "decoder.yml").write_text("beam-size: 2\n")
    assert checksum(tmp_path) != first


def test_wrong_jobs_are_told_at_once():
    for options in [{"threads": 0}, {"beam": 0}, {"sentences": "x"}, {"longest": 0}]:
        with pytest.raises(ValueError):
            Job("model", **options)
    with pytest.raises(TypeError):
        Job("model", without="all")
