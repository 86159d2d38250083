"""English-German sentence pairs of kinds of which corpora of documentation have little: what games say and tell, what web pages say.

    python3 collect.py {games,web} FILE.tsv [--without FILE…]

Needs `apt-get`, `pip` and `npm`, what these reach, and polib (`pip install --editable '.[parallel]'`). Writes FILE, a pair a line:
English, tab, German. `--without` names development and test sets, and corpora that there are already (pairs in lines or
one language a file, `.xz` too): no pair with one of their sentences is written.
What is taken is under the packages' own free licences:

games, from Debian, mostly GPL-2.0 or later (FreeDink: zlib; Cataclysm and parts of others: CC-BY-SA 3.0)

- message catalogues (.mo, .po): Battle for Wesnoth and its campaigns, Cataclysm: Dark Days Ahead, Naev, FreedroidRPG, Widelands, Freeciv,
  UFO: Alien Invasion, FreeDink, Warzone 2100, Flare, SuperTux, LordsAWar, The Legend of Edgar, Seven Kingdoms, gbrainy, and two programs
  that tell of stars and families: KStars, Gramps
- texts with names: FreeOrion, FreeCol, Hedgewars
- spoken lines of Fish Fillets (dialogs_de.lua)
- descriptions of Tux Paint's stamps, and of Stellarium's landscapes and peoples' stars

web, from PyPI and npm, labels and headings too

- message catalogues: shops (pretix, AGPL-3.0; django-oscar, BSD), conferences and their tickets (indico, MIT; pretalx, Apache-2.0), Wagtail
  (BSD), Weblate (GPL-3.0 or later), Plone (GPL-2.0), NetBox and Superset (Apache-2.0), OctoPrint and CKAN (AGPL-3.0)
- messages with names: Home Assistant (Apache-2.0), MediaWiki and its extensions (GPL-2.0 or later, from Debian), chat and forum (Matrix, NodeBB;
  GPL-3.0), shops (Medusa, MIT; Vendure, GPL-3.0), signing in (keycloakify, MIT), what stands on a map (OpenStreetMap's tagging schema, ISC)
- Node-RED's help (Apache-2.0)
"""

import argparse
import html
import json
import lzma
import re
import tempfile
from pathlib import Path

import polib

from wanderwort_train import corpus, errors, packages

#: The releases of Debian whose packages are taken: the last that has one.
RELEASES = ("bookworm", "trixie")
CAMPAIGNS = "did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs wof".split()
DEBIAN = [
    "wesnoth-1.18-data",
    *(f"wesnoth-1.18-{campaign}" for campaign in CAMPAIGNS),
    *"freedroidrpg-data ufoai-misc freeciv-data widelands-data warzone2100-data freedink-data lordsawar-data gbrainy".split(),
    *"kstars-data gramps fillets-ng-data tuxpaint-stamps-default".split(),
    *"cataclysm-dda-data naev-data flare-game supertux-data edgar 7kaa-data freeorion-data freecol hedgewars-data stellarium-data".split(),
]
PACKAGES = (
    "matrix-react-sdk@3.114.0 @medusajs/dashboard@2.21.2 @vendure/admin-ui@3.7.3 nodebb@1.4.0 keycloakify@11.16.0 "
    "@openstreetmap/id-tagging-schema@7.2.0 @node-red/nodes@5.0.7 @node-red/editor-client@5.0.7"
).split()
WHEELS = (
    "pretix==2026.8.0 django-oscar==4.2.1 indico==3.2.9 pretalx==2025.2.2 wagtail==8.0.1 weblate==5.14.3 plone.app.locales==7.0.4 "
    "netbox==4.7.3 apache-superset==6.1.0 octoprint==1.11.8 ckan==2.12.0 homeassistant==2026.11.0"
).split()

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
    installed = [path for path in folder.rglob("LC_MESSAGES/*.[mp]o") if path.parent.parent.name in ("de", "de_DE")]
    beside = [path for name in ("de.po", "*.de.po") for path in folder.rglob(name)]
    for path in sorted({*installed, *beside}):
        if path.suffix == ".mo" and path.with_suffix(".po").exists():
            continue
        for entry in (polib.mofile if path.suffix == ".mo" else polib.pofile)(str(path)).translated_entries():
            yield entry.msgid, entry.msgstr or entry.msgstr_plural.get(0, "")
            if entry.msgid_plural:
                yield entry.msgid_plural, entry.msgstr_plural.get(1, "")


#: How the name of a German file becomes that of the English one.
ENGLISH = [
    ("de_DE.json", "en_EN.json"),
    ("de.json", "en.json"),
    ("/de/", "/en-US/"),
    ("/de/", "/en_GB/"),
    ("_de.properties", ".properties"),
    ("_de.properties", "_en.properties"),
    ("/de.txt", "/en.txt"),
    (".de.utf8", ".en.utf8"),
]


def translated(folder: Path, ending: str):
    """English and German text of the files with this ending that lie beside each other, in the order of their names."""
    for path in sorted(folder.rglob(f"*{ending}")):
        names = (Path(str(path).replace(german, english)) for german, english in ENGLISH if german in str(path))
        if other := next((name for name in names if name != path and name.exists()), None):
            yield tuple(file.read_text(encoding="utf-8", errors="replace") for file in (other, path))


def named(folder: Path):
    """Texts that have the same name in an English and a German file."""
    for ending, read in ((".json", messages), (".properties", properties), ("de.txt", string_table)):
        for pair in translated(folder, ending):
            texts, translations = map(read, pair)
            yield from ((texts[name], translations[name]) for name in texts if name in translations)


def messages(text: str) -> dict[str, str]:
    """A .json file's texts by their names, those of its parts joined with dots."""

    def flat(value, name: str):
        if isinstance(value, dict):
            for key, part in value.items():
                yield from flat(part, f"{name}.{key}")
        elif isinstance(value, str):
            yield name, value

    return dict(flat(json.loads(text), ""))


def properties(text: str) -> dict[str, str]:
    """A Java program's texts by their names."""
    lines = (line for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {name.strip(): value.strip().replace("\\n", "\n") for name, value in (line.split("=", 1) for line in lines)}


def string_table(text: str) -> dict[str, str]:
    """FreeOrion's texts by their names: a name in a line, then a line of text or several between ticks."""
    entry = re.compile(r"^([A-Z][A-Z0-9_]+)\n(?:'''(.*?)'''|([^\n]+))$", re.MULTILINE | re.DOTALL)
    return {name: long or line for name, long, line in entry.findall(re.sub(r"(?m)^#.*\n", "", text))}


def scripts(folder: Path):
    """Hedgewars: a table in which English texts name the German ones."""
    quoted = r'"((?:[^"\\]|\\.)*)"'
    for path in sorted(folder.rglob("Locale/de.lua")):
        for pair in re.findall(rf"\[{quoted}\]\s*=\s*{quoted}", path.read_text(encoding="utf-8")):
            yield tuple(re.sub(r"\\(.)", r"\1", side) for side in pair)


def pages(folder: Path):
    """What a page says between its tags, where both languages have as many of each."""
    tags = r"p|li|h\d|td|dt|dd"
    block = re.compile(rf"<({tags})\b[^>]*>(.*?)(?=</?(?:{tags}|ul|ol|tr|dl)\b)", re.DOTALL)
    for ending in (".utf8", ".html"):
        for pair in translated(folder, ending):
            blocks = [block.findall(page) for page in pair]
            if [tag for tag, _ in blocks[0]] == [tag for tag, _ in blocks[1]]:
                for (_, english), (_, german) in zip(*blocks):
                    yield tuple(html.unescape(re.sub(r"<[^<>]*>", "", side)).replace("\n", " ") for side in (english, german))


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
    for name, source in SOURCES.items():
        for english, german in source(folder):
            for pair in parts(english, german):
                keys = tuple(map(corpus.fingerprint, pair))
                if keys not in seen and is_pair(*pair, labels) and not kept_out.intersection(keys):
                    seen.add(keys)
                    yield name, pair


SOURCES = {
    "catalogues": catalogues,
    "names": named,
    "scripts": scripts,
    "dialogues": dialogues,
    "stamps": stamps,
    "pages": pages,
}


def games(folder: Path):
    packages.debian(folder, DEBIAN, RELEASES)


def web(folder: Path):
    packages.wheels(folder, WHEELS, re.compile(r"/LC_MESSAGES/|/translations/(en|de)\.json$"))
    packages.npm(folder, PACKAGES, re.compile(r"\.(json|properties|html)$"))
    packages.debian(folder, ["mediawiki"], RELEASES)


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
        try:
            (games if parsed.kind == "games" else web)(folder)
        except errors.TrainingError as error:
            raise SystemExit(f"error: {error}") from error
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
