"""Translations of sentences that are not ours to pass on: kept under checksums of the sentences, joined again with the text they come from.

    python3 translations.py add --sources FILE… --translations FILE… --to en-de.tsv.xz
    python3 translations.py join --translations en-de.tsv.xz --text FILE… --out FILE.tsv.xz [--swap]

`add` takes files of equally many lines, with a sentence and its translation on the same line of each. A file of translations has one per line,
ordered by checksum: the first 10 hexadecimal digits of the SHA-256 of the sentence's UTF-8 text in NFC, a tab, the translation. `join` finds
the sentences in text, one a line, and writes sentence, tab, translation; with `--swap` the translation stands first, for the other direction.
"""

import argparse
import contextlib
import hashlib
import lzma
import sys
import unicodedata
from collections import Counter
from pathlib import Path

from wanderwort_train import corpus
from wanderwort_train.errors import TrainingError
from wanderwort_train.files import atomic

#: What is longer or shorter than a sentence by more than this factor is not its translation.
MAX_LENGTH_RATIO = 2.5
#: Of a million other sentences, 0.05 on average have the checksum of one of 60,000.
CHECKSUM_DIGITS = 10


def checksum(sentence: str) -> str:
    """What stands for a sentence."""
    return hashlib.sha256(unicodedata.normalize("NFC", sentence).encode()).hexdigest()[:CHECKSUM_DIGITS]


def read(path: Path) -> dict[str, str]:
    """Translations by checksum."""
    found = {}
    for number, (key, translation) in enumerate(corpus.read_pairs(path), 1):
        if len(key) != CHECKSUM_DIGITS or not set(key) <= set("0123456789abcdef"):
            raise TrainingError(f"{path}, line {number}: expected a checksum of {CHECKSUM_DIGITS} hexadecimal digits, found {key!r}")
        if key in found:
            raise TrainingError(f"{path}, line {number}: a second translation for the checksum {key}")
        found[key] = translation
    return found


@contextlib.contextmanager
def packed(path: Path):
    """Opens an xz file for text that appears at `path` when it is complete."""
    with atomic(path) as file, lzma.open(file, "wt", preset=9 | lzma.PRESET_EXTREME, encoding="utf-8", newline="\n") as text:
        yield text


def write(path: Path, translations: dict[str, str]):
    """Writes translations; the same ones always give the same bytes."""
    with packed(path) as file:
        file.writelines(f"{key}\t{translations[key]}\n" for key in sorted(translations))


def unfit(sentence: str, translation: str) -> str | None:
    """Why a translation is left out, or None."""
    if translation == corpus.clean_text(sentence):
        return "left as it was"
    return corpus.reason_to_drop(corpus.clean_text(sentence), translation, MAX_LENGTH_RATIO)


def add(sources: list[Path], translated: list[Path], to: Path) -> Counter:
    """Adds translations to a file of them; a new one replaces an old one. Returns what became of them."""
    if len(sources) != len(translated):
        raise TrainingError(f"{len(sources)} files of sentences but {len(translated)} of translations: name a file of translations for each")
    kept = read(to) if to.exists() else {}
    outcome = Counter()
    for source, translation in zip(sources, translated):
        for sentence, found in corpus.read_parallel([source, translation]):
            found = corpus.clean_text(found)
            reason = unfit(sentence, found)
            key = checksum(sentence)
            outcome[reason or ("replaced" if key in kept else "added")] += 1
            if reason is None:
                kept[key] = found
    write(to, kept)
    return outcome


def join(translations: Path, text: list[Path], out: Path, swap: bool) -> tuple[int, int]:
    """Writes the pairs whose sentences are in the text. Returns their number, and how many translations have no sentence there."""
    left = read(translations)
    count = len(left)
    with packed(out) as file:
        for path in text:
            for _, sentence in corpus.read_lines(path):
                translation = left.pop(checksum(sentence), None)
                if translation is not None:
                    pair = (corpus.clean_text(sentence), translation)
                    file.write("\t".join(reversed(pair) if swap else pair) + "\n")
        if len(left) == count:
            raise TrainingError(f"{translations}: none of its {count:,} sentences is in the text; is it the text that the README names?")
    return count - len(left), len(left)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    adding = commands.add_parser("add", help="add translations to a file of them")
    adding.add_argument("--sources", nargs="+", type=Path, required=True, metavar="FILE", help="sentences, one a line")
    adding.add_argument("--translations", nargs="+", type=Path, required=True, metavar="FILE", help="their translations, line by line")
    adding.add_argument("--to", type=Path, required=True, metavar="FILE", help="file of translations (.tsv.xz); made if there is none")
    joining = commands.add_parser("join", help="write sentence pairs for training")
    joining.add_argument("--translations", type=Path, required=True, metavar="FILE", help="file of translations (.tsv.xz)")
    joining.add_argument("--text", nargs="+", type=Path, required=True, metavar="FILE", help="the text that was translated, a sentence a line")
    joining.add_argument("--out", type=Path, required=True, metavar="FILE", help="sentence pairs (.tsv.xz)")
    joining.add_argument("--swap", action="store_true", help="write the translation first, for a student of the other direction")
    parsed = parser.parse_args(arguments)
    try:
        if parsed.command == "add":
            outcome = add(parsed.sources, parsed.translations, parsed.to)
            print(f"{parsed.to}: " + ", ".join(f"{count:,} {name}" for name, count in sorted(outcome.items())))
        else:
            found, missing = join(parsed.translations, parsed.text, parsed.out, parsed.swap)
            print(f"{parsed.out}: {found:,} pairs" + (f"; the text lacks the sentences of {missing:,} translations" if missing else ""))
    except TrainingError as error:
        print(f"translations.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
