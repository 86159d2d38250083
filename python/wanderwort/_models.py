"""Models that others publish, and those that are installed on this machine."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Union

from wanderwort import _wanderwort

# A model's name, bytes of it that are there, bytes in total.
Progress = Callable[[str, int, int], object]

_Path = Union[str, "os.PathLike[str]"]


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
        As its publisher states them.
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


@dataclass(frozen=True)
class AvailableModel:
    """A model in a list.

    Attributes
    ----------
    name : str
        Its name, such as ``en-de.tiny``, which `install` takes.
    source, target : str
        The languages that it translates from and to, BCP 47 tags.
    version, licence : str
        As its publisher states them.
    download_size : int
        Bytes to fetch, as far as the list tells.
    size : int or None
        Bytes of its files on the disk, if the list tells.
    """

    name: str
    source: str
    target: str
    version: str
    licence: str
    download_size: int
    size: Optional[int]


def tell(notes: list[str], stacklevel: int) -> None:
    """Warn of what stops nothing: models that are there but cannot be read, lists that cannot be reached."""
    for words in notes:
        warnings.warn(words, RuntimeWarning, stacklevel=stacklevel + 1)


def installed(folder: Optional[_Path] = None) -> list[InstalledModel]:
    """List the models that are installed on this machine, by `install` or by ``wanderwort models install``.

    Parameters
    ----------
    folder : path, optional
        Where to look. By default the folder that ``WANDERWORT_MODELS`` names, or else the platform's folder for data, as on the
        command line.

    Returns
    -------
    list of InstalledModel
        By name. Nothing is fetched.

    Raises
    ------
    NotInstalledError
        If the folder is there but cannot be read.
    """
    models, notes = _wanderwort.installed(_path(folder))
    tell(notes, 2)
    return [InstalledModel(*described) for described in models]


def available(
    source: Optional[str] = None,
    target: Optional[str] = None,
    *,
    lists: Sequence[str] = (),
    folder: Optional[_Path] = None,
    offline: bool = False,
    timeout: float = 30,
) -> list[AvailableModel]:
    """List the models that can be installed. This asks the servers of the lists.

    Parameters
    ----------
    source, target : str, optional
        Only models from and to these languages, BCP 47 tags.
    lists : sequence of str
        Addresses of lists of models: an ``index.json``, Mozilla's records or Mozilla's registry. By default those that
        ``WANDERWORT_LISTS`` names, separated by spaces, or else those of Firefox's models.
    folder : path, optional
        Where lists are kept for when they cannot be reached: the folder of installed models, as for `installed`.
    offline : bool, default False
        Do not use the network; take the lists kept from the last time.
    timeout : float, default 30
        Seconds without receiving a byte after which a server is given up.

    Returns
    -------
    list of AvailableModel

    Raises
    ------
    FetchError
        If no list is available.

    Warns
    -----
    RuntimeWarning
        For each list that cannot be reached, and for each entry that cannot be used.
    """
    models, notes = _wanderwort.available(source, target, _origin(lists, folder, offline, timeout))
    tell(notes, 2)
    return [AvailableModel(*listed) for listed in models]


def install(
    name: str,
    *,
    small: bool = False,
    progress: Union[bool, Progress] = False,
    lists: Sequence[str] = (),
    folder: Optional[_Path] = None,
    timeout: float = 30,
) -> list[InstalledModel]:
    """Fetch a model, check it, and put it where `Translator` finds it by its languages.

    A download that was cut off continues where it stopped. Ctrl-C stops it and raises KeyboardInterrupt. Proxies
    (``HTTPS_PROXY``, ``NO_PROXY``) and certificates (``SSL_CERT_FILE``, ``SSL_CERT_DIR``) of the environment are used.

    Parameters
    ----------
    name : str
        A language pair such as ``en-fr``, or the name of a model. A pair without a model of its own takes the two through a
        third language.
    small : bool, default False
        Take the smaller model where a pair has several: less to fetch, and faster.
    progress : bool or callable, default False
        Called as ``progress(name, fetched, total)`` with a model's name and bytes, a few times a second; what it raises stops the
        download. True writes them to standard error if that is a terminal.
    lists, folder, timeout
        As for `available`.

    Returns
    -------
    list of InstalledModel
        The model, or the two; even if they were installed already.

    Raises
    ------
    FetchError
        If a list or a file is not available, or is not what its list says. What was installed before stays.
    NotInstalledError
        If the lists have no such model, or it cannot be written.

    Warns
    -----
    RuntimeWarning
        As for `available`.
    """
    teller: Optional[Progress] = progress if callable(progress) else None
    if progress is True and sys.stderr.isatty():
        teller = _tell_terminal
    models, notes = _wanderwort.install(name, small, teller, _origin(lists, folder, False, timeout))
    tell(notes, 2)
    return [InstalledModel(*described) for described in models]


def remove(name: str, *, folder: Optional[_Path] = None) -> list[str]:
    """Delete installed models.

    Parameters
    ----------
    name : str
        A language pair such as ``en-fr``, or the name of a model.
    folder : path, optional
        As for `installed`.

    Returns
    -------
    list of str
        The names of the models that were deleted.

    Raises
    ------
    NotInstalledError
        If there is none of this name or pair.
    """
    return _wanderwort.remove(name, _path(folder))


def _path(folder: Optional[_Path]) -> Optional[str]:
    return None if folder is None else os.fspath(folder)


def _origin(lists: Sequence[str], folder: Optional[_Path], offline: bool, timeout: float) -> _wanderwort._Origin:
    if isinstance(lists, str):
        raise TypeError("expected a sequence of addresses, not one address")
    if not 0 < timeout <= 3600:
        raise ValueError(f"timeout is {timeout}; expected seconds up to 3600")
    return {"folder": _path(folder), "lists": list(lists), "offline": offline, "timeout": timeout}


def _tell_terminal(name: str, fetched: int, total: int) -> None:
    share = f"{100 * fetched // total:3} %  " if total else ""
    end = "\n" if fetched >= total else ""
    print(f"\r{name}  {share}{fetched / 1e6:.1f} MB", end=end, file=sys.stderr, flush=True)
