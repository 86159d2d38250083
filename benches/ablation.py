#!/usr/bin/env python3
"""What each method is worth in this engine: table 2 of Junczys-Dowmunt et al., 2018, for ours.

    python3 benches/ablation.py --model FOLDER --source wmt16.en --reference wmt16.de --source wmt17.en --reference wmt17.de
    python3 benches/ablation.py --model models/en-de.tiny.wanderwort --source test.en --reference test.de --processes 2 --pin

Methods are added one after the other, as there. Times are wall-clock seconds of the whole process, loading included, over all sets
together, on one thread: one sentence at a time, then in batches of 384 words (as many sentences as that makes on average are decoded side
by side, and 384 pieces encoded together), then in the batches that the engine makes by itself; each further column is the last with the
processes and threads of --cores. BLEU is the mean over the sets, as in the shared task of 2020 with its WMT1*.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from program import OutOfRange, run

ROOT = Path(__file__).resolve().parents[1]
BATCH_WORDS = 384

# What is added, and the options with it; or, without options, a remark.
ROWS: list[tuple[str, list[str] | None, str]] = [
    ("float32, all words", ["--precision", "float32", "--no-shortlist"], ""),
    ("+ shortlist", ["--precision", "float32"], ""),
    ("+ int16", ["--precision", "int16"], ""),
    ("+ packing once", None, "in all rows: weights are packed when they are loaded"),
    ("+ auto-tuning", None, "none here: the kernel is chosen by the processor's instructions"),
    ("int8 instead of int16", ["--precision", "int8"], ""),
]


class Sets:
    """Test sets, joined into one text."""

    def __init__(self, sources: list[Path], references: list[Path], lines: int | None, folder: Path):
        if len(sources) != len(references):
            sys.exit(f"ablation.py: expected a --reference for each --source, found {len(sources)} and {len(references)}")
        self.folder, self.counts, self.text = folder, [], folder / "all.source"
        joined: list[str] = []
        for index, (source, reference) in enumerate(zip(sources, references)):
            texts = [path.read_text(encoding="utf-8").split("\n") for path in (source, reference)]
            texts = [text[:-1] if text[-1] == "" else text for text in texts]
            if len(texts[0]) != len(texts[1]):
                sys.exit(f"ablation.py: {source} has {len(texts[0])} lines, {reference} has {len(texts[1])}")
            chosen = [text[:lines] for text in texts]
            joined += chosen[0]
            self.counts.append(len(chosen[0]))
            (folder / f"{index}.reference").write_text("".join(f"{line}\n" for line in chosen[1]), encoding="utf-8")
        self.text.write_text("".join(f"{line}\n" for line in joined), encoding="utf-8")
        self.words = sum(len(line.split()) for line in joined)
        self.slots = max(1, round(BATCH_WORDS * len(joined) / max(self.words, 1)))

    def bleu(self, program: Path, translations: str) -> float:
        """The mean of the sets' scores."""
        lines, scores = translations.split("\n"), []
        for index, count in enumerate(self.counts):
            own, lines = lines[:count], lines[count:]
            (self.folder / "hypothesis").write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
            files = ["--hypothesis", str(self.folder / "hypothesis"), "--reference", str(self.folder / f"{index}.reference")]
            printed = run(program, "evaluate", *files)
            scores.append(next(float(line.split("=")[1]) for line in printed.splitlines() if line.startswith("BLEU = ")))
        return sum(scores) / len(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "target/release/wanderwort")
    parser.add_argument("--model", type=Path, default=ROOT / "tests/data/en-de.prototype")
    parser.add_argument("--source", type=Path, action="append", help="can be repeated, with as many of the next")
    parser.add_argument("--reference", type=Path, action="append")
    parser.add_argument("--lines", type=int, help="only the first lines of each set")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--cores", action="append", default=[], metavar="PxT", help="processes and threads of a further column; can be repeated")
    parser.add_argument("--pin", action="store_true", help="pin the processes of --cores")
    given = parser.parse_args()
    sources = given.source or [ROOT / "benches/data/flores-dev.en"]
    references = given.reference or [ROOT / "benches/data/flores-dev.de"]
    with tempfile.TemporaryDirectory() as folder:
        sets = Sets(sources, references, given.lines, Path(folder))
        one = ["--threads", "1"]
        columns = [
            ("one at a time", [*one, "--slots", "1"]),
            (f"batches of {BATCH_WORDS} words", [*one, "--slots", str(sets.slots), "--pieces", str(BATCH_WORDS)]),
            ("batches of the engine", one),
        ]
        for cores in given.cores:
            processes, _, threads = cores.partition("x")
            if not (processes.isdigit() and threads.isdigit()):
                sys.exit(f"ablation.py: --cores: expected processes x threads, such as 2x1, found {cores!r}")
            options = ["--processes", processes, "--threads", threads, *(["--pin"] if given.pin else [])]
            columns.append((f"{processes} x {threads}", options))
        print(f"{given.model.name}, {len(sets.counts)} set(s), {sum(sets.counts)} lines, {sets.words} words; seconds with loading\n")
        print(f"| | BLEU | {' | '.join(name for name, _ in columns)} |")
        print(f"| --- | ---: | {' | '.join('---:' for _ in columns)} |")
        for name, options, remark in ROWS:
            if options is None:
                print(f"| {name} | {remark} |{' |' * len(columns)}")
                continue
            best, printed = [float("inf")] * len(columns), ""
            try:
                # In turns, so that whatever else the machine does affects all columns.
                for _ in range(given.rounds):
                    for index, (_, how) in enumerate(columns):
                        command = [str(given.program), "translate", "--model", str(given.model), "--lines-as-sentences", *options, *how]
                        with sets.text.open(encoding="utf-8") as text:
                            start = time.monotonic()
                            output = run(*command, stdin=text)
                            best[index] = min(best[index], time.monotonic() - start)
                        if printed not in ("", output):
                            sys.exit(f"ablation.py: {' '.join(command)} prints something else than the columns before")
                        printed = output
            except OutOfRange:
                print(f"| {name} | weights out of its range |{' |' * len(columns)}", flush=True)
                continue
            times = " | ".join(f"{seconds:.2f}" for seconds in best)
            print(f"| {name} | {sets.bleu(given.program, printed):.2f} | {times} |", flush=True)


if __name__ == "__main__":
    main()
