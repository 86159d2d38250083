"""What the documentation says happens."""

import doctest
import pkgutil
import re
from importlib import import_module

import pytest
from conftest import ROOT

import wanderwort

MODULES = [module.name for module in pkgutil.iter_modules(wanderwort.__path__, "wanderwort.")]


@pytest.mark.parametrize("name", ["wanderwort", *MODULES])
def test_docstrings(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(import_module(name))
    assert result.failed == 0
    assert result.attempted > 0 or name not in ("wanderwort", "wanderwort._translator")


def test_code_of_the_readme(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "python/README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    # One after the other, as they are read.
    names: dict[str, object] = {"__name__": "readme"}
    for block in blocks:
        exec(compile(block, "python/README.md", "exec"), names)
