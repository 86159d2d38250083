"""Models that are fetched, from a server on this machine."""

import functools
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from conftest import MODEL

import wanderwort


class Host(http.server.ThreadingHTTPServer):
    """A server of a folder with the repository's model and a list of it; it remembers what it was asked for."""

    def __init__(self, folder):
        self.folder, self.asked = folder, []
        (folder / MODEL.name).symlink_to(MODEL)
        self.write_list({})
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.url = f"http://127.0.0.1:{self.server_port}/index.json"

    def write_list(self, changes):
        index = json.loads((MODEL.parent / "index.json").read_text(encoding="utf-8"))
        index["models"] = index["models"][:1]
        index["models"][0]["files"][0].update(changes)
        (self.folder / "index.json").write_text(json.dumps(index), encoding="utf-8")


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        super().do_GET()

    def log_message(self, *arguments):
        pass


@pytest.fixture
def host(tmp_path, monkeypatch):
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"]:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "served").mkdir()
    with Host(tmp_path / "served") as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_listed_installed_and_removed(host, tmp_path, translator):
    folder = tmp_path / "models"
    (model,) = wanderwort.available(lists=[host.url], folder=folder)
    assert (model.name, model.source, model.target) == ("en-de.tiny", "en", "de")
    assert model.size == model.download_size == MODEL.stat().st_size
    assert wanderwort.available("de", lists=[host.url], folder=folder) == []
    assert wanderwort.available("en", "de", lists=[host.url], folder=folder, offline=True) == [model]
    assert host.asked == ["/index.json"] * 2

    told = []
    (there,) = wanderwort.install("en-de", lists=[host.url], folder=folder, progress=lambda *how: told.append(how))
    assert there.size == model.size and there.path.read_bytes() == MODEL.read_bytes()
    assert wanderwort.installed(folder) == [there]
    assert {name for name, _, _ in told} == {"en-de.tiny"} and {total for _, _, total in told} == {model.size}
    fetched = [fetched for _, fetched, _ in told]
    assert fetched == sorted(fetched) and fetched[-1] == model.size
    opened = wanderwort.Translator("en", "de", folder=folder)
    assert opened.translate("The house is big.") == translator.translate("The house is big.")

    host.asked.clear()
    assert wanderwort.install(model.name, lists=[host.url], folder=folder) == [there]
    assert host.asked == ["/index.json"]

    assert wanderwort.remove("en-de", folder=folder) == ["en-de.tiny"]
    assert wanderwort.installed(folder) == []
    with pytest.raises(wanderwort.NotInstalledError, match="no model en-de is installed"):
        wanderwort.remove("en-de", folder=folder)


def test_a_translator_fetches_only_if_it_may(host, tmp_path, monkeypatch):
    monkeypatch.setenv("WANDERWORT_LISTS", host.url)
    monkeypatch.setenv("WANDERWORT_MODELS", str(tmp_path / "models"))
    with pytest.raises(wanderwort.NotInstalledError):
        wanderwort.Translator("en", "de")
    assert host.asked == []
    assert wanderwort.Translator("en", "de", install=True).target_language == "de"
    host.asked.clear()
    assert wanderwort.Translator("en", "de", install=True).target_language == "de"
    assert host.asked == []
    with pytest.raises(wanderwort.NotInstalledError, match="the lists have no model fi-sv; they have models of de, en"):
        wanderwort.Translator("fi", "sv", install=True)


def test_what_is_wrong_is_not_installed(host, tmp_path):
    folder = tmp_path / "models"
    wrong = {"sha256": "0" * 64}
    for changes, words in [(wrong, "is not the file that its list tells"), ({"url": "nowhere"}, "the server answers 404")]:
        host.write_list(changes)
        with pytest.raises(wanderwort.FetchError, match=words):
            wanderwort.install("en-de", lists=[host.url], folder=folder)
        assert wanderwort.installed(folder) == []
    with pytest.raises(wanderwort.FetchError, match="not JSON"):
        wanderwort.install("en-de", lists=[host.url.replace("index.json", MODEL.name)], folder=folder)
    host.write_list({})
    # A list that cannot be fetched beside one that can.
    with pytest.warns(RuntimeWarning, match="the server answers 404"):
        assert len(wanderwort.install("en-de", lists=[host.url + ".gone", host.url], folder=folder)) == 1


def test_what_progress_raises_stops_it(host, tmp_path):
    folder = tmp_path / "models"

    def stop(name, fetched, total):
        raise LookupError(name)

    with pytest.raises(LookupError, match="en-de.tiny"):
        wanderwort.install("en-de", lists=[host.url], folder=folder, progress=stop)
    assert len(wanderwort.install("en-de", lists=[host.url], folder=folder)) == 1


CHILD = """
import sys, wanderwort
print("ready", flush=True)
try:
    wanderwort.install("en-de", lists=[sys.argv[1]], folder=sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_control_c_does_not_wait_for_a_silent_server(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/index.json"
        environment = {name: value for name, value in os.environ.items() if name.lower() not in ("http_proxy", "all_proxy")}
        command = [sys.executable, "-c", CHILD, url, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", env=environment) as child:
            assert child.stdout.readline() == "ready\n"
            connection, _ = silent.accept()
            with connection:
                child.send_signal(signal.SIGINT)
                start = time.monotonic()
                assert child.stdout.readline() == "interrupted\n"
                # Waiting for the server would take 30 seconds.
                assert child.wait() == 0 and time.monotonic() - start < 20


def test_arguments_that_make_no_sense(tmp_path):
    with pytest.raises(TypeError, match="not one address"):
        wanderwort.available(lists="http://127.0.0.1/", folder=tmp_path)
    for timeout in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="timeout"):
            wanderwort.available(lists=["http://127.0.0.1/"], folder=tmp_path, timeout=timeout)
    with pytest.raises(ValueError, match="a target is missing"):
        wanderwort.Translator(MODEL, install=True)
    with pytest.raises(wanderwort.FetchError, match="was never fetched"):
        wanderwort.available(lists=["http://127.0.0.1:9/"], folder=tmp_path, offline=True)
