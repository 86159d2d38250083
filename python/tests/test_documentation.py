"""What the documentation says happens."""

import doctest
import pkgutil
import runpy
import subprocess
import sys
from importlib import import_module

import pytest
from conftest import ROOT, code_of_the_readme, run_code

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
    blocks = code_of_the_readme()[""]
    assert len(blocks) >= 3
    run_code(blocks)


def test_the_page_of_clusters_has_what_the_simulation_prints():
    command = [sys.executable, str(ROOT / "benches/cluster.py")]
    printed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    page = (ROOT / "python/CLUSTERS.md").read_text(encoding="utf-8")
    assert f"\n\n{printed}\n" in page

    # The formula gives what the simulation does, with other assumptions too.
    cluster = runpy.run_path(str(ROOT / "benches/cluster.py"))["Cluster"]
    for assumed in [cluster(words=5e9, rate=3000, seed=2), cluster(task=200e3, launches=50)]:
        for machines in (10, 100):
            assert assumed.formula(machines) == pytest.approx(assumed.simulate(machines, copies=True), rel=0.15)
    # Nothing is done faster than by machines that do nothing else.
    even = cluster(speed_spread=0, slow=0, deaths=0, words=1e9)
    assert 1e9 / (100 * 32 * 6000) < even.simulate(100, copies=True) < even.simulate(10, copies=True)
