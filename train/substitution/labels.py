"""Words as labels, lists and headings have them: by themselves, with a capital.

    python3 labels.py --entries FILE.tsv.xz… --model FILE.wanderwort --out FILE.tsv [--learnt FILE.tsv]

A dictionary's entries and the words that `substitute.py` adds begin in lower case. A student of those who knows "butterfly" may
still take "Butterfly" for a name and copy it, for within a sentence that is what English capitals mean. Of the pairs of one to three
words this takes those that the model translates rightly as they are (what a dictionary has beside it is too seldom meant), and
writes them with capitals on both sides. `--learnt` names pairs of `substitute.py --unknown`: of those, words that the model does not know
yet, each is taken. Needs the program `wanderwort` (see `engine.find`).
"""

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

from wordfreq import zipf_frequency

from wanderwort_train import corpus, engine

#: A word must be as common as this; each of several together a little more so.
LEAST, LEAST_TOGETHER = 3.0, 3.5
SENTENCE = re.compile(r"[.?!…,;:()]")


def is_label(english: str, german: str) -> bool:
    """Whether a pair is short, without marks, and begins in lower case."""
    return english[:1].islower() and len(english.split()) <= 3 and 1 <= len(german.split()) <= 4 and not SENTENCE.search(english + german)


def is_common(english: str) -> bool:
    """Whether readers meet all of its words."""
    words = english.split()
    return min(zipf_frequency(word, "en") for word in words) >= (LEAST if len(words) == 1 else LEAST_TOGETHER)


def known(pairs: list[tuple[str, str]], translate) -> list[tuple[str, str]]:
    """What the model says for each English side, where it is one of the German ones; `translate` takes and gives lines."""
    translations = defaultdict(set)
    for english, german in pairs:
        translations[english].add(german.lower())
    sources = sorted(translations)
    return [(english, said) for english, said in zip(sources, translate(sources)) if said.lower() in translations[english]]


def capitalized(text: str) -> str:
    """The text with its first letter large."""
    return text[0].upper() + text[1:]


def read(paths: list[Path]) -> list[tuple[str, str]]:
    """The pairs of files that may be labels."""
    rows = (line.split("\t") for path in paths for _, line in corpus.read_lines(path))
    return [(row[0], row[1]) for row in rows if len(row) > 1 and is_label(row[0], row[1])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--entries", nargs="+", type=Path, required=True, metavar="FILE", help="a dictionary's pairs: English, tab, German")
    parser.add_argument("--model", type=Path, required=True, metavar="FILE", help="what the program translates with")
    parser.add_argument("--learnt", nargs="*", type=Path, default=[], metavar="FILE", help="pairs that are taken whatever the model says")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parsed = parser.parse_args()
    program = engine.find()
    if program is None:
        sys.exit("labels.py: the program `wanderwort` is not there; build it with `cargo build --release`, or name it in WANDERWORT")
    learnt = read(parsed.learnt)
    entries = [pair for pair in read(parsed.entries) if is_common(pair[0])]
    own = known(entries, lambda lines: engine.translate(program, parsed.model, lines, 0))
    found = dict.fromkeys((capitalized(english), capitalized(german)) for english, german in [*learnt, *own])
    with open(parsed.out, "w", encoding="utf-8") as file:
        file.writelines(f"{english}\t{german}\n" for english, german in found)
    print(f"{len(found):,} labels, {len(own):,} of them known")


if __name__ == "__main__":
    main()
