"""Translation in Apache Spark.

Each process of an executor loads the model once. Rows keep their columns and their order; one that cannot be translated
gets a reason, and the job continues. ``pip install "wanderwort[spark]"`` installs what this needs; the executors need it too.

>>> from wanderwort import spark as wanderwort_spark
>>> wanderwort_spark.Job("/models/en-de.tiny.wanderwort", beam=1).threads
1
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from wanderwort._cluster import (
    ByName,
    ByPath,
    Columns,
    Job,
    Place,
    Rows,
    Totals,
    as_job,
    checksum,
    column_of,
    translate_batches,
)

try:
    import pandas
    import pyarrow
    from pyspark import SparkFiles
    from pyspark.sql import functions
    from pyspark.sql.pandas.functions import pandas_udf
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType
except ImportError as error:
    words = f'wanderwort.spark needs PySpark, pandas and PyArrow: pip install "wanderwort[spark]" ({error})'
    raise ImportError(words) from error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "ByName",
    "ByPath",
    "BySparkFile",
    "Columns",
    "Counts",
    "Job",
    "Totals",
    "checksum",
    "totals",
    "translate",
    "translate_in_arrow",
    "translate_udf",
]


@dataclass(frozen=True)
class BySparkFile(Place):
    """A model that Spark brings to each machine: ``spark.sparkContext.addFile(path)`` or ``spark-submit --files``.

    Attributes
    ----------
    name : str
        The file's name, without its folder.
    sha256 : str, optional
        What `checksum` gives for it. A process that finds another model there does not use it.
    """

    name: str
    sha256: Optional[str] = None

    def find(self) -> Path:
        return Path(SparkFiles.get(self.name))


class Counts:
    """Accumulators that count while a job runs.

    Spark adds up what a task counted when the task ends well, so what was done by a process that was killed is not counted twice.
    What Spark computes twice is counted twice, though: a frame that two actions use and that is not cached, or a stage that is run
    again because a machine with its results was lost. `totals` counts what was written.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        The session that runs the job; not one of Spark Connect, which has no accumulators.
    """

    def __init__(self, session: SparkSession) -> None:
        context = session.sparkContext
        self._rows, self._words, self._failed = (context.accumulator(0) for _ in range(3))

    @property
    def rows(self) -> int:
        """Rows so far, including those without a text."""
        return self._rows.value

    @property
    def words(self) -> int:
        """Words of their texts so far, split at white space."""
        return self._words.value

    @property
    def failed(self) -> int:
        """Rows so far that could not be translated."""
        return self._failed.value

    def _add(self, rows: Rows) -> None:
        self._rows.add(len(rows.words))
        self._words.add(sum(rows.words))
        self._failed.add(rows.failed)


def _counter(counts: Optional[Counts]) -> Callable[[Rows], None]:
    return (lambda rows: None) if counts is None else counts._add


def translate_in_arrow(
    job: Union[str, os.PathLike[str], Place, Job], *, columns: Columns = Columns(), counts: Optional[Counts] = None
) -> Callable[[Iterable[pyarrow.RecordBatch]], Iterator[pyarrow.RecordBatch]]:
    """Make a function for ``DataFrame.mapInArrow``, which `translate` calls with the schema that belongs to it.

    Parameters
    ----------
    job : path, Place or Job
        With what, and how.
    columns : Columns
        Names of the texts' column and of those that are added.
    counts : Counts, optional
        Is told about the rows.

    Returns
    -------
    callable
        Takes the record batches of a partition and gives the same with columns added: strings `columns.translation` and
        `columns.error`, 32-bit integers `columns.words`. Rows keep their order. Memory is bounded: a few million code points are
        sorted by length at once, not the whole partition.
    """
    made, count = as_job(job), _counter(counts)

    def work(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        texts = ((batch, column_of(batch, columns.text)) for batch in batches)
        for batch, rows in translate_batches(made, texts, count):
            added = columns.arrays(rows, batch.schema.field(columns.text).type)
            yield pyarrow.RecordBatch.from_arrays([*batch.columns, *added], [*batch.schema.names, *columns.added])

    return work


def translate(
    frame: DataFrame,
    job: Union[str, os.PathLike[str], Place, Job],
    *,
    columns: Columns = Columns(),
    counts: Optional[Counts] = None,
) -> DataFrame:
    """Add translations to a frame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        With a column of texts. Its other columns, such as keys, are kept.
    job : path, Place or Job
        With what, and how.
    columns : Columns
        Names of the texts' column and of those that are added.
    counts : Counts, optional
        Is told about the rows.

    Returns
    -------
    pyspark.sql.DataFrame
        The same rows with a translation, a reason if there is none, and the number of words. As with all frames, nothing happens
        before it is written, collected or the like.

    Raises
    ------
    ValueError
        If a column that is to be added is there already, or the texts' column is not.
    TypeError
        If the texts' column is not one of strings.
    """
    columns.check(frame.columns)
    found = frame.schema[columns.text].dataType
    if not isinstance(found, StringType):
        raise TypeError(f"column {columns.text!r} is of {found.simpleString()}; expected string")
    schema = StructType([*frame.schema.fields, *_added(columns).fields])
    return frame.mapInArrow(translate_in_arrow(job, columns=columns, counts=counts), schema)


def _added(columns: Columns) -> StructType:
    types = [StringType(), StringType(), IntegerType()]
    return StructType([StructField(name, type) for name, type in zip(columns.added, types)])


def translate_udf(job: Union[str, os.PathLike[str], Place, Job], *, counts: Optional[Counts] = None) -> Any:
    """Make a pandas UDF from a column of texts to one of structs.

    Spark decodes the texts before they come here, and a text that is not UTF-8 fails the job, which ``functions.make_valid_utf8``
    prevents; `translate` gives such a row its reason.

    Parameters
    ----------
    job : path, Place or Job
        With what, and how.
    counts : Counts, optional
        Is told about the rows.

    Returns
    -------
    callable
        Takes a column of strings and gives one of structs with `translation` (string), `error` (string) and `words` (int), as
        `translate` has them.
    """
    made, count = as_job(job), _counter(counts)
    columns = Columns()

    def work(batches: Iterator[pandas.Series]) -> Iterator[pandas.DataFrame]:
        # A missing string comes as None or as NaN, depending on the version of pandas.
        texts = ((None, [None if text is pandas.NA or text != text else text for text in batch]) for batch in batches)
        for _, rows in translate_batches(made, texts, count):
            yield pandas.DataFrame(dict(zip(columns.added, [rows.translations, rows.errors, rows.words])), dtype=object)

    # Spark tells the kind of a UDF by the types of its function, which it cannot read if they are written as strings.
    work.__annotations__ = {"batches": Iterator[pandas.Series], "return": Iterator[pandas.DataFrame]}
    # Spark may write a function into a plan twice, once for each field of its struct, unless it is told not to.
    return pandas_udf(work, _added(columns)).asNondeterministic()  # type: ignore[call-overload]


def totals(translated: DataFrame, *, columns: Columns = Columns()) -> Totals:
    """Count what was translated, from the rows themselves: exact, whatever was run twice.

    Parameters
    ----------
    translated : pyspark.sql.DataFrame
        What `translate` returned, written and read again, or cached: otherwise all of it is translated once more.
    columns : Columns
        Names of its columns.

    Returns
    -------
    Totals
        Rows, words and rows that failed.
    """
    words, failed = functions.sum(columns.words), functions.count(columns.error)
    row = translated.agg(functions.count(functions.lit(1)), words, failed).collect()[0]
    return Totals(row[0], row[1] or 0, row[2])
