"""The command `wanderwort-train STEP --config FILE`."""

import argparse
import importlib
import os
import signal
import sys

from . import config as configuration
from . import costs
from .errors import TrainingError

#: Step → (module with a function `run(config)`, what it does).
STEPS = {
    "prepare": ("prepare", "clean parallel text, train the vocabulary, align words"),
    "teacher": ("teacher", "train the teacher or an ensemble of teachers"),
    "distil": ("distil", "translate the sources with the teacher, for the student to learn from"),
    "student": ("student", "train the student"),
    "losses": ("losses", "the loss on each corpus beside the development sets: what is learnt by heart"),
    "prune": ("prune", "remove encoder heads and train again"),
    "calibrate": ("calibrate", "choose static activation multipliers"),
    "quantize-tune": ("tune", "continue training with the engine's integers"),
    "shortlist": ("shortlist", "write the lexical shortlist"),
    "export": ("export", "write Marian files and the package"),
    "evaluate": ("evaluate", "BLEU and chrF on all development and test sets"),
    "compare-shortlists": ("compare", "size, speed and BLEU of lexical and phrase shortlists"),
    "report": ("report", "learning curves and the cost of each step"),
    "benchmark": ("benchmark", "speed of the fused kernels beside eager PyTorch"),
}


def _interrupt(signal_number, frame):
    raise KeyboardInterrupt


def main(arguments: list[str] | None = None) -> int:
    """Runs one step; returns the exit status."""
    parser = argparse.ArgumentParser(prog="wanderwort-train", description="From parallel text to a packaged student.")
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    for name, (module, help_text) in STEPS.items():
        step = steps.add_parser(name, help=help_text, description=help_text)
        step.add_argument("--config", required=True, metavar="FILE", help="TOML configuration (see configs/)")
    parsed = parser.parse_args(arguments)
    # Threads that wait for each other spin by default, which on a machine with other work costs many times the time; but to
    # sleep at once costs a tenth of it where there is none, in some hundred waits an update. This many turns take 20 to 50 µs.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "30000")
    # A service manager's polite request to end saves a checkpoint as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        config = configuration.load(parsed.config)
        module = importlib.import_module(f".{STEPS[parsed.step][0]}", __package__)
        with costs.recorded(config.folder, parsed.step):
            module.run(config)
    except TrainingError as error:
        print(f"wanderwort-train {parsed.step}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nwanderwort-train {parsed.step}: interrupted; run the same command to go on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
