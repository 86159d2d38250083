"""What the tests of Spark and Ray share: lines, and processes that are killed."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# Every sixteenth line has words for the model. A number is copied, so it shows whether a translation has its own key.
LINES = [f"line {number}" if number % 16 == 0 else str(number) for number in range(100_000)]


def commands(root: int) -> dict[int, tuple[str, str]]:
    """For each process that descends from `root`: its command line, and that of the process that started it."""
    found: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name, in parentheses, may itself contain some.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                found[int(entry.name)] = (parent, (entry / "cmdline").read_text().replace("\0", " "))
            except (OSError, IndexError):
                continue

    def comes_of_root(process: int) -> bool:
        while process in found and process != root:
            process = found[process][0]
        return process == root

    return {
        process: (command, found[parent][1] if parent in found else "")
        for process, (parent, command) in found.items()
        if process != root and comes_of_root(process)
    }


@contextmanager
def killed(is_worker: Callable[[str, str], bool], times: int) -> Iterator[list[int]]:
    """Meanwhile, kill up to `times` descendants of this process, each when it has been there for a while; gives those killed."""
    dead: list[int] = []
    stop = threading.Event()

    def kill() -> None:
        seen: dict[int, float] = {}
        while len(dead) < times and not stop.wait(0.05):
            there = [process for process, words in commands(os.getpid()).items() if is_worker(*words)]
            seen = {process: seen.get(process, time.monotonic()) for process in there}
            for process, since in seen.items():
                if process not in dead and time.monotonic() - since > 0.5:
                    os.kill(process, signal.SIGKILL)
                    dead.append(process)
                    # The next one only when the work has gone on.
                    stop.wait(1)
                    break

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield dead
    finally:
        stop.set()
        thread.join()
