#!/usr/bin/env python3
"""Our integer products beside oneDNN's, in GOP/s on one thread: unsigned times signed bytes, summed in 32 bits, given back as floats.

    train/.venv/bin/python benches/peers/onednn.py
    train/.venv/bin/python benches/peers/onednn.py --shape 1x256x256 --profile dev

oneDNN runs inside PyTorch (torch.ops.onednn.qlinear_pointwise, weights packed once) and says which of its implementations it took; ours are
those of `cargo bench --bench gemm -- --json` on the same shapes. Both take quantized rows, add a bias and give back floats; a multiply-add is
two operations, and each figure is the best of many runs. oneDNN's products are compared with exact ones first: without VNNI its sums of two
products may saturate 16 bits, as weights of more than seven bits show.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHAPES = ["64x256x1536", "64x1536x256", "64x256x16000"]


def product(rows: int, inner: int, columns: int, largest: int):
    """A product of oneDNN's as a function without arguments, and what it should give."""
    import torch

    generator = torch.Generator().manual_seed(1)
    # Large values are where sums could saturate.
    x = torch.randint(0, 256, (rows, inner), generator=generator, dtype=torch.uint8)
    w = torch.randint(-largest, largest + 1, (columns, inner), generator=generator, dtype=torch.int8)
    packed = torch.ops.onednn.qlinear_prepack(w, [rows, inner])
    scales, zeros = torch.ones(columns), torch.zeros(columns, dtype=torch.int64)
    bias = torch.zeros(columns)

    def run():
        return torch.ops.onednn.qlinear_pointwise(x, 1.0, 128, packed, scales, zeros, bias, 1.0, 0, torch.float32, "none", [], "")

    # Exact in doubles.
    return run, (x.double() - 128) @ w.double().T


def best_seconds(run) -> float:
    """Seconds of one call, the best of many runs."""
    run()
    best, times = float("inf"), 1
    for _ in range(60):
        start = time.perf_counter()
        for _ in range(times):
            run()
        took = time.perf_counter() - start
        best = min(best, took / times)
        if took < 5e-4:
            times *= 2
    return best


def measure(shape: tuple[int, int, int], largest: int) -> dict:
    """oneDNN's figures for a shape."""
    import torch

    torch.set_num_threads(1)
    rows, inner, columns = shape
    run, expected = product(*shape, largest)
    error = float((run().double() - expected).abs().max())
    rate = 2 * rows * inner * columns / best_seconds(run) / 1e9
    return {"rows": rows, "inner": inner, "columns": columns, "largest_weight": largest, "gops": rate, "largest_error": error}


def implementation(shape: tuple[int, int, int], largest: int) -> str:
    """What oneDNN says that it ran for a shape."""
    text = "x".join(map(str, shape))
    command = [sys.executable, __file__, "--only-onednn", "--shape", text, "--weights", str(largest)]
    printed = subprocess.run(command, capture_output=True, encoding="utf-8", env={**os.environ, "ONEDNN_VERBOSE": "1"}).stdout
    found = re.search(r",exec,cpu,(?:matmul|inner_product),([^,]+),", printed)
    return found[1] if found else "not told"


def ours(shapes: list[str], profile: str) -> list[dict]:
    """Our figures for the shapes."""
    arguments = [part for shape in shapes for part in ("--shape", shape)]
    command = ["cargo", "bench", "--quiet", "--profile", profile, "--bench", "gemm", "--", "--json", *arguments]
    printed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def parse(text: str) -> tuple[int, int, int]:
    numbers = text.split("x")
    if len(numbers) != 3 or not all(number.isdigit() and int(number) > 0 for number in numbers):
        raise argparse.ArgumentTypeError(f"expected rows x inner x columns, such as 64x256x1536, found {text!r}")
    rows, inner, columns = map(int, numbers)
    return rows, inner, columns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", type=parse, action="append", help="rows x inner x columns; can be repeated")
    parser.add_argument("--weights", type=int, default=127, choices=(63, 127), help="the largest weight")
    parser.add_argument("--profile", default="bench", help="cargo's profile for ours: dev is built faster")
    parser.add_argument("--only-onednn", action="store_true", help="print a JSON object for each shape, of oneDNN's product alone")
    given = parser.parse_args()
    shapes = given.shape or [parse(shape) for shape in SHAPES]
    if given.only_onednn:
        for shape in shapes:
            print(json.dumps(measure(shape, given.weights)), flush=True)
        return
    import torch

    print(f"PyTorch {torch.__version__}, one thread, weights to ±{given.weights}; PyTorch's instruction set: {torch.backends.cpu.get_cpu_capability()}\n")
    products = ours(["x".join(map(str, shape)) for shape in shapes], given.profile)
    print("| rows, inner × columns | product | instruction set | GOP/s | of oneDNN's |")
    print("| --- | --- | --- | ---: | ---: |")
    for shape in shapes:
        rows, inner, columns = shape
        name = f"{rows}, {inner} × {columns}"
        theirs = measure(shape, given.weights)
        exact = "" if theirs["largest_error"] == 0 else f", wrong by up to {theirs['largest_error']:.0f}"
        print(f"| {name} | oneDNN{exact} | {implementation(shape, given.weights)} | {theirs['gops']:.1f} | 1.00 |")
        for row in products:
            if (row["rows"], row["inner"], row["columns"], row["largest_weight"]) == (*shape, given.weights):
                print(f"| {name} | ours, exact | {row['kernel']} | {row['gops']:.1f} | {row['gops'] / theirs['gops']:.2f} |")


if __name__ == "__main__":
    main()
