"""Writing files so that a crash, a kill or a full disk never costs what was there before."""

import contextlib
import hashlib
import json
import os
from pathlib import Path

import numpy

from .errors import TrainingError


def _sync_folder(folder: Path):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def atomic(path: Path, mode: str = "wb", keep_previous: bool = False):
    """Opens a temporary file beside `path`; on success it is synced and renamed to `path`, otherwise removed.

    With `keep_previous`, what was at `path` stays as `<stem>.previous<suffix>`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.partial")
    encoding = None if "b" in mode else "utf-8"
    try:
        with open(temporary, mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if keep_previous and path.exists():
            os.replace(path, previous(path))
        os.replace(temporary, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise TrainingError(
            f"{path}: cannot write ({error.strerror}); nothing that was there is lost, free some space and run again"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def previous(path: Path) -> Path:
    """Where the predecessor of `path` is kept."""
    return path.with_name(f"{path.stem}.previous{path.suffix}")


def write_json(path: Path, value):
    """Writes `value` as indented JSON."""
    with atomic(path, "w") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def read_json(path: Path):
    """Reads JSON, or says what is wrong with the file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TrainingError(f"{path}: missing") from error
    except ValueError as error:
        raise TrainingError(f"{path}: not valid JSON ({error})") from error


def save_arrays(folder: Path, **arrays: numpy.ndarray):
    """Writes each array as `<folder>/<name>.npy`."""
    for name, array in arrays.items():
        with atomic(Path(folder) / f"{name}.npy") as file:
            numpy.save(file, array)


def load_array(folder: Path, name: str) -> numpy.ndarray:
    """Maps `<folder>/<name>.npy` into memory."""
    path = Path(folder) / f"{name}.npy"
    try:
        return numpy.load(path, mmap_mode="r")
    except FileNotFoundError as error:
        raise TrainingError(f"{path}: missing; run the step `prepare` first") from error
    except ValueError as error:
        raise TrainingError(f"{path}: not a NumPy array ({error}); remove it and run `prepare` again") from error


def digest(*parts: str) -> str:
    """A short fingerprint of text."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
