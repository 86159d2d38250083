"""What Spark and Ray share: a model once in each process, and rows that come through whatever they contain."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union

from wanderwort._models import installed
from wanderwort._translator import Sentences, Translator
from wanderwort._wanderwort import ModelError, NotInstalledError

if TYPE_CHECKING:
    import pyarrow

# Code points that are sorted by length at once. The engine sorts what it takes at once; this is several times as much.
WINDOW = 4 << 20

# A row of a column: a text, nothing, or why it cannot be read.
Text = Union[str, None, UnicodeDecodeError]

Batch = TypeVar("Batch")


def checksum(model: Union[str, os.PathLike[str]]) -> str:
    """Compute the checksum that tells one model from another, on the machine that has it.

    Parameters
    ----------
    model : path
        A package, or a folder of a model's files.

    Returns
    -------
    str
        SHA-256 in 64 hexadecimal digits: for a file, of its bytes, as ``sha256sum`` prints it; for a folder, of what ``sha256sum *``
        prints there in the C locale.

    Examples
    --------
    >>> from wanderwort.spark import checksum
    >>> len(checksum("models/en-de.tiny.wanderwort"))
    64
    """
    path = Path(model)
    if not path.is_dir():
        return _sha256(path)
    names = sorted(entry.name for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))
    return hashlib.sha256("".join(f"{_sha256(path / name)}  {name}\n" for name in names).encode()).hexdigest()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


class Place:
    """Where a process finds a model. The subclasses say how."""

    sha256: Optional[str] = None

    def find(self) -> Path:
        """Return the model's path on this machine.

        Raises
        ------
        NotInstalledError, OSError
            If it is not there.
        """
        raise NotImplementedError

    def open(self) -> Path:
        """Return the model's path on this machine, provided that it is the model that was meant.

        Raises
        ------
        ModelError
            If its checksum is different.
        NotInstalledError, OSError
            If it is not there.
        """
        path = self.find()
        if self.sha256 is not None and (found := checksum(path)) != self.sha256.lower():
            raise ModelError(f"{path} is not the model that was meant: SHA-256 {found}, expected {self.sha256}")
        return path


@dataclass(frozen=True)
class ByPath(Place):
    """A model that each machine has at the same path.

    Attributes
    ----------
    path : str
        A package, or a folder of a model's files. A relative path starts from the working directory of the process.
    sha256 : str, optional
        What `checksum` gives for it. A process that finds another model there does not use it.
    """

    path: str
    sha256: Optional[str] = None

    def find(self) -> Path:
        return Path(self.path)


@dataclass(frozen=True)
class ByName(Place):
    """A model that ``wanderwort models install`` has put on each machine.

    Its files are compared with the checksums that were recorded when it was installed.

    Attributes
    ----------
    name : str
        Such as ``en-de.tiny``.
    sha256 : str, optional
        What `checksum` gives for the path that `wanderwort.installed` returns, so that all machines have the same version.
    folder : str, optional
        Where to look, as for `wanderwort.installed`.
    """

    name: str
    sha256: Optional[str] = None
    folder: Optional[str] = None

    def find(self) -> Path:
        for model in installed(self.folder):
            if model.name == self.name:
                break
        else:
            raise NotInstalledError(f"no model {self.name} is installed here; `wanderwort models install {self.name}` fetches it")
        files = model.path if model.path.is_dir() else model.path.parent
        described = json.loads((files.parent / "installed.json").read_text(encoding="utf-8"))
        for entry in described["files"]:
            path = files / entry["name"]
            if entry["sha256"] and (found := _sha256(path)) != entry["sha256"]:
                raise ModelError(f"{path} is damaged: SHA-256 {found}, installed as {entry['sha256']}")
        return model.path


@dataclass(frozen=True)
class Job:
    """What to translate with, and how. It is sent to the processes that translate, each of which loads its model once.

    Attributes
    ----------
    model : path or Place
        Where the model is: a path that all machines have, or `ByPath`, `ByName` or whatever else the module offers.
    pivot : path or Place, optional
        A second model that translates the output of the first one.
    source_language, target_language, target_token, float32
        As for `wanderwort.Translator`.
    threads : int, default 1
        Threads of each process. One is right where a cluster runs as many processes as it has processors.
    beam, sentences, without
        As for `wanderwort.Translator.translate`.
    longest : int, default 1,000,000
        Code points of the longest text that is translated. A longer one gets a reason instead, since a process that runs out of
        memory would take others down with it.
    """

    model: Union[str, os.PathLike[str], Place]
    pivot: Optional[Union[str, os.PathLike[str], Place]] = None
    source_language: Optional[str] = None
    target_language: Optional[str] = None
    target_token: Optional[str] = None
    float32: bool = False
    threads: int = 1
    beam: Optional[int] = None
    sentences: Sentences = "in-lines"
    without: Sequence[str] = ()
    longest: int = 1_000_000

    def __post_init__(self) -> None:
        for name, least in [("threads", 1), ("beam", 1), ("longest", 1)]:
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is {value}; expected at least {least}")
        if self.sentences not in ("in-lines", "in-paragraphs", "are-lines"):
            raise ValueError(f"sentences is {self.sentences!r}; expected 'in-lines', 'in-paragraphs' or 'are-lines'")
        if isinstance(self.without, str):
            raise TypeError("without is one text; expected a sequence of names")
        object.__setattr__(self, "without", tuple(self.without))

    def translator(self) -> Translator:
        """Return this process's translator, which is loaded when it is first needed."""
        key = (
            _place(self.model),
            None if self.pivot is None else _place(self.pivot),
            self.source_language,
            self.target_language,
            self.target_token,
            self.float32,
            self.threads,
        )
        with _loading:
            if key not in _translators:
                model, pivot = key[:2]
                _translators[key] = Translator(
                    model.open(),
                    pivot=None if pivot is None else pivot.open(),
                    source_language=self.source_language,
                    target_language=self.target_language,
                    target_token=self.target_token,
                    float32=self.float32,
                    threads=self.threads,
                )
            return _translators[key]


# This process's translators.
_translators: dict[tuple[Any, ...], Translator] = {}
_loading = threading.Lock()


def _place(model: Union[str, os.PathLike[str], Place]) -> Place:
    return model if isinstance(model, Place) else ByPath(os.fspath(model))


def as_job(job: Union[str, os.PathLike[str], Place, Job]) -> Job:
    """A job of a model alone."""
    return job if isinstance(job, Job) else Job(job)


@dataclass(frozen=True)
class Rows:
    """The results of N texts, in their order.

    Attributes
    ----------
    translations : list of str or None, length N
        None where there was no text, or where it could not be translated.
    errors : list of str or None, length N
        Why a text could not be translated.
    words : list of int, length N
        Words of the text, split at white space.
    """

    translations: list[Optional[str]]
    errors: list[Optional[str]]
    words: list[int]

    def __getitem__(self, rows: slice) -> Rows:
        return Rows(self.translations[rows], self.errors[rows], self.words[rows])

    @property
    def failed(self) -> int:
        """Number of texts that could not be translated."""
        return len(self.errors) - self.errors.count(None)


def reason(error: BaseException) -> str:
    """What is said about a row that failed."""
    return f"{type(error).__name__}: {error}"


def _guarded(work: Callable[[], Any]) -> Any:
    """What `work` returns, or its exception. A panic of the engine is not an `Exception`."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        return error


def _each(translator: Translator, job: Job, texts: list[str]) -> Iterator[Union[str, BaseException]]:
    """The texts' translations. Texts that fail together are tried in halves, down to the texts that fail alone."""
    translated = _guarded(
        lambda: translator.translate_batch(texts, beam=job.beam, sentences=job.sentences, without=job.without)
    )
    if not isinstance(translated, BaseException):
        yield from translated
    elif len(texts) == 1:
        yield translated
    else:
        middle = len(texts) // 2
        yield from _each(translator, job, texts[:middle])
        yield from _each(translator, job, texts[middle:])


def translate(job: Job, texts: Sequence[object]) -> Rows:
    """Translate texts, the shortest first, and give a reason for each that cannot be translated.

    Parameters
    ----------
    job : Job
        With what, and how.
    texts : sequence, length N
        Texts and None. Anything else gets a reason; an exception is one itself.

    Returns
    -------
    Rows
        Of N texts, in their order.
    """
    rows = Rows([None] * len(texts), [None] * len(texts), [0] * len(texts))
    readable: list[tuple[int, int, str]] = []
    for index, text in enumerate(texts):
        if isinstance(text, str):
            rows.words[index] = len(text.split())
            if len(text) <= job.longest:
                readable.append((len(text), index, text))
            else:
                rows.errors[index] = f"ValueError: a text of {len(text)} code points; expected at most {job.longest}"
        elif isinstance(text, BaseException):
            rows.errors[index] = reason(text)
        elif text is not None:
            rows.errors[index] = f"TypeError: expected a text, found {type(text).__name__}"
    if not readable:
        return rows
    readable.sort()
    translator = _guarded(job.translator)
    results: Iterable[Union[str, BaseException]]
    if isinstance(translator, BaseException):
        results = [translator] * len(readable)
    else:
        results = _each(translator, job, [text for _, _, text in readable])
    for (_, index, _), result in zip(readable, results):
        if isinstance(result, BaseException):
            rows.errors[index] = reason(result)
        else:
            rows.translations[index] = result
    return rows


def translate_batches(
    job: Job, batches: Iterable[tuple[Batch, Sequence[object]]], count: Callable[[Rows], None]
) -> Iterator[tuple[Batch, Rows]]:
    """Translate batches of texts as they come. Several are sorted together, up to `WINDOW` code points.

    Parameters
    ----------
    job : Job
        With what, and how.
    batches : iterable of pairs
        What a batch is for the caller, and its texts.
    count : callable
        Is told about all rows, once.

    Yields
    ------
    pair
        The batches, in their order, and their rows.
    """
    window: list[tuple[Batch, Sequence[object]]] = []
    size = 0

    def translated() -> Iterator[tuple[Batch, Rows]]:
        rows = translate(job, [text for _, texts in window for text in texts])
        count(rows)
        begin = 0
        for batch, texts in window:
            yield batch, rows[begin : begin + len(texts)]
            begin += len(texts)

    for batch, texts in batches:
        window.append((batch, texts))
        size += sum(len(text) for text in texts if isinstance(text, str))
        if size >= WINDOW:
            yield from translated()
            window, size = [], 0
    if window:
        yield from translated()


def column_of(table: Union[pyarrow.RecordBatch, pyarrow.Table], name: str) -> list[object]:
    """A column's values. A text that is not UTF-8 is the exception that says so."""
    import pyarrow

    if name not in table.schema.names:
        raise KeyError(f"there is no column {name!r}; there are {', '.join(map(repr, table.schema.names))}")
    column = table.column(name)
    try:
        values: list[object] = column.to_pylist()
        return values
    except UnicodeDecodeError:
        return [_decoded(value) for value in column.cast(pyarrow.large_binary()).to_pylist()]


def _decoded(value: Optional[bytes]) -> Text:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError as error:
        return error


@dataclass(frozen=True)
class Columns:
    """Names of the columns of texts and of what is added to them.

    Attributes
    ----------
    text : str, default "text"
        The texts that are translated, strings.
    translation : str, default "translation"
        Their translations, strings; null where the text is null or could not be translated.
    error : str, default "error"
        Why a text could not be translated, strings; null where it could.
    words : str, default "words"
        Words of the text, split at white space, 32-bit integers.
    """

    text: str = "text"
    translation: str = "translation"
    error: str = "error"
    words: str = "words"

    @property
    def added(self) -> list[str]:
        """The columns that are added."""
        return [self.translation, self.error, self.words]

    def check(self, there: Iterable[str]) -> None:
        """Raise ValueError if a column to be added is there already, or the texts' column is not."""
        names = list(there)
        for name in self.added:
            if name in names:
                raise ValueError(f"there is a column {name!r} already; `Columns` names others")
        if self.text not in names:
            raise ValueError(f"there is no column {self.text!r}; there are {', '.join(map(repr, names))}")

    def arrays(self, rows: Rows, like: pyarrow.DataType) -> list[pyarrow.Array]:
        """The columns to be added, with strings as the texts' column has them."""
        import pyarrow

        strings = like if pyarrow.types.is_large_string(like) else pyarrow.string()
        types = [strings, strings, pyarrow.int32()]
        return [pyarrow.array(values, type) for values, type in zip([rows.translations, rows.errors, rows.words], types)]


@dataclass(frozen=True)
class Totals:
    """What a job has done.

    Attributes
    ----------
    rows : int
        Rows, including those without a text.
    words : int
        Words of their texts, split at white space.
    failed : int
        Rows with a reason why they could not be translated.
    """

    rows: int
    words: int
    failed: int
