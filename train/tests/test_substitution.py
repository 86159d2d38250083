"""Sentence pairs with other words in them (substitution/substitute.py)."""

import lzma
import sys

import pytest
from conftest import HERE

sys.path.insert(0, str(HERE.parent / "substitution"))
import labels  # noqa: E402
import substitute  # noqa: E402
import unknown  # noqa: E402

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


def test_unknown_words_are_those_whose_translations_the_model_does_not_say(lexicon):
    says = {"onion": "die Zwiebel", "dog": "der Hunds", "monkey": "die Affen", "cat": "Cat", "onions": "viele Zwiebeln"}

    def translate(sentences):
        for sentence in sentences:
            words = sentence.rstrip(".").split()
            yield next((says[word] for word in words if word in says), "nichts")

    found = {(pair.english, pair.form.kind): knows for pair, knows, _ in unknown.asked(lexicon, translate, unknown.Direction(from_german=False))}
    # With an ending more, too.
    assert found["onion", "noun"] and found["monkey", "noun"] and found["dog", "noun"] and found["onions", "nouns"]
    assert not found["cat", "noun"] and not found["quick", "adjective"] and not found["fried", "participle"]
    # Each frame counts.
    assert unknown.is_known(["Zwiebel"], ["Zwiebel", "die Zwiebeln"]) and not unknown.is_known(["Zwiebel"], ["Zwiebel", "die Onion"])


def test_nouns_are_asked_for_as_labels(lexicon):
    said = {"Onion": "Zwiebel", "Onions": "Die Zwiebeln", "Dog": "Hund", "Monkey": "Monkey"}
    known = unknown.as_labels(lexicon, lambda labels: [said.get(label, label) for label in labels], unknown.Direction(from_german=False))
    nouns = [pair.english for items in lexicon.new.values() for pair, _ in items if pair.form.kind in ("noun", "nouns")]
    assert {english for english, knows in zip(nouns, known) if knows} == {"onion", "onions", "dog"} & set(nouns) and "monkey" in nouns


def test_a_model_from_german_is_asked_in_german(lexicon):
    says = {"Zwiebel": "the onion", "Hund": "the hound", "Affe": "a monkey", "Zwiebeln": "onions", "gebraten": "fried", "Katze": "the cats"}
    asked = []

    def translate(sentences):
        asked.extend(sentences)
        return [next((says[word] for word in sentence.rstrip(".").split() if word in says), "nothing") for sentence in sentences]

    direction = unknown.Direction(from_german=True)
    found = {(pair.german, pair.form.kind): knows for pair, knows, _ in unknown.asked(lexicon, translate, direction)}
    assert {"die Zwiebel", "Gestern war der Affe noch da.", "Es wurde gestern gebraten.", "Das ist eine schnelle Idee."} <= set(asked)
    # Any of its translations will do, with an ending more, too.
    assert found["Zwiebel", "noun"] and found["Affe", "noun"] and found["Katze", "noun"] and found["gebraten", "participle"]
    assert not found["Hund", "noun"] and not found["schnell", "adjective"] and not found["braten", "infinitive"]
    words = [pair.german for items in lexicon.new.values() for pair, _ in items if pair.form.kind in ("noun", "nouns")]
    assert dict(zip(words, unknown.as_labels(lexicon, translate, direction)))["Affe"]


def test_what_is_unknown_comes_first(lexicon):
    def drawn(unknown):
        texts = [substitute.Substitution(lexicon, seed, unknown).of("The cat is here.", "Die Katze ist hier.") for seed in range(600)]
        return [text[0].split()[1] for text in texts if text]

    # Of feminine nouns there are two; a word is not replaced by itself, so only the other one counts.
    assert set(drawn(None)) == set(drawn({("onion", "noun")})) == {"onion"}
    assert len(drawn(None)) < 400 < 500 < len(drawn({("onion", "noun")}))
    # Where all or none are unknown the weights stay as they are.
    assert drawn({("cat", "noun"), ("onion", "noun")}) == drawn(set()) == drawn(None)


def test_unknown_words_stand_alone_too(lexicon):
    rows = set(substitute.alone(lexicon, {("onion", "noun"), ("onions", "nouns"), ("fry", "infinitive"), ("quick", "adjective")}))
    assert rows == {
        ("onion", "Zwiebel"), ("the onion", "die Zwiebel"), ("onions", "Zwiebeln"), ("the onions", "die Zwiebeln"), ("to fry", "braten")
    }  # fmt: skip


def test_gerunds_are_left_to_their_verbs(tmp_path):
    path = tmp_path / "ding.txt"
    path.write_text("Förderung {f} :: mining; support\nLesung {f} :: reading\nspöttisch {adj} :: mocking\nfolgend {adj} :: following\n")
    found = {pair.english for items in substitute.Lexicon(path, []).new.values() for pair, _ in items}
    assert found == {"support", "following"}


def test_the_commands_write_what_they_found(tmp_path, monkeypatch, capsys):
    (tmp_path / "ding.txt").write_text(DICTIONARY, encoding="utf-8")
    with lzma.open(tmp_path / "pairs.tsv.xz", "wt", encoding="utf-8") as file:
        file.writelines("\t".join(pair) + "\n" for pair in PAIRS)
    files = ["--pairs", str(tmp_path / "pairs.tsv.xz"), "--dictionary", str(tmp_path / "ding.txt")]
    monkeypatch.setattr(unknown.engine, "find", lambda: "program")
    monkeypatch.setattr(unknown.engine, "translate", lambda program, model, lines, threads: ["Zwiebel Katze Katzen"] * len(lines))
    out = tmp_path / "unknown.tsv"
    monkeypatch.setattr(sys, "argv", ["unknown.py", *files, "--model", "none", "--out", str(out)])
    unknown.main()
    rows = [line.split("\t") for line in out.read_text(encoding="utf-8").splitlines()]
    words = {row[0] for row in rows}
    assert {"dog", "dogs", "monkey", "fry"} <= words and not words & {"onion", "onions", "cat"}
    assert "nouns: 2 of 3 known (66.7%)" in capsys.readouterr().out

    text = tmp_path / "text.tsv"
    monkeypatch.setattr(sys, "argv", ["substitute.py", *files, "--unknown", str(out), "--out", str(text), "--lines", "30"])
    substitute.main()
    made = [tuple(line.split("\t")) for line in text.read_text(encoding="utf-8").splitlines()]
    assert ("the monkey", "der Affe") in made and not any(english == "onion" for english, _ in made)
    assert len(made) == len(set(made)) and not set(made) & set(PAIRS)
    assert any("monkey" in english and len(english.split()) > 2 for english, _ in made)

    out.write_text("monkey Affe noun\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="line 1: expected English, German and kind"):
        substitute.main()


def test_labels_have_capitals(tmp_path, monkeypatch, capsys):
    with lzma.open(tmp_path / "entries.tsv.xz", "wt", encoding="utf-8") as file:
        for english, german in [
            ("butterfly", "Schmetterling"), ("red wine", "Rotwein"), ("red wine", "Roter"), ("fence", "Hehler"), ("fence", "Zaun"),
            ("quick", "schnell"), ("onion", "Zwiebel"), ("Onion", "Zwiebel"), ("zyzzyva", "Käfer"), ("go, then", "geh dann"), ("a b c d", "x"),
        ]:  # fmt: skip
            file.write(f"{english}\t{german}\n")
    (tmp_path / "learnt.tsv").write_text("the moth\tdie Motte\nI see a moth.\tIch sehe eine Motte.\nonion\tZwiebel\n", encoding="utf-8")
    said = {"butterfly": "Schmetterling", "red wine": "Rotwein", "fence": "Zaun", "quick": "schnell", "onion": "Onion"}
    monkeypatch.setattr(labels.engine, "find", lambda: "program")
    monkeypatch.setattr(labels.engine, "translate", lambda program, model, lines, threads: [said[line] for line in lines])
    out = tmp_path / "labels.tsv"
    files = ["--entries", str(tmp_path / "entries.tsv.xz"), "--learnt", str(tmp_path / "learnt.tsv"), "--model", "none"]
    monkeypatch.setattr(sys, "argv", ["labels.py", *files, "--out", str(out)])
    labels.main()
    # One translation for each word that the model knows; of the others those that it is to learn.
    assert out.read_text(encoding="utf-8").splitlines() == [
        "The moth\tDie Motte", "Onion\tZwiebel", "Butterfly\tSchmetterling", "Fence\tZaun", "Quick\tSchnell", "Red wine\tRotwein"
    ]  # fmt: skip
    assert "6 labels, 4 of them known" in capsys.readouterr().out
    monkeypatch.setattr(labels.engine, "find", lambda: None)
    with pytest.raises(SystemExit, match="cargo build --release"):
        labels.main()
