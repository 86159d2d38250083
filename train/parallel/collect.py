"""English-German sentence pairs from games in Debian's packages: dialogue and narration, of which corpora of documentation have little.

    python3 collect.py FILE.tsv [--without FILE…]

Needs `apt-get`, `dpkg-deb` and what they reach, and polib (`pip install --editable '.[parallel]'`); writes FILE, a pair a line:
English, tab, German. `--without` names development and test sets, and corpora that there are already (pairs in lines or one language a
file, `.xz` too): no pair with one of their sentences is written.
What is taken is under the packages' own free licences, mostly GPL-2.0 or later (FreeDink: zlib):

- message catalogues (.mo): Battle for Wesnoth and its campaigns, FreedroidRPG, Widelands, Freeciv, UFO: Alien Invasion, FreeDink, Warzone
  2100, LordsAWar, gbrainy, and two programs that tell of stars and families: KStars, Gramps
- spoken lines of Fish Fillets (dialogs_de.lua)
- descriptions of Tux Paint's stamps
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

import polib

from wanderwort_train import corpus

CAMPAIGNS = "did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs".split()
PACKAGES = [
    "wesnoth-1.16-data",
    *(f"wesnoth-1.16-{campaign}" for campaign in CAMPAIGNS),
    *"freedroidrpg-data ufoai-misc freeciv-data widelands-data warzone2100-data freedink-data lordsawar-data gbrainy".split(),
    *"kstars-data gramps fillets-ng-data tuxpaint-stamps-default".split(),
]

#: A sentence ends at a full stop, question or exclamation mark, with quotes that close, before a capital, a digit or a quote.
END = re.compile(r"(?<=[.?!…])([\"'”’“«)]*)\s+(?=[\"'„“»‚(]?[A-ZÄÖÜ0-9])")
TAG = re.compile(r"</?[a-z]+(?: [^<>]*)?/?>")
#: What a translator is told about a text, before it.
CONTEXT = re.compile(r"^(?:[\w :,.'*=/-]{1,60}\^|\?[\w-]+:)\s*")
#: Variables, formats, markup, keys and tables.
ODD = re.compile(r"[<>{}|\\_=~^*#@$%\[\]]|&[a-z]+;|https?:|--|\.\.\.\.")
#: Words of which a German sentence has some and an English one none, for catalogues with untranslated parts.
GERMAN = set(
    "der die das den dem des ein eine einen einem einer mein dein sein kein ist sind bin bist war und oder aber nicht ich du er sie es wir ihr "
    "mich dich uns mit auf für von zu im bei nach aus ja nein wenn dass wie wer wo hier jetzt auch nur noch".split()
)
LONGEST = 70


def parts(english: str, german: str):
    """Paragraphs, then sentences, where there are as many in both languages."""
    texts = [TAG.sub("", CONTEXT.sub("", side)).strip() for side in (english, german)]
    paragraphs = [[part for part in re.split(r"\s*\n\s*\n\s*", text) if part] for text in texts]
    if len(paragraphs[0]) != len(paragraphs[1]):
        paragraphs = [[" ".join(side)] for side in paragraphs]
    for pair in zip(*paragraphs):
        whole = [corpus.clean_text(side) for side in pair]
        split = [sentences(side) for side in whole]
        if len(split[0]) == len(split[1]) and all(is_pair(*found) for found in zip(*split)):
            yield from zip(*split)
        else:
            yield tuple(whole)


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph; what closes one stays with it."""
    found, start = [], 0
    for end in END.finditer(text):
        found.append(text[start : end.end(1)])
        start = end.end()
    return [*found, text[start:]]


def is_pair(english: str, german: str) -> bool:
    """Whether both are running text and may translate each other."""
    words, others = english.split(), german.split()
    if not 2 <= len(words) <= LONGEST or not 1 <= len(others) <= LONGEST or ODD.search(english + german):
        return False
    if not all(re.search(r"[.?!…][\"'”’“«)]*$", side) for side in (english, german)) or english.lower() == german.lower():
        return False
    if not 0.4 < (len(english) + 8) / (len(german) + 8) < 2.0 or english.count('"') % 2 or german.count('"') % 2:
        return False
    letters = [sum(c.isalpha() for c in side) > 0.65 * len(side) for side in (english, german)]
    plain = [word.strip(".,;:?!\"'„“").lower() for word in others]
    return all(letters) and (len(words) < 6 or bool(GERMAN.intersection(plain)) or bool(re.search("[äöüß]", german)))


def catalogues(folder: Path):
    """Messages and their translations, plurals as well."""
    for path in sorted(folder.rglob("de/LC_MESSAGES/*.mo")):
        for entry in polib.mofile(str(path)):
            yield entry.msgid, entry.msgstr or entry.msgstr_plural.get(0, "")
            if entry.msgid_plural:
                yield entry.msgid_plural, entry.msgstr_plural.get(1, "")


def dialogues(folder: Path):
    """Lines of Fish Fillets: the English one with its name, then the German one."""
    line = r'"((?:[^"\\]|\\.)*)"'
    both = re.compile(rf"dialogId\({line}, {line}, {line}\)\s*dialogStr\({line}\)")
    for path in sorted(folder.rglob("dialogs_de.lua")):
        for _, _, english, german in both.findall(path.read_text(encoding="utf-8")):
            yield (re.sub(r"\\(.)", r"\1", side) for side in (english, german))


def stamps(folder: Path):
    """Descriptions of pictures: English in the first line, then a line for each language."""
    for path in sorted(folder.rglob("tuxpaint/stamps/**/*.txt")):
        english, *others = path.read_text(encoding="utf-8", errors="replace").splitlines() or [""]
        for line in others:
            if line.startswith("de.utf8="):
                yield english, line.removeprefix("de.utf8=")


def collect(folder: Path, kept_out: set[str]):
    """Name of the source and pair, each once, in order; `kept_out` has the fingerprints of sentences that no pair may have."""
    seen = set()
    for name, source in (("catalogues", catalogues), ("dialogues", dialogues), ("stamps", stamps)):
        for english, german in source(folder):
            for pair in parts(english, german):
                keys = tuple(map(corpus.fingerprint, pair))
                if keys not in seen and is_pair(*pair) and not kept_out.intersection(keys):
                    seen.add(keys)
                    yield name, pair


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target", type=Path, metavar="FILE.tsv")
    parser.add_argument("--without", nargs="*", type=Path, default=[], metavar="FILE", help="development and test sets, corpora")
    parsed = parser.parse_args()
    lines = (line for path in parsed.without for _, line in corpus.read_lines(path))
    kept_out = {corpus.fingerprint(side) for line in lines for side in line.split("\t")}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for package in PACKAGES:
            subprocess.run(["apt-get", "download", "--quiet", package], cwd=folder, check=True)
            for archive in folder.glob("*.deb"):
                subprocess.run(["dpkg-deb", "--extract", archive, folder / package], check=True)
                archive.unlink()
        counts: dict[str, list[int]] = {}
        with open(parsed.target, "w", encoding="utf-8") as file:
            for name, (english, german) in collect(folder, kept_out):
                file.write(f"{english}\t{german}\n")
                count = counts.setdefault(name, [0, 0])
                count[0] += 1
                count[1] += len(english.split())
    for name, (pairs, words) in counts.items():
        print(f"{name}: {pairs:,} pairs, {words:,} English words")


if __name__ == "__main__":
    main()
