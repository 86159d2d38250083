"""Checkpoints: written whole or not at all, the previous one kept, a damaged one detected."""

import os
import pickle
import zipfile
from pathlib import Path

import torch

from .errors import TrainingError
from .files import atomic, previous


def save(path: Path, state: dict):
    """Writes a checkpoint beside the current one and swaps them; the current one becomes the previous one."""
    with atomic(path, keep_previous=True) as file:
        try:
            torch.save(state, file)
        except RuntimeError as error:
            # PyTorch reports a failed write (a full disk) as a RuntimeError of its archive writer.
            raise OSError(5, f"writing failed: {error}") from error


def load(path: Path, network: str | None = None) -> dict | None:
    """The newest readable checkpoint at `path`, or None if there never was one; an error if it is not of the `network` described
    (`weights.description`)."""
    path = Path(path)
    problems = []
    for candidate in (path, previous(path)):
        if not candidate.exists():
            continue
        try:
            with zipfile.ZipFile(candidate) as archive:
                damaged = archive.testzip()
            if damaged is not None:
                raise ValueError(f"{damaged} has a wrong checksum")
            state = torch.load(candidate, map_location="cpu", weights_only=True)
            if problems:
                print(f"{problems[0]}\ngoing on from {candidate} instead", flush=True)
            _check(candidate, state, network)
            return state
        except (zipfile.BadZipFile, ValueError, EOFError, RuntimeError, KeyError, pickle.UnpicklingError) as error:
            problems.append(f"{candidate}: damaged checkpoint ({error})")
    if problems:
        raise TrainingError("\n".join(problems) + "\nno readable checkpoint is left; move these files away to start anew")
    return None


def _check(path: Path, state: dict, network: str | None):
    if network is not None and state["shape"] != network:
        raise TrainingError(
            f"{path} is of another network ({state['shape']}) than the configuration describes ({network}); move it away, or choose "
            "another folder"
        )


def discard_partial(folder: Path):
    """Removes what killed writers left behind."""
    for leftover in Path(folder).glob(".*.partial"):
        process = leftover.name.rsplit(".", 2)[1]
        if not (process.isdigit() and os.path.exists(f"/proc/{process}")):
            leftover.unlink(missing_ok=True)
