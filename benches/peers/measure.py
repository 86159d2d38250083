"""Runs Wanderwort and its peers in turns on one thread and prints what each achieved. `run.sh` starts this.

Each figure is the median over the rounds. Rates and times are of processor time where a system tells it, so that other
work on the machine matters less. Memory is the peak of the whole process (of the renderer for a page); its own is what it
took beyond its size at the start (for a page, beyond that with an empty page).
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FETCHED = HERE / ".fetched"
MODEL = FETCHED / "en-de.prototype"
BINARY = ROOT / "target/release/wanderwort"
VOCABULARY, SHORTLIST = MODEL / "vocab.ende.spm", MODEL / "lex.50.50.ende.s2t.bin"
PYTHON = FETCHED / "venv/bin/python"


def run(*command):
    """The JSON object on the last line that a command prints."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}\nfailed with status {done.returncode}")
    return json.loads(done.stdout.rstrip("\n").rsplit("\n", 1)[-1])


def marian(text, output):
    files = [FETCHED / "packed8avx512.bin", VOCABULARY, SHORTLIST, text]
    alone = run(PYTHON, HERE / "marian.py", "--alone", *files)
    together = run(PYTHON, HERE / "marian.py", *files, output)
    return {**alone, **together}


def fxtranslate(text, output):
    return run(FETCHED / "target/release/peer-fxtranslate", MODEL, text, output, 1)


def browser(engine, *variant):
    return lambda text, output: run("node", HERE / "browser.mjs", engine, text, output, *variant)


def wanderwort(*options):
    def measure(text, output):
        with open(text, encoding="utf-8") as source, open(output, "w", encoding="utf-8") as target:
            translate = [BINARY, "translate", "--model", MODEL, "--threads", "1", *options]
            subprocess.run(translate, stdin=source, stdout=target, check=True)
        figures = run(BINARY, "bench", "--model", MODEL, "--source", text, "--seconds", "1", "--json", *options)
        return {**figures, "memory_own_mib": figures["memory_peak_mib"] - figures["memory_before_mib"]}

    return measure


# By name: what it is, what `run.sh fetch` must fetch or build for it, and how it is measured.
SYSTEMS = {
    "marian": ("Marian, pymarian 1.12.42, `packed8avx512`", ["marian"], marian),
    "fxtranslate": ("fxtranslate 0.5.0, AVX2", ["fxtranslate"], fxtranslate),
    "wanderwort": ("**Wanderwort**, native", [], wanderwort()),
    "wanderwort-avx512vnni": ("**Wanderwort**, native, AVX-512 VNNI", [], wanderwort("--kernel", "avx512vnni")),
    "wanderwort-avx512": ("**Wanderwort**, native, AVX-512 BW", [], wanderwort("--kernel", "avx512")),
    "wanderwort-avx2": ("**Wanderwort**, native, AVX2", [], wanderwort("--kernel", "avx2")),
    "bergamot": ("@browsermt/bergamot-translator 0.4.9, Chromium", ["bergamot"], browser("bergamot")),
    "page": ("**Wanderwort**, Chromium, relaxed SIMD", ["page"], browser("wanderwort", "relaxed-simd")),
    "page-simd128": ("**Wanderwort**, Chromium, plain SIMD128", ["page"], browser("wanderwort", "simd128")),
    "page-package": (
        "**Wanderwort**, Chromium, relaxed SIMD, the package in `models/`",
        ["page"],
        browser("package", "relaxed-simd"),
    ),
}


def choose_lines(path, count):
    """A file with `count` of the lines of `path`, spread over it."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if count is None or count >= len(lines):
        return path
    chosen = FETCHED / f"chosen{path.suffix}"
    chosen.write_text("".join(lines[i * len(lines) // count] for i in range(count)), encoding="utf-8")
    return chosen


def bleu(hypothesis, reference):
    command = [BINARY, "evaluate", "--hypothesis", hypothesis, "--reference", reference]
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    return next(line.removeprefix("BLEU = ") for line in lines if line.startswith("BLEU = "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each system runs (default: %(default)s)")
    parser.add_argument("--text", type=Path, default=ROOT / "benches/data/flores-dev.en", help="what is translated")
    parser.add_argument("--reference", type=Path, default=ROOT / "benches/data/flores-dev.de", help="for BLEU")
    parser.add_argument("--lines", type=int, help="take only so many lines, spread over the text")
    parser.add_argument("--json", type=Path, help="keep all figures of all rounds in this file")
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"which ones (default: all): {', '.join(SYSTEMS)}")
    arguments = parser.parse_args()
    names = arguments.systems or list(SYSTEMS)
    if unknown := [name for name in names if name not in SYSTEMS]:
        parser.error(f"no system called {', '.join(unknown)}; there are {', '.join(SYSTEMS)}")

    # Our own program scores all of them.
    for part in dict.fromkeys(["native", *(part for name in names for part in SYSTEMS[name][1])]):
        print(f"  fetching or building: {part}", file=sys.stderr)
        subprocess.run([HERE / "run.sh", "fetch", part], check=True)
    text, reference = [choose_lines(path, arguments.lines) for path in (arguments.text, arguments.reference)]
    rounds = {name: [] for name in names}
    for number in range(arguments.rounds):
        for name in names:
            print(f"  round {number + 1} of {arguments.rounds}: {name}", file=sys.stderr)
            rounds[name].append(SYSTEMS[name][2](text, FETCHED / f"{name}.de"))
    if arguments.json:
        arguments.json.write_text(json.dumps(rounds, indent=1) + "\n")

    def median(name, *keys):
        """Of the first of the figures that the system tells."""
        for key in keys:
            values = [figures[key] for figures in rounds[name] if figures.get(key) is not None]
            if values:
                return statistics.median(values)
        return float("nan")

    rate = {name: median(name, "words_per_processor_second", "words_per_second") for name in names}
    print("| | words/s | of Marian's | of Bergamot's | ms a sentence, alone | process, MiB | of it own | BLEU |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in names:
        ratio = lambda peer: f"{rate[name] / rate[peer]:.2f}" if peer in rate else ""
        alone = median(name, "alone_median_processor_ms", "alone_mean_processor_ms", "alone_median_ms")
        score = bleu(FETCHED / f"{name}.de", reference)
        print(
            f"| {SYSTEMS[name][0]} | {rate[name]:,.0f} | {ratio('marian')} | {ratio('bergamot')} |"
            f" {alone:.1f} | {median(name, 'memory_peak_mib'):.0f} | {median(name, 'memory_own_mib'):.0f} | {score} |"
        )


if __name__ == "__main__":
    main()
