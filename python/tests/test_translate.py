"""Texts in, translations out: the same as the command line's."""

import subprocess

import pytest
from conftest import MODEL, PROGRAM

import wanderwort


def test_the_command_line_says_the_same(translator, sentences):
    arguments = [PROGRAM, "translate", "--model", str(MODEL)]
    lines = "".join(f"{sentence}\n" for sentence in sentences)
    output = subprocess.run(arguments, input=lines, capture_output=True, encoding="utf-8", check=True).stdout
    assert translator.translate(sentences) == output.splitlines()
    assert len(set(output.splitlines())) == len(set(sentences)) > 20


def test_each_way_gives_the_same(translator, sentences):
    together = translator.translate(sentences)
    assert [translator.translate(sentence) for sentence in sentences[:5]] == together[:5]
    assert translator.translate_batch(iter(sentences)) == together
    assert list(translator.translate_iter(sentences)) == together
    assert wanderwort.Translator(MODEL, threads=1).translate(sentences) == together


def test_texts_keep_their_form(translator):
    assert translator.translate([]) == []
    assert translator.translate(["", " \n", "42"]) == ["", " \n", "42"]
    text = translator.translate("  The house is big.\n\nI have a dog. 😀\n")
    assert text.startswith("  Das Haus") and "\n\n" in text and text.endswith("😀\n")


def test_options_count(translator):
    two = "I have a dog.\nThe house is big."
    assert translator.translate(two, sentences="in-paragraphs").count(".") == 2
    words = "Visit https://example.org/a_b?c=1 today."
    assert "https://example.org/a_b?c=1" in translator.translate(words)
    names = "Björk Guðmundsdóttir met Katarzyna Wiśniewska."
    assert "Björk Guðmundsdóttir" in translator.translate(names)
    assert "Björk Guðmundsdóttir" not in translator.translate(names, without=["all"])
    assert translator.translate(words, beam=4)


def test_a_translation_begins_as_it_is_told(translator):
    source = "The old house is big."
    own = translator.translate(source)
    assert translator.translate_from(source, "") == own
    begun = translator.translate_from(source, "Dieses", beam=1)
    assert begun.startswith("Dieses ") and begun != own
    found = translator.alternatives(source, "Das", count=4)
    assert len(found) == len(set(found)) == 4 and all(text.startswith("Das") for text in found)
    assert translator.alternatives("12.5") == []
    for count in (0, 65):
        with pytest.raises(ValueError, match="expected 1 to 64"):
            translator.alternatives(source, count=count)


def test_what_is_read_ahead_is_bounded(translator, monkeypatch):
    monkeypatch.setattr("wanderwort._translator.WINDOW", 10)
    read = 0

    def texts():
        nonlocal read
        while True:
            read += 1
            yield f"I have {read + 100} dogs."

    translations = translator.translate_iter(texts())
    assert read == 0
    first = [next(translations) for _ in range(3)]
    assert [str(number) in text for number, text in enumerate(first, 101)] == [True] * 3
    assert read <= 10 * (1 + translator.threads) // 10 + 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sentences": "somewhere"}, "'in-lines', 'in-paragraphs' or 'are-lines'"),
        ({"without": ["nothing"]}, "nothing"),
        ({"beam": 0}, "expected at least 1"),
    ],
)
def test_wrong_options_are_told(translator, options, words):
    with pytest.raises(ValueError, match=words):
        translator.translate("A dog.", **options)


def test_what_is_no_text_is_told(translator):
    with pytest.raises(TypeError):
        translator.translate([b"A dog."])
    with pytest.raises(TypeError, match="not one text"):
        translator.translate_batch("A dog.")
    with pytest.raises(TypeError, match="not one text"):
        next(translator.translate_iter("A dog."))
    with pytest.raises(UnicodeEncodeError):
        translator.translate("\ud800")
