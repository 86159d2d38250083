"""Downloads of packages (wanderwort_train/packages.py), with clients that stand in for the registries'."""

import io
import re
import stat
import tarfile
import zipfile

import pytest

from wanderwort_train import packages
from wanderwort_train.errors import TrainingError


@pytest.fixture
def client(tmp_path, monkeypatch):
    """Makes a program of this name that does what the shell script says and notes how it was called."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    def make(name, script):
        path = programs / name
        path.write_text(f'#!/bin/sh\necho "$*" >> {programs}/{name}.calls\n{script}\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return programs / f"{name}.calls"

    return make


ARCHIVES = "echo 'mirror/debian-security/ bookworm-security'; echo 'mirror/debian/ bookworm-updates'; echo 'mirror/debian/ bookworm'"


def test_packages_of_debian_are_those_of_the_named_releases(tmp_path, client):
    calls = client("apt-get", f'case "$*" in indextargets*) {ARCHIVES};; *download*) for name; do :; done; touch "${{name}}_1_all.deb";; esac')
    client("dpkg-deb", 'echo "$2" > text')
    folder = tmp_path / "out"
    folder.mkdir()
    packages.debian(folder, ["old-data", "new-data"], ("bookworm", "trixie"))
    sources = (folder / "apt/sources.list").read_text().splitlines()
    assert [re.sub(r"\[.*\] ", "", line) for line in sources] == ["deb mirror/debian/ bookworm main", "deb mirror/debian/ trixie main"]
    # The machine's own lists are neither used nor changed.
    assert all(f"-oDir::State::lists={folder}/apt/lists" in call for call in calls.read_text().splitlines()[1:])
    assert (folder / "old-data/text").read_text() == "old-data_1_all.deb\n" and (folder / "new-data/text").exists()
    assert not list(folder.rglob("*.deb"))


def test_wheels_give_the_files_that_are_wanted(tmp_path, monkeypatch):
    def run(command, folder, what):
        assert command[-1] == "my-shop==1.2" and what == "PyPI's my-shop==1.2"
        with zipfile.ZipFile(folder / "my_shop-1.2-cp399-linux.whl", "w") as wheel:
            wheel.writestr("shop/de.po", "text")
            wheel.writestr("shop/__init__.py", "")

    monkeypatch.setattr(packages, "run", run)
    packages.wheels(tmp_path, ["my-shop==1.2"], re.compile(r"\.po$"))
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()] == ["my-shop/shop/de.po"]


def test_npm_gives_the_files_that_are_wanted(tmp_path, monkeypatch):
    asked = []

    def run(command, folder, what):
        asked.append(command[-1])
        with tarfile.open(folder / "chat-3.0.1.tgz", "w:gz") as archive:
            for name in ("package/en.json", "package/index.js"):
                archive.addfile(tarfile.TarInfo(name), io.BytesIO())

    monkeypatch.setattr(packages, "run", run)
    packages.npm(tmp_path, ["@my/chat@3.0.1", "forum@1.4.0"], re.compile(r"\.json$"))
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == ["@my/chat/package/en.json", "forum/package/en.json"] and asked == ["@my/chat@3.0.1", "forum@1.4.0"]


def test_what_cannot_be_had_is_named(tmp_path, client):
    client("npm", "echo 'warning: first' >&2; echo '404 Not Found' >&2; exit 1")
    with pytest.raises(TrainingError, match=r"npm's forum@9 cannot be had; npm says:\n  warning: first\n  404 Not Found\nWhere it is gone"):
        packages.npm(tmp_path, ["forum@9"], re.compile("json"))
    client("apt-get", "echo")
    with pytest.raises(TrainingError, match="apt-get knows no archive of Debian"):
        packages.debian(tmp_path, [], ("bookworm",))


def test_a_client_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TrainingError, match="npm is not installed"):
        packages.npm(tmp_path, ["forum@1"], re.compile("json"))
