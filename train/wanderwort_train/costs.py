"""What each step cost: wall-clock and processor time, summed over the runs that it took."""

import contextlib
import json
import time
from pathlib import Path

#: Steps that look at a model without making anything from it.
UNRECORDED = ("report", "benchmark", "compare-shortlists", "papers")


@contextlib.contextmanager
def recorded(folder: Path, step: str):
    """Adds a line to `<folder>/costs.jsonl` when the step ends, whether it finished or was interrupted."""
    wall, processor = time.monotonic(), time.process_time()
    finished = False
    try:
        yield
        finished = True
    finally:
        row = {
            "step": step,
            "seconds": round(time.monotonic() - wall, 1),
            "processor_seconds": round(time.process_time() - processor, 1),
            "finished": finished,
        }
        if step not in UNRECORDED and folder.is_dir():
            # A full disk must not hide how the step itself ended.
            with contextlib.suppress(OSError), open(folder / "costs.jsonl", "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def read(folder: Path) -> dict[str, dict[str, float]]:
    """Step → its total seconds and processor seconds, in the order in which steps were first run."""
    path = folder / "costs.jsonl"
    totals = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        row = json.loads(line)
        total = totals.setdefault(row["step"], {"seconds": 0.0, "processor_seconds": 0.0})
        for key in total:
            total[key] += row[key]
    return totals
