"""What the tests share: the model and the sentences that the repository has."""

import json
import os
import re
import shutil
from pathlib import Path

import clusters
import pytest

import wanderwort

ROOT = Path(__file__).resolve().parents[2]
INDEX = json.loads((ROOT / "models/index.json").read_text(encoding="utf-8"))
MODEL = ROOT / "models" / INDEX["models"][0]["files"][0]["url"]
PROGRAM = os.environ.get("WANDERWORT", str(ROOT / "target/debug/wanderwort"))


def code_of_the_readme() -> dict[str, list[str]]:
    """The blocks of Python in the package's README, in their order: those with Spark, those with Ray, and all others."""
    text = (ROOT / "python/README.md").read_text(encoding="utf-8")
    blocks: dict[str, list[str]] = {"spark": [], "ray": [], "": []}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        imported = re.search(r"import (spark|ray) as", block)
        blocks[imported[1] if imported else ""].append(block)
    return blocks


def run_code(blocks: list[str], **names: object) -> None:
    """Run blocks of the README, one after the other, as they are read."""
    names["__name__"] = "readme"
    for block in blocks:
        exec(compile(block, "python/README.md", "exec"), names)


@pytest.fixture(scope="session")
def translator() -> wanderwort.Translator:
    return wanderwort.Translator(MODEL)


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    lines = (ROOT / "tests/data/marian-golden/golden.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[0] for line in lines[:30]]


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> Path:
    """A model of 32 dimensions with random weights, which is quick and says nothing sensible."""
    folder, data = tmp_path_factory.mktemp("small"), ROOT / "tests/data/architectures"
    for file in [data / "vocab.spm", data / "no-projection/model.npz.gz"]:
        shutil.copy(file, folder)
    (folder / "decoder.yml").write_text("max-length-factor: 2.0\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def expected(small) -> list[str]:
    """The translations of `clusters.LINES`."""
    return wanderwort.Translator(small).translate_batch(clusters.LINES)
