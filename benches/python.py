#!/usr/bin/env python3
"""How fast the Python package is compared with the command line: words per second on the same text and threads.

Run by a Python that has the package, with a command line of the same profile:

    ./build.sh native && ./build.sh python
    python3 -m venv target/bench && target/bench/bin/pip install dist/wanderwort-*.whl
    target/bench/bin/python benches/python.py

Both are whole processes that read a file, load the model and write a file. They take turns, so that whatever else the machine
does affects both; the figures are for processor time and, in parentheses, wall-clock time, each the best of its rounds.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

CHILD = """
import sys, wanderwort
model, threads, source, target = sys.argv[1:]
translator = wanderwort.Translator(model, threads=int(threads))
with open(source, encoding="utf-8", newline="\\n") as lines, open(target, "w", encoding="utf-8", newline="\\n") as output:
    for line in translator.translate_iter(line.rstrip("\\n") for line in lines):
        output.write(line.replace("\\n", " ") + "\\n")
"""


def measured(arguments: list[str], **options: object) -> tuple[float, float]:
    """Seconds of processor time and of wall-clock time that a process takes."""
    before, start = os.times(), time.monotonic()
    subprocess.run(arguments, check=True, **options)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.monotonic() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=ROOT / "models/en-de.tiny.wanderwort")
    parser.add_argument("--program", default=ROOT / "target/release/wanderwort")
    parser.add_argument("--source", help="a file of lines [default: sentences of the tests, many times over]")
    parser.add_argument("--times", type=int, default=20, help="how often the sentences of the tests are repeated")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = options.source or f"{folder}/source"
        if not options.source:
            rows = (ROOT / "tests/data/marian-golden/golden.tsv").read_text(encoding="utf-8").splitlines()
            text = "".join(row.split("\t")[0] + "\n" for row in rows)
            Path(source).write_text(text * options.times, encoding="utf-8")
        words = len(Path(source).read_text(encoding="utf-8").split())
        outputs = [f"{folder}/line", f"{folder}/wheel"]
        model, threads = str(options.model), str(options.threads)

        def command_line() -> tuple[float, float]:
            with open(source) as lines, open(outputs[0], "w") as output:
                arguments = [str(options.program), "translate", "--model", model, "--threads", threads]
                return measured(arguments, stdin=lines, stdout=output)

        def wheel() -> tuple[float, float]:
            return measured([sys.executable, "-c", CHILD, model, threads, source, outputs[1]])

        times: dict[str, list[tuple[float, float]]] = {"command line": [], "wheel": []}
        for _ in range(options.rounds):
            times["command line"].append(command_line())
            times["wheel"].append(wheel())
        if Path(outputs[0]).read_bytes() != Path(outputs[1]).read_bytes():
            sys.exit("benches/python.py: the wheel translates otherwise than the command line")
    best = {name: [min(column) for column in zip(*rounds)] for name, rounds in times.items()}
    for name, (used, clock) in best.items():
        print(f"{name:<14}{words / used:>9,.0f} words/s ({words / clock:,.0f})")
    ratios = [line / wheel for line, wheel in zip(best["command line"], best["wheel"])]
    print(f"wheel / command line: {ratios[0]:.3f} ({ratios[1]:.3f}), {words} words, {threads} thread(s)")


if __name__ == "__main__":
    main()
