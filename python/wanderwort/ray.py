"""Translation in Ray.

Each actor of a dataset's pool loads the model once. Rows keep their columns; one that cannot be translated gets a reason,
and the job continues. ``pip install "wanderwort[ray]"`` installs what this needs; the workers need it too.

>>> from wanderwort import ray as wanderwort_ray
>>> wanderwort_ray.Job("/models/en-de.tiny.wanderwort", beam=1).threads
1
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from wanderwort._cluster import (
    ByName,
    ByPath,
    Columns,
    Job,
    Place,
    Totals,
    as_job,
    checksum,
    column_of,
)
from wanderwort._cluster import translate as translate_rows

try:
    import pyarrow
    import ray
    import ray.data
except ImportError as error:
    raise ImportError(f'wanderwort.ray needs Ray Data: pip install "wanderwort[ray]" ({error})') from error

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["ByName", "ByPath", "Columns", "Counts", "InStore", "Job", "Totals", "checksum", "totals", "translate"]


@dataclass(frozen=True)
class InStore(Place):
    """A package that Ray brings to each machine, once, through its object store. `put` makes one.

    Attributes
    ----------
    reference : ray.ObjectRef
        The package's bytes. They exist as long as this reference does.
    sha256 : str
        What `checksum` gives for it.
    """

    reference: Any
    sha256: str

    @staticmethod
    def put(package: Union[str, os.PathLike[str]]) -> InStore:
        """Put a package of this machine into the store.

        Parameters
        ----------
        package : path
            A file, not a folder of a model's files.

        Returns
        -------
        InStore
            For a `Job` of the same Ray session.
        """
        return InStore(ray.put(Path(package).read_bytes()), checksum(package))

    def find(self) -> Path:
        # Users may share the folder, and can neither read nor replace each other's files.
        user = os.getuid() if hasattr(os, "getuid") else ""
        path = Path(tempfile.gettempdir()) / f"wanderwort-{user}-{self.sha256}.wanderwort"
        if not self._is_at(path):
            # If several processes write it at once, each puts a whole one there.
            file = tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.stem, delete=False)
            try:
                with file:
                    file.write(ray.get(self.reference))
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise
        return path

    def _is_at(self, path: Path) -> bool:
        try:
            return checksum(path) == self.sha256
        except OSError:
            return False


@ray.remote(num_cpus=0)
class _Counter:
    def __init__(self) -> None:
        self.totals = Totals(0, 0, 0)

    def add(self, rows: int, words: int, failed: int) -> None:
        self.totals = Totals(self.totals.rows + rows, self.totals.words + words, self.totals.failed + failed)

    def get(self) -> Totals:
        return self.totals


class Counts:
    """An actor that counts while a job runs.

    A batch is counted when it has been translated. If the actor that did it dies before its results have arrived, another one
    does the batch again, and it is counted again: these figures are for watching a job. `totals` counts what came out.
    """

    def __init__(self) -> None:
        self._counter: Any = _Counter.remote()  # type: ignore[attr-defined]

    def get(self) -> Totals:
        """Rows, words and rows that failed, so far."""
        found: Totals = ray.get(self._counter.get.remote())
        return found

    def _add(self, rows: int, words: int, failed: int) -> None:
        self._counter.add.remote(rows, words, failed)


class _Translate:
    """What an actor runs."""

    def __init__(self, job: Job, columns: Columns, counts: Optional[Counts]) -> None:
        self.job, self.columns, self.counts = job, columns, counts

    def __call__(self, table: pyarrow.Table) -> pyarrow.Table:
        rows = translate_rows(self.job, column_of(table, self.columns.text))
        if self.counts is not None:
            self.counts._add(len(rows.words), sum(rows.words), rows.failed)
        like = table.schema.field(self.columns.text).type
        for name, array in zip(self.columns.added, self.columns.arrays(rows, like)):
            table = table.append_column(name, array)
        return table


def translate(
    dataset: Dataset,
    job: Union[str, os.PathLike[str], Place, Job],
    *,
    columns: Columns = Columns(),
    counts: Optional[Counts] = None,
    actors: Union[int, tuple[int, int], None] = None,
    batch_size: int = 4096,
    **options: Any,
) -> Dataset:
    """Add translations to a dataset.

    Rows of a block keep their order. Blocks come in the order in which they are done, unless
    ``ray.data.DataContext.get_current().execution_options.preserve_order`` is set before the dataset is made.

    Parameters
    ----------
    dataset : ray.data.Dataset
        With a column of texts. Its other columns, such as keys, are kept.
    job : path, Place or Job
        With what, and how.
    columns : Columns
        Names of the texts' column and of those that are added.
    counts : Counts, optional
        Is told about the rows.
    actors : int or pair of int, optional
        Number of processes that translate, or its minimum and maximum. By default from one to as many as the cluster has processors
        for, if each process takes the job's `threads`. A fixed number must leave processors for whatever else the dataset does, such
        as reading: it waits for ever if the actors have them all.
    batch_size : int, default 4096
        Rows that are sorted by length and translated at once.
    **options
        Whatever else `ray.data.Dataset.map_batches` takes, such as ``resources``.

    Returns
    -------
    ray.data.Dataset
        The same rows with a translation, a reason if there is none, and the number of words. As with all datasets, nothing happens
        before it is written, taken or the like.

    Raises
    ------
    ValueError
        If a column that is to be added is there already, or the texts' column is not.
    """
    names = dataset.columns()
    if names is not None:
        columns.check(names)
    made = as_job(job)
    if actors is None:
        strategy = ray.data.ActorPoolStrategy(min_size=1, max_size=None)
    elif isinstance(actors, int):
        strategy = ray.data.ActorPoolStrategy(size=actors)
    else:
        strategy = ray.data.ActorPoolStrategy(min_size=actors[0], max_size=actors[1])
    return dataset.map_batches(
        _Translate,
        fn_constructor_args=(made, columns, counts),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=strategy,
        num_cpus=made.threads,
        **options,
    )


def totals(translated: Dataset, *, columns: Columns = Columns()) -> Totals:
    """Count what was translated, from the rows themselves: exact, whatever was run twice.

    Parameters
    ----------
    translated : ray.data.Dataset
        What `translate` returned, written and read again, or materialized: otherwise all of it is translated once more.
    columns : Columns
        Names of its columns.

    Returns
    -------
    Totals
        Rows, words and rows that failed.
    """

    def count(table: pyarrow.Table) -> pyarrow.Table:
        import pyarrow.compute

        words = pyarrow.compute.sum(table[columns.words]).as_py() or 0
        failed = len(table) - table[columns.error].null_count
        return pyarrow.table({"rows": [len(table)], "words": [words], "failed": [failed]})

    rows = translated.select_columns([columns.words, columns.error]).map_batches(count, batch_format="pyarrow").take_all()
    return Totals(*(sum(row[name] for row in rows) for name in ("rows", "words", "failed")))
