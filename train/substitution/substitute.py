"""Sentence pairs with other words in them, so that a student meets the words of a dictionary in sentences.

    python3 substitute.py --pairs FILE.tsv.xz… --dictionary FILE --out FILE.tsv [--lines N] [--seed N] [--unknown FILE]

A small corpus holds most words seldom or never, and entries of a dictionary alone are soon forgotten. Where a noun, an
adjective or a verb of a sentence and its translation stand in the dictionary as a pair, both are replaced by another pair
whose inflection is the same (after Fadaee, Bisazza and Monz, "Data Augmentation for Low-Resource Neural Machine
Translation", 2017; they choose words by a language model, this by how common they are and how seldom the corpus has them).
The sentences need not make sense. With `--unknown` (see unknown.py) nine of ten words are such as a model does not know yet.

`--dictionary` is the German-English dictionary Ding as Debian's package trans-de-en has it (/usr/share/trans/de-en; GPL-2.0
or later). Which words are common, wordfreq says (PyPI; its data CC-BY-SA 4.0).
"""

import argparse
import lzma
import math
import random
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from wordfreq import zipf_frequency

#: Words that occur less often than once in a million (English) or 300 in a thousand million (German) are left to themselves.
LEAST_ENGLISH, LEAST_GERMAN = 3.0, 2.5
LONGEST = 18
#: How much of the weight is left to words that the model knows, where it was asked.
KNOWN = 0.1

WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
NOTE = re.compile(r"\([^)]*\)|\[[^\]]*\]|<[^>]*>|/[^/]+/")
INSEPARABLE = ("be", "er", "ver", "zer", "ent", "emp", "ge", "miss", "über", "unter", "wider", "hinter")
ENDINGS = ("", "e", "er", "es", "en", "em")
#: Masculine nouns that end in -n or -en in every case but the nominative, beside those in -e.
WEAK = ("ent", "ant", "ist", "at", "oge", "graf", "soph", "bär", "mensch", "held", "nachbar", "prinz", "fürst", "bauer")
ARTICLES = {
    **dict.fromkeys(("der", "dieser", "jeder"), "nominative"),
    **dict.fromkeys(("den", "diesen", "jeden"), "accusative"),
    **dict.fromkeys(("dem", "diesem", "jedem", "am", "im", "zum", "beim", "vom"), "dative"),
}
for stem in ("ein", "kein", "mein", "dein", "sein", "ihr", "unser"):
    ARTICLES |= {stem: "nominative", stem + "en": "accusative", stem + "em": "dative"}
#: Words that are more often something else than the dictionary's pair, in this place.
UNWANTED = set(
    "one ones will can may might must like well back right left kind bit lot way thing so no all some any other own same such few many much "
    "more most less least first last next only very that this these those be have do go get let make take put come".split()
)


@dataclass(frozen=True)
class Form:
    """How both words of a pair are inflected: what another pair must share to take its place."""

    kind: str
    #: Of a noun in the singular its gender; of a verb what it governs.
    detail: str = ""


@dataclass(frozen=True)
class Pair:
    """Words that translate each other."""

    english: str
    german: str
    form: Form
    #: A masculine noun's form in the other cases, or a plural noun's in the dative, where it differs.
    oblique: str = ""


def alternatives(field: str) -> list[str]:
    """The words between semicolons in a field of an entry, without notes in brackets."""
    return [re.sub(r"\s+", " ", NOTE.sub(" ", item)).strip() for item in field.split(";")]


def nouns(german: list[list[str]], english: list[list[str]]):
    """Singulars in the first field, plurals in the second."""
    for i, word in enumerate(german[0]):
        found = re.fullmatch(r"([A-ZÄÖÜ][a-zäöüß]+) \{([fmn])\}", word)
        if not found:
            continue
        singular, gender = found.groups()
        plural = ""
        if len(german) > 1 and len(german[1]) == len(german[0]):
            of_many = re.fullmatch(r"([A-ZÄÖÜ][a-zäöüß]+) \{pl\}", german[1][i]) or re.fullmatch(
                r"([A-ZÄÖÜ][a-zäöüß]+)", german[1][i] if german[1][-1].endswith("{pl}") else ""
            )
            plural = of_many.group(1) if of_many else ""
        weak = gender == "m" and plural in (singular + "n", singular + "en") and singular.lower().endswith(("e", *WEAK))
        for j, other in enumerate(english[0]):
            if not re.fullmatch(r"[a-z]{2,}", other):
                continue
            yield Pair(other, singular, Form("noun", gender), plural if weak else "")
            if plural and len(english) > 1 and len(english[1]) == len(english[0]) and re.fullmatch(r"[a-z]{3,}", english[1][j]):
                dative = "" if plural[-1] in "ns" else plural + "n"
                yield Pair(english[1][j], plural, Form("nouns"), dative)


def adjectives(german: list[list[str]], english: list[list[str]]):
    """Stems, to which `ENDINGS` are added as they are."""
    for word in german[0]:
        stem = word.removesuffix("{adj}").strip()
        irregular = stem.endswith(("el", "auer", "euer", "a", "hoch", "e")) or not re.fullmatch(r"[a-zäöüß]{3,}", stem)
        for other in english[0]:
            if not irregular and re.fullmatch(r"[a-z]{3,}", other):
                yield Pair(other, stem, Form("adjective"))


def verbs(german: list[list[str]], english: list[list[str]]):
    """Infinitives, which are also the forms of "we" and "they", and participles of transitive verbs."""
    governs = "vt" if "{vt}" in german[0][-1] else "vi" if "{vi}" in german[0][-1] else ""
    if not governs or len(german) < 3 or len(german[0]) != len(german[2]) or len(english[0]) != len(english[2]):
        return
    for word, participle in zip(german[0], german[2]):
        word = re.sub(r"\{[^}]*\}", "", word).strip()
        if not re.fullmatch(r"[a-zäöüß]{3,}n", word) or not re.fullmatch(r"[a-zäöüß]{4,}", participle):
            continue
        together = participle.startswith("ge") or word.startswith(INSEPARABLE) or word.endswith("ieren")
        for other, past in zip(english[0], english[2]):
            base = other.removeprefix("to ")
            if together and re.fullmatch(r"[a-z]{3,}", base):
                yield Pair(base, word, Form("infinitive", governs))
            if governs == "vt" and re.fullmatch(r"[a-z]{4,}", past):
                yield Pair(past, participle, Form("participle"))


def entries(path: Path):
    """The pairs of the dictionary, one as often as it stands there."""
    for line in path.read_text(encoding="utf-8").splitlines():
        sides = line.split(" :: ")
        if line.startswith("#") or len(sides) != 2:
            continue
        german, english = ([alternatives(field) for field in side.split(" | ")] for side in sides)
        if len(german) != len(english):
            continue
        last = german[0][-1]
        make = adjectives if "{adj}" in last else verbs if "{v" in last else nouns
        yield from make(german, english)


def read(paths: list[Path]):
    """Sentence pairs of moderate length."""
    for path in paths:
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                english, _, german = line.rstrip("\n").partition("\t")
                if english.count(" ") < LONGEST:
                    yield english, german


class Lexicon:
    """The dictionary's pairs: all, to find them in sentences; and those worth adding, with weights."""

    def __init__(self, dictionary: Path, pairs: list[tuple[str, str]]):
        found = Counter(entries(dictionary))
        self.by_english = defaultdict(list)
        for pair in found:
            self.by_english[pair.english].append(pair)
        seen = self._seen(pairs)
        self.new = defaultdict(list)
        best_english, best_german = {}, {}

        def worth(pair):
            # What is said as often in both languages, stands in many entries and occurs together in the corpus.
            english, german = zipf_frequency(pair.english, "en"), zipf_frequency(pair.german, "de")
            return german - 0.5 * abs(english - german) + 0.5 * math.log2(found[pair]) + math.log10(1 + seen[pair.english, pair.german])

        for pair in found:
            value = worth(pair)
            for best, key in ((best_english, (pair.english, pair.form.kind)), (best_german, (pair.german, pair.form.kind))):
                if key not in best or value > best[key][0]:
                    best[key] = value, pair
        kinds = defaultdict(dict)
        for (english, kind), (_, pair) in best_english.items():
            kinds[english][kind] = zipf_frequency(pair.german, "de")
        for (english, kind), (value, pair) in best_english.items():
            rank = zipf_frequency(english, "en")
            known = rank >= LEAST_ENGLISH and zipf_frequency(pair.german, "de") >= LEAST_GERMAN
            # A word that is more of a verb than of a noun is not taught as a noun.
            chief = kinds[english][kind] >= max(kinds[english].values()) - 1.0
            # Words of one meaning share their translation; a much better one for it says that this is another meaning.
            close = value >= best_german[pair.german, kind][0] - 0.7
            plural = kind == "noun" and any(other.form.kind == "nouns" for other in self.by_english[english])
            # In a sentence such a word is mostly a form of its verb, and then has another translation.
            gerund = english.endswith("ing") and (kind == "noun" or kind == "adjective" and not pair.german.endswith("end"))
            if known and chief and close and not plural and not gerund and english not in UNWANTED:
                weight = min(rank - 2.5, 2.5) / math.sqrt(3 + seen[pair.english, pair.german])
                self.new[pair.form].append((pair, weight))

    def _seen(self, pairs) -> Counter:
        """In how many sentence pairs the words of a pair stand together."""
        counts = Counter()
        for english, german in pairs:
            others = set(WORD.findall(german))
            for word in set(WORD.findall(english.lower())):
                for pair in self.by_english.get(word, ()):
                    if pair.german in others:
                        counts[word, pair.german] += 1
        return counts


class Substitution:
    """Replaces words of sentence pairs; see `of`. `unknown` are the English words, with their kinds, that come first."""

    def __init__(self, lexicon: Lexicon, seed: int, unknown: set[tuple[str, str]] | None = None):
        self.lexicon, self.random = lexicon, random.Random(seed)
        self.drawn = {}
        for form, items in lexicon.new.items():
            weights = [weight for _, weight in items]
            if unknown is not None:
                known = [(pair.english, pair.form.kind) not in unknown for pair, _ in items]
                of_known = sum(weight for weight, knows in zip(weights, known) if knows)
                of_unknown = sum(weights) - of_known
                # Whatever the shares of both are by their number, `KNOWN` of the draws fall on those that are known.
                if of_known > 0 and of_unknown > 0:
                    factor = KNOWN / (1 - KNOWN) * of_unknown / of_known
                    weights = [weight * factor if knows else weight for weight, knows in zip(weights, known)]
            self.drawn[form] = [pair for pair, _ in items], weights

    def _slots(self, english: list[re.Match], german: list[re.Match]):
        """Where a pair of the dictionary stands in both sentences once: (English word, German word, pair, ending)."""
        found = Counter(word.group() for word in german)
        at = {word.group(): i for i, word in enumerate(german) if found[word.group()] == 1}
        often = Counter(word.group() for word in english)
        for i, word in enumerate(english):
            if often[word.group()] > 1 or word.group() in UNWANTED:
                continue
            for pair in self.lexicon.by_english.get(word.group(), ()):
                endings = ENDINGS if pair.form.kind == "adjective" else ("",)
                for ending in endings:
                    place = at.get(pair.german + ending)
                    if place is not None and not (pair.form.kind == "adjective" and place == 0):
                        yield i, place, pair, ending

    def _inflected(self, new: Pair, old: Pair, ending: str, before: list[str]) -> str | None:
        """The new German word in the form of the old one; none where that cannot be told."""
        kind = new.form.kind
        if kind == "adjective":
            return new.german + ending
        if kind == "nouns":
            # A plural in -n or -s is the same in the dative; one that is not, and stands there as it is, is in no dative.
            return None if not old.oblique and new.oblique else new.german
        if kind == "noun" and new.oblique:
            case = next((ARTICLES[word] for word in reversed(before[-3:]) if word in ARTICLES), None)
            if case is None or (old.oblique and case != "nominative"):
                return None
            return new.german if case == "nominative" else new.oblique
        return new.german

    def of(self, english: str, german: str) -> tuple[str, str] | None:
        """The pair with a word replaced, in longer sentences two; none where there is nothing to replace."""
        words, others = list(WORD.finditer(english)), list(WORD.finditer(german))
        slots = list(self._slots(words, others))
        self.random.shuffle(slots)
        # Plurals are the fewest, and half of the nouns.
        slots.sort(key=lambda slot: slot[2].form.kind != "nouns")
        changes, used = [], set()
        for i, place, old, ending in slots:
            if len(changes) == (2 if len(words) > 8 else 1):
                break
            if ("en", i) in used or ("de", place) in used:
                continue
            pairs, weights = self.drawn.get(old.form, ((), ()))
            if not pairs:
                continue
            new = self.random.choices(pairs, weights)[0]
            before = [word.group().lower() for word in others[:place]]
            inflected = self._inflected(new, old, ending, before)
            if inflected is None or new.english == old.english:
                continue
            used |= {("en", i), ("de", place)}
            changes.append((i, place, new.english, inflected))
        if not changes:
            return None
        for i, _, word, _ in sorted(changes, reverse=True):
            start = words[i].start()
            head = english[:start]
            article = re.search(r"\b([Aa])n?( )$", head)
            if article:
                vowel = word[0] in "aeiou" and not word.startswith(("uni", "eu", "one", "use", "usu", "uti")) or word.startswith(("hour", "honest", "heir"))
                head = head[: article.start()] + article.group(1) + ("n " if vowel else " ")
            english = head + word + english[words[i].end() :]
        for _, place, _, word in sorted(changes, key=lambda change: -change[1]):
            german = german[: others[place].start()] + word + german[others[place].end() :]
        return english, german


def alone(lexicon: Lexicon, unknown: set[tuple[str, str]]):
    """The words that a model does not know by themselves, nouns with their articles too; an adjective's stem may be no word."""
    articles = {"f": "die", "m": "der", "n": "das"}
    for form, items in lexicon.new.items():
        for pair, _ in items:
            if (pair.english, form.kind) not in unknown or form.kind == "adjective":
                continue
            yield (f"to {pair.english}" if form.kind == "infinitive" else pair.english), pair.german
            if form.kind in ("noun", "nouns"):
                yield f"the {pair.english}", f"{articles.get(form.detail, 'die')} {pair.german}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", nargs="+", type=Path, required=True, metavar="FILE", help="parallel text, xz: English, tab, German")
    parser.add_argument("--dictionary", type=Path, required=True, metavar="FILE", help="Ding's de-en")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--lines", type=int, default=200_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--unknown", type=Path, metavar="FILE", help="words that come first (unknown.py)")
    parsed = parser.parse_args()
    unknown = None
    if parsed.unknown:
        unknown = set()
        for number, line in enumerate(parsed.unknown.read_text(encoding="utf-8").splitlines(), 1):
            english, _, kind, *_ = [*line.split("\t"), "", ""]
            if not english or not kind:
                sys.exit(f"{parsed.unknown}, line {number}: expected English, German and kind, found {line!r}; unknown.py writes such files")
            unknown.add((english, kind))
    pairs = list(read(parsed.pairs))
    lexicon = Lexicon(parsed.dictionary, pairs)
    for form, items in sorted(lexicon.new.items(), key=lambda item: str(item[0])):
        print(f"{form.kind} {form.detail}: {len(items):,} pairs to draw from")
    substitution = Substitution(lexicon, parsed.seed, unknown)
    written = set(pairs)
    count = 0
    with open(parsed.out, "w", encoding="utf-8") as file:
        for found in alone(lexicon, unknown or set()):
            written.add(found)
            file.write("\t".join(found) + "\n")
            count += 1
        while count < parsed.lines:
            start = count
            order = list(range(len(pairs)))
            substitution.random.shuffle(order)
            for index in order:
                found = substitution.of(*pairs[index])
                if found is None or found in written:
                    continue
                written.add(found)
                file.write("\t".join(found) + "\n")
                count += 1
                if count == parsed.lines:
                    break
            if count == start:
                break
    print(f"{count:,} sentence pairs")


if __name__ == "__main__":
    main()
