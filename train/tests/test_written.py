"""The pairs in ../written: what a trainer and a reader may rely on."""

import functools
import importlib.util
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from wanderwort_train import corpus

TRAIN = Path(__file__).parent.parent
specification = importlib.util.spec_from_file_location("words", TRAIN / "written" / "words.py")
words = importlib.util.module_from_spec(specification)
specification.loader.exec_module(words)
FILES = sorted((TRAIN / "written").glob("*.tsv*"))


def test_the_files_are_there():
    assert len(FILES) == 13


@functools.cache
def pairs(path: Path) -> list[tuple[str, str]]:
    return list(corpus.read_pairs(path))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])
def test_pairs_are_clean(path):
    assert len(pairs(path)) >= 300
    for pair in pairs(path):
        assert all(pair), pair
        assert all(side == unicodedata.normalize("NFC", corpus.clean_text(side)) for side in pair), pair
        assert '"' not in pair[1], f"German quotes are „…“: {pair}"
        assert pair[1].count("„") == pair[1].count("“"), pair


def test_no_sentence_is_there_twice():
    """Nor in training as well as in the development set."""
    seen = {}
    for path in FILES:
        for english, _ in pairs(path):
            assert seen.setdefault(corpus.fingerprint(english), path.name) == path.name, english
    assert len(seen) == sum(len(pairs(path)) for path in FILES)


def test_what_judges_a_model_is_not_taught():
    """Neither the hand-made cases nor the hundred sentences that are judged by eye."""
    judged = [line.split("\t")[1] for line in (TRAIN / "docs/en-de.tiny/judged.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    sources = {}
    for pair in ("en-de", "de-en"):
        cases = (TRAIN.parent / f"tests/data/robustness/{pair}.tsv").read_text(encoding="utf-8").splitlines()
        sources[pair] = {corpus.fingerprint(line.split("\t")[1]) for line in cases if "\t" in line}
        assert len(sources[pair]) > 300
    english_asked = sources["en-de"] | {corpus.fingerprint(text) for text in judged}
    for path in FILES:
        found = [english for english, _ in pairs(path) if corpus.fingerprint(english) in english_asked]
        assert not found, path.name
        found = [german for _, german in pairs(path) if corpus.fingerprint(german) in sources["de-en"]]
        assert not found, path.name


def test_words_are_wanted_that_are_common_and_seldom_met():
    common = ["the", "sure", "kevin", "it's", "oven"] + ["x"] * 6_000 + ["whisk", "trim"]
    occurrences = Counter({"the": 9_000, "sure": 59, "oven": 60, "whisk": 29, "trim": 30})
    assert words.seldom(common, occurrences, {"the", "sure", "oven", "whisk", "trim", "it's"}) == ["sure", "whisk"]
