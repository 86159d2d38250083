"""The comparison of integer products with oneDNN's runs here, where PyTorch is."""

import json
import subprocess
import sys

import pytest
from conftest import REPOSITORY

SCRIPT = REPOSITORY / "benches/peers/onednn.py"


@pytest.mark.parametrize("weights", [63, 127])
def test_products_are_measured_and_compared_with_exact_ones(weights):
    command = [sys.executable, str(SCRIPT), "--only-onednn", "--weights", str(weights), "--shape", "3x64x48", "--shape", "1x256x96"]
    printed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    figures = [json.loads(line) for line in printed.splitlines()]
    assert [(f["rows"], f["inner"], f["columns"]) for f in figures] == [(3, 64, 48), (1, 256, 96)]
    for figure in figures:
        assert figure["gops"] > 0
        # Weights of seven bits saturate nothing on any processor.
        assert figure["largest_error"] == 0 or weights == 127


def test_a_shape_that_is_none_is_said():
    done = subprocess.run([sys.executable, str(SCRIPT), "--shape", "64x0x1"], capture_output=True, encoding="utf-8")
    assert done.returncode == 2 and "expected rows x inner x columns" in done.stderr
