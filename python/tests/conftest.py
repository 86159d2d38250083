"""What the tests share: the model and the sentences that the repository has."""

import json
import os
from pathlib import Path

import pytest

import wanderwort

ROOT = Path(__file__).resolve().parents[2]
INDEX = json.loads((ROOT / "models/index.json").read_text(encoding="utf-8"))
MODEL = ROOT / "models" / INDEX["models"][0]["files"][0]["url"]
PROGRAM = os.environ.get("WANDERWORT", str(ROOT / "target/debug/wanderwort"))


@pytest.fixture(scope="session")
def translator() -> wanderwort.Translator:
    return wanderwort.Translator(MODEL)


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    lines = (ROOT / "tests/data/proto-ende/golden.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[0] for line in lines[:30]]
