"""Times Marian's int8 (`packed8avx512`) on one thread.

    python marian.py MODEL VOCABULARY SHORTLIST TEXT OUTPUT
    python marian.py --alone MODEL VOCABULARY SHORTLIST TEXT

MODEL comes from `pymarian convert --gemm-type packed8avx512`. The last line printed is a JSON object. The first form
translates the text in batches of 32 sorted by length, the second 200 lines spread over it one by one.
"""

import json
import resource
import sys
import time

import pymarian

SETTINGS = "--cpu-threads 1 --beam-size 1 --skip-cost --max-length-factor 2 --max-length 1000 --workspace 128 --quiet"


def peak_memory():
    """Of this process, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def translator(model, vocabulary, shortlist, batching):
    files = f"--models {model} --vocabs {vocabulary} {vocabulary} --shortlist {shortlist} false"
    return pymarian.Translator(f"{files} {SETTINGS} {batching}")


def main():
    arguments = sys.argv[1:]
    before = peak_memory()
    alone = arguments[:1] == ["--alone"]
    model, vocabulary, shortlist, text, *output = arguments[alone:]
    with open(text, encoding="utf-8") as file:
        lines = file.read().rstrip("\n").split("\n")
    if alone:
        marian = translator(model, vocabulary, shortlist, "--mini-batch 1")
        marian.translate(lines[0])
        count = min(200, len(lines))
        walls, processor = [], []
        for i in range(count):
            line = lines[i * len(lines) // count]
            wall_start, processor_start = time.perf_counter(), time.process_time()
            marian.translate(line)
            walls.append((time.perf_counter() - wall_start) * 1e3)
            processor.append((time.process_time() - processor_start) * 1e3)
        median = lambda times: sorted(times)[len(times) // 2]
        result = {
            "alone_median_ms": median(walls),
            "alone_95th_percentile_ms": sorted(walls)[int(count * 0.95)],
            "alone_median_processor_ms": median(processor),
        }
    else:
        marian = translator(model, vocabulary, shortlist, "--mini-batch 32 --maxi-batch 100 --maxi-batch-sort src")
        marian.translate("\n".join(lines[:100]))
        wall_start, processor_start = time.perf_counter(), time.process_time()
        translations = marian.translate("\n".join(lines))
        wall, processor = time.perf_counter() - wall_start, time.process_time() - processor_start
        with open(output[0], "w", encoding="utf-8") as file:
            file.write(translations + "\n")
        words = sum(len(line.split()) for line in lines)
        result = {"words_per_second": words / wall, "words_per_processor_second": words / processor}
    result |= {"memory_peak_mib": peak_memory(), "memory_own_mib": peak_memory() - before}
    print(json.dumps(result))


main()
