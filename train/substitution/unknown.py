"""The dictionary's words that a model does not know: what it says for them is none of their translations.

    python3 unknown.py --pairs FILE.tsv.xz… --dictionary FILE --model FILE.wanderwort --out FILE.tsv [--from-german]

The model translates from English, with `--from-german` from German. Prints the share of each kind of word that the model knows, and of the nouns as labels, by themselves with a capital, where a model may take
them for names; writes the words that it does not know, one a line: English, German, kind, and what the model says. `substitute.py --unknown` then puts those into sentences before others. Only words that it would put there are
asked for, so what is rare or of doubtful meaning does not count; a word's form and its synonyms do not matter. Needs the program
`wanderwort` (see `engine.find`).
"""

import argparse
import itertools
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from substitute import Lexicon, Pair, read

from wanderwort_train import engine

#: Kind of a pair → where its English word stands when the model is asked for it.
ENGLISH_FRAMES = {
    "noun": ("{}", "I saw the {} yesterday."),
    "nouns": ("{}", "He talked about {}."),
    "adjective": ("It is very {}.", "This is a {} idea."),
    "infinitive": ("They want to {} it.", "You must {} that."),
    "participle": ("It was {} yesterday.", "They have {} it."),
}
#: The same for its German word; a noun in the singular by its gender, an adjective with its endings.
GERMAN_FRAMES = {
    "noun f": ("die {}", "Gestern war die {} noch da."),
    "noun m": ("der {}", "Gestern war der {} noch da."),
    "noun n": ("das {}", "Gestern war das {} noch da."),
    "nouns": ("{}", "Gestern waren die {} noch da."),
    "adjective": ("Es ist sehr {}.", "Das ist eine {}e Idee."),
    "infinitive": ("Sie wollen es {}.", "Das müssen wir {}."),
    "participle": ("Es wurde gestern {}.", "Sie haben es {}."),
}


@dataclass(frozen=True)
class Direction:
    """What a model that translates in this direction is asked, and what it may say."""

    from_german: bool

    def word(self, pair: Pair) -> str:
        """What is asked for."""
        return pair.german if self.from_german else pair.english

    def sentences(self, pair: Pair) -> list[str]:
        """The phrases or sentences that ask for it."""
        kind = pair.form.kind
        frames = GERMAN_FRAMES[f"noun {pair.form.detail}" if kind == "noun" else kind] if self.from_german else ENGLISH_FRAMES[kind]
        return [frame.format(self.word(pair)) for frame in frames]

    def translations(self, lexicon: Lexicon) -> dict[str, list[str]]:
        """What each word of the dictionary may become."""
        found = defaultdict(list)
        for pair in itertools.chain.from_iterable(lexicon.by_english.values()):
            found[self.word(pair)].append(pair.english if self.from_german else pair.german)
        return found


def is_known(translations: list[str], said: list[str]) -> bool:
    """Whether each of the sentences said has one of the translations, up to their endings."""
    stems = [word.lower()[: max(4, len(word) - 2)] for word in translations]
    return all(any(stem in sentence.lower() for stem in stems) for sentence in said)


def asked(lexicon: Lexicon, translate, direction: Direction) -> list[tuple[Pair, bool, list[str]]]:
    """Each pair that could be added, whether the model knows its word, and what it says; `translate` takes and gives sentences."""
    pairs = [pair for items in lexicon.new.values() for pair, _ in items]
    sentences = [direction.sentences(pair) for pair in pairs]
    said = iter(translate(list(itertools.chain.from_iterable(sentences))))
    translations = direction.translations(lexicon)
    found = []
    for pair, own in zip(pairs, sentences):
        own = [next(said) for _ in own]
        found.append((pair, is_known(translations[direction.word(pair)], own), own))
    return found


def as_labels(lexicon: Lexicon, translate, direction: Direction) -> list[bool]:
    """Whether the model knows each noun by itself with a capital."""
    words = [direction.word(pair) for items in lexicon.new.values() for pair, _ in items if pair.form.kind in ("noun", "nouns")]
    said = translate([word[0].upper() + word[1:] for word in words])
    translations = direction.translations(lexicon)
    return [is_known(translations[word], [own]) for word, own in zip(words, said)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", nargs="+", type=Path, required=True, metavar="FILE", help="parallel text, xz: English, tab, German")
    parser.add_argument("--dictionary", type=Path, required=True, metavar="FILE", help="Ding's de-en")
    parser.add_argument("--model", type=Path, required=True, metavar="FILE", help="what the program translates with")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--from-german", action="store_true", help="the model translates from German")
    parsed = parser.parse_args()
    program = engine.find()
    if program is None:
        sys.exit("unknown.py: the program `wanderwort` is not there; build it with `cargo build --release`, or name it in WANDERWORT")
    lexicon = Lexicon(parsed.dictionary, list(read(parsed.pairs)))

    def translate(sentences):
        return engine.translate(program, parsed.model, sentences, 0)

    direction = Direction(parsed.from_german)
    found, labels = asked(lexicon, translate, direction), as_labels(lexicon, translate, direction)
    known, all_of = Counter(pair.form.kind for pair, knows, _ in found if knows), Counter(pair.form.kind for pair, _, _ in found)
    for kind, count in sorted(all_of.items()):
        print(f"{kind}: {known[kind]:,} of {count:,} known ({known[kind] / count:.1%})")
    print(f"nouns of both numbers as labels: {sum(labels):,} of {len(labels):,} known ({sum(labels) / max(1, len(labels)):.1%})")
    print(f"all: {known.total():,} of {all_of.total():,} known ({known.total() / all_of.total():.1%})")
    with open(parsed.out, "w", encoding="utf-8") as file:
        for pair, knows, own in found:
            if not knows:
                file.write("\t".join([pair.english, pair.german, pair.form.kind, " | ".join(own)]) + "\n")


if __name__ == "__main__":
    main()
