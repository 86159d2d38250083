#!/usr/bin/env python3
"""Which packages, kernels, precisions and beams are worth their money: words per dollar, and the frontiers of quality against speed and size.

    python3 benches/pareto.py measure --model models/en-de.tiny.wanderwort --source test.en --reference test.de \\
        --precision int8 --precision int16 --beam 1 --beam 4 > points.jsonl
    python3 benches/pareto.py report points.jsonl --price 0.6 --plot frontier

`measure` runs `wanderwort bench --json` and `wanderwort evaluate` for every combination of what is given and prints a JSON object for each.
`report` prints a table and, with --plot, draws frontier.png and frontier.svg (needs benches/pareto/requirements.txt). A point is on a
frontier when no other is at least as good in both ways and better in one. The price is that of an hour of what `bench` ran on: of the whole
machine when --threads is the number of its processors.

Others' points are in benches/pareto/published.tsv, each with its source; the others measured them, on their machines and test sets, and they
are marked as such. They are shown beside ours, not compared on one frontier.
"""

import argparse
import csv
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from program import OutOfRange, run

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = Path(__file__).resolve().parent / "pareto/published.tsv"


@dataclass(frozen=True)
class Point:
    """A system: quality in BLEU, words per second, bytes; None if not stated."""

    name: str
    bleu: float
    rate: float | None
    size: float | None
    # Who measured it, and on what; None: we did.
    theirs: str | None = None

    def words_per_dollar(self, price: float) -> float | None:
        """Source words translated for a dollar, at `price` dollars an hour."""
        return None if self.rate is None else self.rate * 3600 / price


def frontier(points: list[Point], gain) -> list[Point]:
    """The points that no other dominates, by quality; `gain` is what should be as large as possible besides quality."""
    kept: list[Point] = []
    for point in sorted((p for p in points if gain(p) is not None), key=lambda p: (-gain(p), -p.bleu)):
        if not kept or point.bleu > kept[-1].bleu:
            kept.append(point)
    return kept


def score(report: str) -> float:
    """BLEU in what `wanderwort evaluate` prints; the mean if there are several sets."""
    found = re.findall(r"^BLEU = ([\d.]+)$", report, re.MULTILINE)
    if not found:
        sys.exit(f"pareto.py: expected a line 'BLEU = …' in the output of wanderwort evaluate, found:\n{report}")
    return float(found[-1])


def read_points(paths: list[Path]) -> list[Point]:
    """The points that `measure` has printed."""
    points = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                record = json.loads(line)
                bench = record["bench"]
                parts = [Path(bench["model"]).name, bench["kernel"], bench["precision"], f"beam {bench['beam']}"]
                if bench["threads"] > 1:
                    parts.append(f"{bench['threads']} threads")
                rate, size = bench["words_per_second"], bench["model_bytes"]
                points.append(Point(", ".join(parts), score(record["evaluate"]), rate, size))
            except (ValueError, KeyError, TypeError) as error:
                sys.exit(f"pareto.py: {path}, line {number}: expected an object of `pareto.py measure`: {error!r}")
    return points


def read_published() -> list[Point]:
    """What others have published."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    number = lambda text, scale: float(text) * scale if text else None
    return [
        Point(row["system"], float(row["bleu"]), number(row["words_per_second"], 1), number(row["megabytes"], 1e6), row["measured"])
        for row in rows
    ]


def report(points: list[Point], others: list[Point], price: float) -> str:
    """A table in Markdown; points on a frontier have a mark."""
    fast = frontier(points, lambda p: p.rate)
    small = frontier(points, lambda p: None if p.size is None else -p.size)
    rows = [
        "| | BLEU | words/s | million words per dollar | MB | quality-speed | quality-size |",
        "| --- | ---: | ---: | ---: | ---: | :---: | :---: |",
    ]
    say = lambda value, form: "" if value is None else format(value, form)
    for point in sorted(points, key=lambda p: -p.bleu) + others:
        dollar = point.words_per_dollar(price) if point.theirs is None else None
        name = point.name if point.theirs is None else f"*theirs:* {point.name} ({point.theirs})"
        cells = [name, f"{point.bleu:.1f}", say(point.rate, ",.0f"), say(dollar and dollar / 1e6, ",.1f")]
        cells += [say(point.size and point.size / 1e6, ",.1f")]
        cells += ["x" if point in fast else "", "x" if point in small else ""]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def draw(points: list[Point], others: list[Point], price: float, path: Path) -> list[Path]:
    """Both frontiers side by side, as PNG and SVG."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("pareto.py: --plot needs matplotlib: pip install -r benches/pareto/requirements.txt")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 5.5), sharey=True, layout="constrained")
    million = lambda p: None if p.rate is None else p.words_per_dollar(price) / 1e6
    megabytes = lambda p: None if p.size is None else p.size / 1e6
    panels = [
        (left, million, million, f"million words per dollar, at ${price:g} an hour"),
        (right, megabytes, lambda p: None if p.size is None else -p.size, "megabytes"),
    ]
    for axes, across, gain, label in panels:
        line = frontier(points, gain)
        axes.plot([across(p) for p in line], [p.bleu for p in line], drawstyle="steps-post", color="0.6", zorder=1)
        for group, marker, color in [(points, "o", "tab:blue"), (others, "^", "tab:red")]:
            # What others got for their money was on their machines and at their prices.
            shown = [p for p in group if across(p) is not None and (p.theirs is None or axes is right)]
            if not shown:
                continue
            whose = "ours" if group is points else "theirs, as published"
            axes.scatter([across(p) for p in shown], [p.bleu for p in shown], marker=marker, color=color, label=whose, zorder=2)
            for p in shown:
                axes.annotate(p.name, (across(p), p.bleu), xytext=(4, 4), textcoords="offset points", fontsize=7)
        axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.grid(alpha=0.3)
        axes.legend()
    left.set_ylabel("BLEU")
    written = [path.with_suffix(suffix) for suffix in (".png", ".svg")]
    for target in written:
        figure.savefig(target)
    pyplot.close(figure)
    return written


def measure(given: argparse.Namespace) -> None:
    """Prints a line for each combination."""
    if len(given.source) != len(given.reference):
        sys.exit(f"pareto.py: expected a --reference for each --source, found {len(given.source)} and {len(given.reference)}")
    pairs = [part for pair in zip(given.source, given.reference) for part in ("--source", pair[0], "--reference", pair[1])]
    for model in given.model:
        for precision in given.precision or ["int8"]:
            for beam in given.beam or [None]:
                how = ["--model", model, "--precision", precision, *([] if beam is None else ["--beam", beam])]
                # The output does not depend on the kernel.
                try:
                    evaluated = run(given.program, "evaluate", *how, *pairs)
                except OutOfRange:
                    print(f"pareto.py: {model}: weights out of the range of int16; left out", file=sys.stderr)
                    continue
                for kernel in given.kernel or [None]:
                    options = [] if kernel is None else ["--kernel", kernel]
                    options += ["--source", given.source[0], "--threads", given.threads, "--seconds", given.seconds, "--json"]
                    bench = json.loads(run(given.program, "bench", *how, *options))
                    print(json.dumps({"bench": bench, "evaluate": evaluated}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure", help="print a point for each combination")
    measuring.set_defaults(command="measure")
    measuring.add_argument("--program", type=Path, default=ROOT / "target/release/wanderwort")
    measuring.add_argument("--model", action="append", required=True, help="a package or folder; can be repeated, as can the next ones")
    measuring.add_argument("--kernel", action="append", help="as `wanderwort bench --help` lists them; the fastest unless given")
    measuring.add_argument("--precision", action="append", help="int8 unless given")
    measuring.add_argument("--beam", action="append", help="as the model says unless given")
    measuring.add_argument("--source", action="append", required=True, help="the first one is also what is timed")
    measuring.add_argument("--reference", action="append", required=True)
    measuring.add_argument("--threads", default="1")
    measuring.add_argument("--seconds", default="5")
    reporting = commands.add_parser("report", help="print the table, and draw it")
    reporting.set_defaults(command="report")
    reporting.add_argument("points", type=Path, nargs="+", help="what `measure` has printed")
    reporting.add_argument("--price", type=float, required=True, help="dollars an hour")
    reporting.add_argument("--plot", type=Path, help="draw this file, with the endings .png and .svg")
    reporting.add_argument("--ours", action="store_true", help="leave out what others have published")
    given = parser.parse_args()
    if given.command == "measure":
        measure(given)
        return
    if given.price <= 0:
        sys.exit(f"pareto.py: expected a --price above 0, found {given.price}")
    points, others = read_points(given.points), [] if given.ours else read_published()
    print(report(points, others, given.price))
    if given.plot is not None:
        print("drawn:", *draw(points, others, given.price, given.plot), file=sys.stderr)


if __name__ == "__main__":
    main()
