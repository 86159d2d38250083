"""What a type checker makes of the package; mypy reads it, and nobody runs it."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from ray.data import Dataset

from wanderwort import AvailableModel, InstalledModel, Translation, Translator, available, install, installed, remove
from wanderwort import ray as in_ray
from wanderwort import spark as in_spark

translator = Translator("en", "de", threads=2)
text: str = translator.translate("A dog.")
texts: list[str] = translator.translate(["A dog."], beam=4, sentences="are-lines")
scored: Translation = translator.translate("A dog.", scores=True)
aligned: list[Translation] = translator.translate(["A dog."], alignment=True)
weights: "NDArray[np.float32] | None" = scored.sentences[0].alignment
begun: str = translator.translate_from("A dog.", "Ein")
others: list[str] = translator.alternatives("A dog.", "Ein", count=3)
lines: Iterator[str] = translator.translate_iter(open("english.txt"))
models: list[InstalledModel] = installed()
listed: list[AvailableModel] = available("en", lists=["https://models.example/index.json"])
fetched: list[InstalledModel] = install("en-fr", progress=lambda name, bytes, total: print(name, bytes / total))
names: list[str] = remove("en-fr")


def on_clusters(frame: DataFrame, dataset: Dataset) -> None:
    job = in_spark.Job(in_spark.BySparkFile("model"), beam=1, sentences="are-lines")
    translated: DataFrame = in_spark.translate(frame, job, columns=in_spark.Columns(text="line"))
    totals: in_spark.Totals = in_spark.totals(translated)
    rows: int = totals.rows
    more: Dataset = in_ray.translate(dataset, "model", actors=(1, 4))
    in_spark.Job("model", sentences="somewhere")  # type: ignore[arg-type]
    in_spark.translate(dataset, job)  # type: ignore[arg-type]


translator.translate(b"A dog.")  # type: ignore[call-overload]
translator.translate("A dog.", sentences="somewhere")  # type: ignore[call-overload]
install("en-fr", progress="bar")  # type: ignore[arg-type]
number: int = translator.translate("A dog.")  # type: ignore[assignment]
