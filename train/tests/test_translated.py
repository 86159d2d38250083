"""Translations under checksums: what ../translated keeps, and what comes of it with the text."""

import importlib.util
import lzma
import unicodedata
from pathlib import Path

import pytest

from wanderwort_train import corpus

FOLDER = Path(__file__).parent.parent / "translated"
specification = importlib.util.spec_from_file_location("translations", FOLDER / "translations.py")
translations = importlib.util.module_from_spec(specification)
specification.loader.exec_module(translations)

SENTENCES = ["The café opens at nine.", "“Nobody knew,” she said.", "Rain is expected tomorrow."]
GERMAN = ["Das Café öffnet um neun.", "„Niemand wusste es“, sagte sie.", "Für morgen wird Regen erwartet."]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def add(folder: Path, sentences: list[str], german: list[str]) -> int:
    sources, found = write(folder / "en.txt", sentences), write(folder / "de.txt", german)
    return translations.main(["add", "--sources", str(sources), "--translations", str(found), "--to", str(folder / "kept.tsv.xz")])


def join(folder: Path, text: list[str], *options: str) -> int:
    text = str(write(folder / "text.txt", text))
    return translations.main(["join", "--translations", str(folder / "kept.tsv.xz"), "--text", text, "--out", str(folder / "out.tsv.xz"), *options])


def test_sentences_and_translations_come_together_again(tmp_path, capsys):
    assert add(tmp_path, SENTENCES, GERMAN) == 0
    # The text may have other sentences, another order, and another form of the same characters.
    text = [SENTENCES[2], "Somebody else's.", unicodedata.normalize("NFD", SENTENCES[0])]
    assert join(tmp_path, text) == 0
    assert list(corpus.read_pairs(tmp_path / "out.tsv.xz")) == [(SENTENCES[2], GERMAN[2]), (SENTENCES[0], GERMAN[0])]
    assert "2 pairs; the text lacks the sentences of 1 translations" in capsys.readouterr().out
    assert join(tmp_path, SENTENCES, "--swap") == 0
    assert list(corpus.read_pairs(tmp_path / "out.tsv.xz")) == list(zip(GERMAN, SENTENCES))


def test_the_sentences_themselves_are_not_kept(tmp_path):
    add(tmp_path, SENTENCES, GERMAN)
    kept = lzma.open(tmp_path / "kept.tsv.xz", "rt", encoding="utf-8").read()
    assert all(german in kept for german in GERMAN)
    assert not any(word in kept for sentence in SENTENCES for word in sentence.split() if word != "Café" and len(word) > 3)
    # The digest is SHA-256's: `printf %s 'Rain is expected tomorrow.' | sha256sum`.
    assert "696221d575\t" + GERMAN[2] in kept.splitlines()


def test_later_translations_replace_earlier_ones(tmp_path, capsys):
    add(tmp_path, SENTENCES, GERMAN)
    first = (tmp_path / "kept.tsv.xz").read_bytes()
    assert add(tmp_path, SENTENCES[2:], ["Morgen soll es regnen."]) == 0
    assert "1 replaced" in capsys.readouterr().out
    assert translations.read(tmp_path / "kept.tsv.xz")[translations.checksum(SENTENCES[2])] == "Morgen soll es regnen."
    add(tmp_path, SENTENCES[2:], GERMAN[2:])
    assert (tmp_path / "kept.tsv.xz").read_bytes() == first


def test_what_is_no_translation_is_left_out(tmp_path, capsys):
    sentences = ["Vienna Philharmonic Orchestra", SENTENCES[0], SENTENCES[1], SENTENCES[2]]
    assert add(tmp_path, sentences, [sentences[0], "", "Ja.", GERMAN[2]]) == 0
    assert capsys.readouterr().out.endswith("1 added, 1 empty side, 1 left as it was, 1 length ratio\n")
    assert list(translations.read(tmp_path / "kept.tsv.xz").values()) == GERMAN[2:]


def test_wrong_files_are_refused(tmp_path, capsys):
    assert add(tmp_path, SENTENCES, GERMAN[:2]) == 1
    assert "has 3 lines but" in capsys.readouterr().err and not (tmp_path / "kept.tsv.xz").exists()
    add(tmp_path, SENTENCES, GERMAN)
    assert join(tmp_path, ["Another text."]) == 1
    assert "none of its 3 sentences is in the text" in capsys.readouterr().err and not (tmp_path / "out.tsv.xz").exists()
    write(tmp_path / "kept.tsv", ["nothing of that kind\tNichts."])
    with pytest.raises(translations.TrainingError, match="line 1: expected a checksum of 10 hexadecimal digits"):
        translations.read(tmp_path / "kept.tsv")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.tsv.xz")), ids=lambda path: path.name)
def test_kept_translations_are_clean(path):
    kept = translations.read(path)
    assert len(kept) > 1000 and list(kept) == sorted(kept)
    assert all(text and text == corpus.clean_text(text) for text in kept.values())
