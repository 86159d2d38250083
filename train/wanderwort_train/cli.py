"""The command `wanderwort-train STEP --config FILE`."""

import argparse
import importlib
import sys

from . import config as configuration
from .errors import TrainingError

#: Step → (module with a function `run(config, arguments)`, what it does).
STEPS = {
    "prepare": ("prepare", "clean parallel text, train the vocabulary, align words"),
    "student": ("student", "train the student"),
    "benchmark": ("benchmark", "speed of the fused kernels beside eager PyTorch"),
    "export": ("export", "write Marian files of the student"),
    "evaluate": ("evaluate", "BLEU and chrF on all development and test sets"),
}


def main(arguments: list[str] | None = None) -> int:
    """Runs one step; returns the exit status."""
    parser = argparse.ArgumentParser(prog="wanderwort-train", description="From parallel text to a packaged student.")
    steps = parser.add_subparsers(dest="step", metavar="STEP", required=True)
    for name, (module, help_text) in STEPS.items():
        step = steps.add_parser(name, help=help_text, description=help_text)
        step.add_argument("--config", required=True, metavar="FILE", help="TOML configuration (see configs/)")
    parsed = parser.parse_args(arguments)
    try:
        config = configuration.load(parsed.config)
        importlib.import_module(f".{STEPS[parsed.step][0]}", __package__).run(config)
    except TrainingError as error:
        print(f"wanderwort-train {parsed.step}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\nwanderwort-train {parsed.step}: interrupted; run the same command to go on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
