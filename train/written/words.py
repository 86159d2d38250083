"""Common English words with few examples in parallel text: what to write pairs about in this folder.

    python3 words.py --pairs FILE.tsv.xz… --dictionary FILE [--first N]

Prints them, the commonest first. `--pairs` are the everyday sentences and news that a student learns from; `--dictionary` is the German-English
dictionary Ding as in Debian's package trans-de-en: words that it lacks are mostly names. Word frequencies come from wordfreq (PyPI; its data
CC-BY-SA 4.0).
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from wordfreq import top_n_list

from wanderwort_train import corpus

WORD = re.compile(r"[a-z]+")
#: (rank, occurrences): English words up to this rank need this many occurrences.
ENOUGH = ((6_000, 60), (14_000, 30), (26_000, 12))


def seldom(words: list[str], occurrences: Counter, known: set[str]) -> list[str]:
    """Those of `words`, the commonest first, that are `known` and occur too seldom for how common they are."""
    found = []
    for rank, word in enumerate(words):
        enough = next((count for first, count in ENOUGH if rank < first), 0)
        if len(word) > 2 and WORD.fullmatch(word) and word in known and occurrences[word] < enough:
            found.append(word)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", nargs="+", type=Path, required=True, metavar="FILE", help="parallel text: English, tab, German")
    parser.add_argument("--dictionary", type=Path, required=True, metavar="FILE", help="Ding's de-en")
    parser.add_argument("--first", type=int, default=17_000, metavar="N", help="only so many [%(default)s]")
    arguments = parser.parse_args()
    occurrences = Counter()
    for path in arguments.pairs:
        for english, _ in corpus.read_pairs(path):
            occurrences.update(WORD.findall(english.lower()))
    known = set()
    for _, line in corpus.read_lines(arguments.dictionary):
        known.update(re.findall(r"[A-Za-z]+", line.partition("::")[2]))
    for word in seldom(top_n_list("en", ENOUGH[-1][0]), occurrences, known)[: arguments.first]:
        print(word)


if __name__ == "__main__":
    main()
