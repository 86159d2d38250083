"""Threads, processes and signals."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import MODEL

import wanderwort

TEXTS = ["The house is big.", "Where is the station?"]


def test_pickled(translator, tmp_path, monkeypatch):
    monkeypatch.chdir(MODEL.parent)
    here = wanderwort.Translator(MODEL.name, threads=1)
    pickled = pickle.dumps(here)
    monkeypatch.chdir(tmp_path)
    there = pickle.loads(pickled)
    assert there.threads == 1 and repr(there) == repr(here)
    assert there.translate(TEXTS) == translator.translate(TEXTS)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pool_of_processes(translator, method):
    expected = translator.translate(TEXTS)
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map_async(translator.translate, TEXTS).get(timeout=60)
    assert results == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_uses_what_its_parent_loaded(translator):
    expected = translator.translate(TEXTS)
    child = os.fork()
    if child == 0:
        os._exit(0 if translator.translate(TEXTS) == expected else 1)
    deadline = time.monotonic() + 30
    while (status := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the forked process hangs")
        time.sleep(0.01)
    assert os.waitstatus_to_exitcode(status[1]) == 0
    assert translator.translate(TEXTS) == expected


def test_other_threads_go_on(translator):
    done = threading.Event()
    results = []

    def work():
        results.append(translator.translate_batch(TEXTS * 150))
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    # A thread that waited for the engine would have had one turn.
    assert turns > 20 and len(results[0]) == 300


def test_threads_share_a_translator(translator):
    expected = translator.translate(TEXTS)
    results = []
    threads = [threading.Thread(target=lambda: results.append(translator.translate(TEXTS))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


INTERRUPTED = """
import sys, wanderwort
translator = wanderwort.Translator(sys.argv[1])
texts = [f"I have {number} dogs, and the house is big." for number in range(200_000)]
print("ready", flush=True)
try:
    if sys.argv[2] == "batch":
        translator.translate_batch(texts)
    else:
        for _ in translator.translate_iter(texts):
            pass
except KeyboardInterrupt:
    # What was stopped is of no harm to what follows.
    print(translator.translate("The house is big."), flush=True)
    raise
"""


@pytest.mark.parametrize("way", ["batch", "iterator"])
def test_interrupted(translator, way):
    arguments = [sys.executable, "-c", INTERRUPTED, str(MODEL), way]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.5)
            assert process.poll() is None
            start = time.monotonic()
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
            took = time.monotonic() - start
        finally:
            process.kill()
    assert output == translator.translate("The house is big.") + "\n"
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert took < 2
