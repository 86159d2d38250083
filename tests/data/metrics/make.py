"""Writes the tables beside this file and sacreBLEU's scores of them.

    pip install sacrebleu==2.6.0
    python make.py NAME=REFERENCES=TRANSLATIONS ...    # plain text, line by line

Each table holds references and, column by column, hypotheses of many kinds for them.
"""

import gzip
import random
import sys
from pathlib import Path

from sacrebleu.metrics import BLEU, CHRF

HERE = Path(__file__).parent
LINES = 120
# Bytes of a table that is worth compressing.
LARGE = 100_000

# Each row: what the rules of a tokenizer or of the n-gram counts could get wrong.
EDGE = [
    ("", ""),
    ("", "Etwas, wo nichts sein soll."),
    ("Hier fehlt die Übersetzung.", ""),
    ("Ja.", "Ja."),
    ("Ja", "Nein"),
    ("a", "ab"),
    ("abcde", "abcdef abcdef"),
    ("3,141.59 ist fast 3.14, oder .5?", "3.141,59 ist fast 3.14 , oder 0,5 ?"),
    ("1990-1995 und 10.-12. Mai", "1990 - 1995 und 10.-12 Mai"),
    ("R&D kostet <5 %> mehr", "R&amp;D kostet &lt;5 %&gt; mehr"),
    ("&quot;Zitat&quot; &apos;x&apos;", '"Zitat" \'x\''),
    ("„Größe“ – so heißt’s…", "„Groesse“ - so heisst's..."),
    ("Smørrebrød 🥪🥪 und naïve Café", "Smorrebrod 🥪 und naive Cafe\u0301"),
    ("Zeilen\u00a0mit\u2009schmalen\u3000Räumen", "Zeilen mit schmalen Räumen"),
    ("日本語のテキスト。次の文。", "日本語テキスト。 次の文"),
    ("das das das das", "das"),
    ("das", "das das das das das"),
    ("<skipped> Nichts übersprungen", "Nichts <skipped>übersprungen"),
    ("a..b,,c--d", "a. . b , , c - - d"),
    ("[x]{y}(z)\\|~`^_@#$%*+=/;:!?", "[ x ] { y } ( z ) \\ | ~ ` ^ _ @ # $ % * + = / ; : ! ?"),
    ("  vorn und hinten  ", "vorn und hinten"),
    ("v1.2.3-rc.4, 10,000.", "v1.2.3 -rc.4 , 10.000 ."),
]


def columns(translations, references, seed):
    rng = random.Random(seed)

    def shuffled(line):
        words = line.split(" ")
        rng.shuffle(words)
        return " ".join(words)

    return {
        "translation": translations,
        "lower": [line.lower() for line in translations],
        "gaps": ["" if i % 3 == 0 else line for i, line in enumerate(translations)],
        "half": [line[: len(line) // 2] for line in translations],
        "twice": [f"{line} {line}" for line in translations],
        "shuffled": [shuffled(line) for line in translations],
        "neighbour": references[1:] + references[:1],
        "same": references,
        "nothing": ["" for _ in translations],
    }


def main():
    scores = ["table\tcolumn\tBLEU\tchrF"]

    def write(name, references, hypotheses):
        rows = ["\t".join(["reference", *hypotheses])]
        rows += ["\t".join(row) for row in zip(references, *hypotheses.values(), strict=True)]
        text = "".join(row + "\n" for row in rows).encode()
        if len(text) > LARGE:
            (HERE / f"{name}.gz").write_bytes(gzip.compress(text, mtime=0))
        else:
            (HERE / name).write_bytes(text)
        for column, lines in hypotheses.items():
            bleu, chrf = BLEU(force=True).corpus_score(lines, [references]), CHRF().corpus_score(lines, [references])
            scores.append(f"{name}\t{column}\t{bleu.score!r}\t{chrf.score!r}")

    for seed, argument in enumerate(sys.argv[1:]):
        name, references, translations = argument.split("=")
        read = lambda path: Path(path).read_text(encoding="utf-8").split("\n")[:LINES]
        references = read(references)
        write(f"{name}.tsv", references, columns(read(translations), references, seed))
    references, hypotheses = zip(*EDGE)
    write("edge.tsv", list(references), {"hypothesis": list(hypotheses), "reversed": list(hypotheses)[::-1]})
    for name, (reference, hypothesis) in {"short.tsv": ("Ja", "Ja"), "three.tsv": ("eins zwei drei", "eins zwei drei")}.items():
        write(name, [reference], {"hypothesis": [hypothesis]})
    (HERE / "sacrebleu.tsv").write_text("\n".join(scores) + "\n", encoding="utf-8", newline="\n")


main()
