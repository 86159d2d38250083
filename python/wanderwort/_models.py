"""Models that are installed on this machine."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path

from wanderwort import _wanderwort


@dataclass(frozen=True)
class InstalledModel:
    """A model in the folder of installed models.

    Attributes
    ----------
    name : str
        Its name, such as ``en-de.tiny``.
    source, target : str
        The languages that it translates from and to, BCP 47 tags.
    version, licence : str
        As its publisher has them.
    size : int
        Bytes of its files.
    path : pathlib.Path
        What `Translator` takes to load it: its package, or its folder.
    """

    name: str
    source: str
    target: str
    version: str
    licence: str
    size: int
    path: Path


def tell_damaged(damaged: list[str], stacklevel: int) -> None:
    """Warn of models that are there and cannot be read."""
    for words in damaged:
        warnings.warn(words, RuntimeWarning, stacklevel=stacklevel + 1)


def installed(folder: str | os.PathLike[str] | None = None) -> list[InstalledModel]:
    """List the models that ``wanderwort models install`` has put on this machine.

    Parameters
    ----------
    folder : path, optional
        Where to look. By default the folder that ``WANDERWORT_MODELS`` names, or else the platform's folder for data, as the
        command line does.

    Returns
    -------
    list of InstalledModel
        By name. Nothing is fetched.

    Raises
    ------
    NotInstalledError
        If the folder is there and cannot be read.
    """
    models, damaged = _wanderwort.installed(None if folder is None else os.fspath(folder))
    tell_damaged(damaged, 2)
    return [InstalledModel(*described) for described in models]
