"""Other programs, as the benchmarks here run them."""

import subprocess
import sys
from pathlib import Path


class OutOfRange(Exception):
    """A model has weights that 16-bit fixed point cannot hold."""


def run(*command: object, **options: object) -> str:
    """What a program prints. If it fails, this program ends with what it said, except for :class:`OutOfRange`."""
    words = [str(part) for part in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", **options)
    if done.returncode != 0 and "16-bit fixed point" in done.stderr:
        raise OutOfRange
    if done.returncode != 0:
        sys.exit(f"{Path(sys.argv[0]).name}: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
