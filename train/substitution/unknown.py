"""The dictionary's words that a model does not know: what it says for them is none of their translations.

    python3 unknown.py --pairs FILE.tsv.xz… --dictionary FILE --model FILE.wanderwort --out FILE.tsv

Prints the share of each kind of word that the model knows, and of the nouns as labels, by themselves with a capital, where a model may take
them for names; writes the words that it does not know, one a line: English, German, kind, and what the model says. `substitute.py --unknown` then puts those into sentences before others. Only words that it would put there are
asked for, so what is rare or of doubtful meaning does not count; a word's form and its synonyms do not matter. Needs the program
`wanderwort` (see `engine.find`).
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from substitute import Lexicon, Pair, read

from wanderwort_train import engine

#: Kind of a pair → where its English word stands when the model is asked for it.
FRAMES = {
    "noun": ("{}", "I saw the {} yesterday."),
    "nouns": ("{}", "He talked about {}."),
    "adjective": ("It is very {}.", "This is a {} idea."),
    "infinitive": ("They want to {} it.", "You must {} that."),
    "participle": ("It was {} yesterday.", "They have {} it."),
}


def is_known(translations: list[str], said: list[str]) -> bool:
    """Whether each of the sentences said has one of the translations, up to their endings."""
    stems = [word.lower()[: max(4, len(word) - 2)] for word in translations]
    return all(any(stem in sentence.lower() for stem in stems) for sentence in said)


def asked(lexicon: Lexicon, translate) -> list[tuple[Pair, bool, list[str]]]:
    """Each pair that could be added, whether the model knows its English word, and what it says; `translate` takes and gives sentences."""
    pairs = [pair for items in lexicon.new.values() for pair, _ in items]
    sentences = [frame.format(pair.english) for pair in pairs for frame in FRAMES[pair.form.kind]]
    said = iter(translate(sentences))
    found = []
    for pair in pairs:
        own = [next(said) for _ in FRAMES[pair.form.kind]]
        translations = [other.german for other in lexicon.by_english[pair.english]]
        found.append((pair, is_known(translations, own), own))
    return found


def as_labels(lexicon: Lexicon, translate) -> list[bool]:
    """Whether the model knows each noun by itself with a capital."""
    pairs = [pair for items in lexicon.new.values() for pair, _ in items if pair.form.kind in ("noun", "nouns")]
    said = translate([pair.english[0].upper() + pair.english[1:] for pair in pairs])
    return [is_known([other.german for other in lexicon.by_english[pair.english]], [own]) for pair, own in zip(pairs, said)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", nargs="+", type=Path, required=True, metavar="FILE", help="parallel text, xz: English, tab, German")
    parser.add_argument("--dictionary", type=Path, required=True, metavar="FILE", help="Ding's de-en")
    parser.add_argument("--model", type=Path, required=True, metavar="FILE", help="what the program translates with")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parsed = parser.parse_args()
    program = engine.find()
    if program is None:
        sys.exit("unknown.py: the program `wanderwort` is not there; build it with `cargo build --release`, or name it in WANDERWORT")
    lexicon = Lexicon(parsed.dictionary, list(read(parsed.pairs)))

    def translate(sentences):
        return engine.translate(program, parsed.model, sentences, 0)

    found, labels = asked(lexicon, translate), as_labels(lexicon, translate)
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
