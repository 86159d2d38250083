"""Sentence pairs with other words in them (substitution/substitute.py)."""

import lzma
import sys

import pytest
from conftest import HERE

sys.path.insert(0, str(HERE.parent / "substitution"))
import substitute  # noqa: E402

DICTIONARY = """# a comment
Hund {m} [zool.] | Hunde {pl} :: dog | dogs
Affe {m} [zool.] | Affen {pl} | Äffchen {n} :: monkey; simian | monkeys | little monkey
Katze {f} | Katzen {pl} :: cat | cats
Zwiebel {f} [bot.] [cook.] | Zwiebeln {pl} :: onion | onions
schnell; flink {adj} (in der Bewegung) | schneller :: quick (in movement); fast | quicker
geeignet {adj} (für) :: suitable (for)
essen {vt} | essend | gegessen :: to eat | eating | eaten
braten {vt} (in der Pfanne) | bratend | gebraten :: to fry | frying | fried
aufmachen {vt} | aufmachend | aufgemacht :: to open | opening | opened
"""
PAIRS = [
    ("I see a dog.", "Ich sehe einen Hund."),
    ("The dog is here.", "Der Hund ist hier."),
    ("My cat sleeps.", "Meine Katze schläft."),
    ("The cats are with the dogs.", "Die Katzen sind bei den Hunden."),
    ("Many dogs bark.", "Viele Hunde bellen."),
    ("It is a fast car.", "Es ist ein schnelles Auto."),
    ("We will eat soon.", "Wir werden bald essen."),
    ("It was eaten.", "Es wurde gegessen."),
    ("Nothing of this is in it.", "Davon steht nichts darin."),
]


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "ding.txt"
    path.write_text(DICTIONARY, encoding="utf-8")
    return substitute.Lexicon(path, PAIRS)


def found(lexicon, english, german):
    """All that many seeds make of a pair."""
    return {substitute.Substitution(lexicon, seed).of(english, german) for seed in range(60)} - {None}


@pytest.mark.parametrize(
    "pair, expected",
    [
        # A masculine noun in -e has another ending in every case but the nominative.
        (PAIRS[0], ("I see a monkey.", "Ich sehe einen Affen.")),
        (PAIRS[1], ("The monkey is here.", "Der Affe ist hier.")),
        # Another noun of the same gender, with the article that English asks for.
        (PAIRS[2], ("My onion sleeps.", "Meine Zwiebel schläft.")),
        (("A cat sleeps.", "Eine Katze schläft."), ("An onion sleeps.", "Eine Zwiebel schläft.")),
        # Plurals of any gender.
        (PAIRS[4], ("Many onions bark.", "Viele Zwiebeln bellen.")),
        # An adjective keeps its ending.
        (PAIRS[5], ("It is a suitable car.", "Es ist ein geeignetes Auto.")),
        (PAIRS[6], ("We will fry soon.", "Wir werden bald braten.")),
        (PAIRS[7], ("It was fried.", "Es wurde gebraten.")),
    ],
)
def test_words_are_replaced_in_the_same_form(lexicon, pair, expected):
    assert expected in found(lexicon, *pair)


def test_forms_that_cannot_be_told_stay(lexicon):
    # "Katzen" may be a dative, in which "Hunde" would be "Hunden".
    assert all("Hunde " not in german for _, german in found(lexicon, *PAIRS[3]))
    # Without an article the case of a masculine noun in -e is not known.
    assert all("Aff" not in german for _, german in found(lexicon, "Like dog and cat.", "Wie Hund und Katze."))
    # Feminine for feminine alone.
    assert all("Hund" not in german and "Aff" not in german for _, german in found(lexicon, *PAIRS[2]))
    # A word that stands twice is not known to be the other one's translation.
    assert not found(lexicon, "The dog sees the dog.", "Der Hund sieht den anderen.")
    assert not found(lexicon, *PAIRS[8])
    # A prefix that may stand apart.
    assert all("aufmachen" not in german for _, german in found(lexicon, *PAIRS[6]))


def test_the_program_writes_new_pairs_only(tmp_path, monkeypatch, capsys):
    (tmp_path / "ding.txt").write_text(DICTIONARY, encoding="utf-8")
    text = "".join("\t".join(pair) + "\n" for pair in PAIRS)
    (tmp_path / "pairs.tsv.xz").write_bytes(lzma.compress(text.encode()))
    out = tmp_path / "out.tsv"
    arguments = ["substitute.py", "--pairs", tmp_path / "pairs.tsv.xz", "--dictionary", tmp_path / "ding.txt", "--out", out, "--lines", 25]
    monkeypatch.setattr(sys, "argv", [str(argument) for argument in arguments])
    substitute.main()
    rows = [tuple(line.split("\t")) for line in out.read_text(encoding="utf-8").splitlines()]
    assert f"{len(rows)} sentence pairs" in capsys.readouterr().out
    assert len(rows) > 8 and len(set(rows)) == len(rows) and not set(rows) & set(PAIRS)
    first = out.read_bytes()
    substitute.main()
    assert out.read_bytes() == first
