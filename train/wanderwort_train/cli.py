"""The command `wanderwort-train STEP --config FILE`."""

import argparse
import importlib
import os
import signal
import sys
from pathlib import Path

from . import config as configuration
from . import costs
from .errors import TrainingError

#: Step → (module, its function that takes the configuration, what it does).
STEPS = {
    "prepare": ("prepare", "run", "clean parallel text, train the vocabulary, align words"),
    "teacher": ("teacher", "run", "train the teacher or an ensemble of teachers"),
    "distil": ("distil", "run", "translate the sources with the teacher, for the student to learn from"),
    "back-translate": ("reverse", "back_translate", "translate text in the target language back, for more pairs"),
    "score": ("reverse", "score", "how likely each pair's source is given its target, by a model of the other direction"),
    "student": ("student", "run", "train the student"),
    "pack-run": ("accelerator", "pack", "write what an accelerator needs to train the student into one file"),
    "join-run": ("accelerator", "join", "make a model of the weights that came back from there"),
    "losses": ("losses", "run", "the loss on each corpus beside the development sets: what is learnt by heart"),
    "prune": ("prune", "run", "remove encoder heads and train again"),
    "calibrate": ("calibrate", "run", "choose static activation multipliers"),
    "quantize-tune": ("tune", "run", "continue training with the engine's integers"),
    "shortlist": ("shortlist", "run", "write the lexical shortlist"),
    "export": ("export", "run", "write Marian files and the package"),
    "evaluate": ("evaluate", "run", "BLEU and chrF on all development and test sets"),
    "compare-shortlists": ("compare", "run", "size, speed and BLEU of lexical and phrase shortlists"),
    "compare-students": ("students", "run", "train students of several architectures equally long: size, BLEU and speed"),
    "papers": ("papers", "run", "the networks of the papers: ours measured, and what would train the others"),
    "report": ("report", "run", "learning curves and the cost of each step"),
    "benchmark": ("benchmark", "run", "speed of the fused kernels beside eager PyTorch"),
}
RUN = "train as a file of `pack-run` says, on the accelerator"


def _interrupt(signal_number, frame):
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    """Runs one step; returns the exit status."""
    parser = argparse.ArgumentParser(prog="wanderwort-train", description="From parallel text to a packaged student.")
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    for name, (_, _, help_text) in STEPS.items():
        step = steps.add_parser(name, help=help_text, description=help_text)
        step.add_argument("--config", required=True, metavar="FILE", help="TOML configuration (see configs/)")
    there = steps.add_parser("run", help=RUN, description=RUN)
    there.add_argument("--pack", type=Path, required=True, metavar="FILE", help="what `pack-run` wrote")
    there.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the weights go, in parts of 16 MB")
    there.add_argument("--work", type=Path, metavar="FOLDER", help="where checkpoints lie, to go on from [beside the pack]")
    there.add_argument("--minutes", type=float, metavar="N", help="how long, if not as long as the pack says")
    parsed = parser.parse_args(arguments)
    # Threads that wait for each other spin by default, which on a machine with other work takes many times as long; but
    # sleeping at once costs a tenth of the time on one without, in some hundred waits per update. This many turns take 20 to 50 µs.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "30000")
    # A service manager's polite request to end saves a checkpoint, as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        if parsed.step == "run":
            work = parsed.work or parsed.pack.parent / "work"
            importlib.import_module(".accelerator", __package__).run(parsed.pack, parsed.out, work, parsed.minutes)
            return 0
        config = configuration.load(parsed.config)
        module, function, _ = STEPS[parsed.step]
        with costs.recorded(config.folder, parsed.step):
            getattr(importlib.import_module(f".{module}", __package__), function)(config)
    except TrainingError as error:
        print(f"wanderwort-train {parsed.step}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nwanderwort-train {parsed.step}: interrupted; run the same command to go on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
