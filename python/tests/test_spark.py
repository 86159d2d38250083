"""Spark with two processes, some of which are killed."""

import os
import sys

import pyarrow
import pyarrow.parquet
import pytest
from clusters import LINES, killed
from conftest import MODEL, ROOT, code_of_the_readme, run_code
from pyspark.sql import SparkSession, functions

from wanderwort import spark as wanderwort_spark
from wanderwort.spark import BySparkFile, Columns, Counts, Job, Totals, checksum

pytestmark = [
    pytest.mark.filterwarnings("ignore:::pyspark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.skipif(not os.path.isdir("/proc"), reason="this system does not list its processes in /proc"),
]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        # Spark itself goes by the folder where it was started, as the README's code has paths.
        patch.chdir(ROOT)
        # Eight attempts at each task may fail before the job does.
        builder = SparkSession.builder.master("local[2,8]").config("spark.ui.enabled", "false")
        session = builder.config("spark.local.dir", str(tmp_path_factory.mktemp("spark"))).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def lines(session, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("lines") / "lines.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"id": range(len(LINES)), "text": LINES}), path)
    return session.read.parquet(path).repartitionByRange(8, "id").sortWithinPartitions("id").cache()


def with_function(frame, job, counts):
    return wanderwort_spark.translate(frame, job, counts=counts)


def with_udf(frame, job, counts):
    translate = wanderwort_spark.translate_udf(job, counts=counts)
    return frame.withColumn("translated", translate("text")).select("id", "text", "translated.*")


def is_worker(command, parent):
    return "pyspark.daemon" in command and "pyspark.daemon" in parent


@pytest.mark.parametrize("way", [with_function, with_udf])
def test_every_row_once_though_processes_die(session, lines, small, expected, tmp_path, way):
    assert lines.count() == len(LINES)
    context, counts = session.sparkContext, Counts(session)
    context.setJobGroup(way.__name__, "")
    with killed(is_worker, times=3) as dead:
        way(lines, Job(small), counts).write.parquet(str(tmp_path / "out"))
    assert dead
    tracker = context.statusTracker()
    stages = [stage for job in tracker.getJobIdsForGroup(way.__name__) for stage in tracker.getJobInfo(job).stageIds]
    assert sum(info.numFailedTasks for stage in stages if (info := tracker.getStageInfo(stage))) > 0

    written = [pyarrow.parquet.read_table(path) for path in sorted((tmp_path / "out").glob("part-*"))]
    table = pyarrow.concat_tables(written)
    assert len(written) == 8 and table.column_names == ["id", "text", "translation", "error", "words"]
    # In order within each partition, and so overall, since partitions are ranges.
    assert table["id"].to_pylist() == list(range(len(LINES)))
    assert table["text"].to_pylist() == LINES
    assert table["translation"].to_pylist() == expected
    assert table["error"].null_count == len(LINES)
    words = sum(len(line.split()) for line in LINES)
    assert wanderwort_spark.totals(session.read.parquet(str(tmp_path / "out"))) == Totals(len(LINES), words, 0)
    assert (counts.rows, counts.words, counts.failed) == (len(LINES), words, 0)


def test_a_process_loads_its_model_once(lines, small):
    work = wanderwort_spark.translate_in_arrow(Job(small))

    def watched(batches):
        from wanderwort import _cluster

        if not hasattr(_cluster, "loads"):
            load, _cluster.loads = _cluster.Translator, 0

            def counted(*arguments, **options):
                _cluster.loads += 1
                return load(*arguments, **options)

            _cluster.Translator = counted
        for _ in work(batches):
            pass
        yield pyarrow.RecordBatch.from_pydict({"process": [os.getpid()], "loads": [_cluster.loads]})

    rows = lines.where("id < 100 or id > 99900").mapInArrow(watched, "process long, loads long").collect()
    # The processes of an earlier test may still have theirs.
    assert len(rows) == 8 and 1 <= len({row.process for row in rows}) <= 2 and {row.loads for row in rows} <= {0, 1}


def test_a_row_that_fails_says_why(session, small):
    bad = functions.unhex(functions.lit("C328")).cast("string")
    texts = session.createDataFrame([(0, "17"), (1, None), (2, "1" * 21), (3, "")], "id long, text string")
    frame = texts.union(session.range(4, 5).select("id", bad)).coalesce(1)
    counts = Counts(session)
    columns = Columns(translation="german", error="why", words="count")
    job = Job(small, longest=20)
    rows = wanderwort_spark.translate(frame, job, counts=counts, columns=columns).select("id", "german", "why", "count").collect()
    assert [tuple(row) for row in rows[:4]] == [
        (0, "17", None, 1),
        (1, None, None, 0),
        (2, None, "ValueError: a text of 21 code points; expected at most 20", 1),
        (3, "", None, 0),
    ]
    assert rows[4].german is None and rows[4].why.startswith("UnicodeDecodeError: ")
    assert (counts.rows, counts.words, counts.failed) == (5, 2, 2)
    udf = wanderwort_spark.translate_udf(job)
    assert [tuple(row.t) for row in texts.select(udf("text").alias("t")).collect()] == [tuple(row[1:]) for row in rows[:4]]


def test_spark_brings_the_model(session, translator):
    session.sparkContext.addFile(str(MODEL))
    frame = session.createDataFrame([(0, "The house is big."), (1, "42")], "id long, text string").coalesce(1)
    good = [(translator.translate("The house is big."), None), ("42", None)]
    sha256, wrong = checksum(MODEL), "0" * 64
    for place in [BySparkFile(MODEL.name, sha256), BySparkFile(MODEL.name, wrong)]:
        rows = wanderwort_spark.translate(frame, place).select("translation", "error").collect()
        if place.sha256 == sha256:
            assert [tuple(row) for row in rows] == good
        else:
            # If the model cannot be used, that is every row's reason, and the job ends well.
            assert [row.translation for row in rows] == [None, None] and rows[0].error == rows[1].error
            assert rows[0].error.startswith("ModelError: ") and f"SHA-256 {sha256}, expected {wrong}" in rows[0].error


def test_wrong_columns_are_told_at_once(session, small):
    frame = session.createDataFrame([(0, "A dog.")], "words long, text string")
    for columns, words in [(Columns(), "'words' already"), (Columns(words="count", text="line"), "no column 'line'")]:
        with pytest.raises(ValueError, match=words):
            wanderwort_spark.translate(frame, small, columns=columns)
    with pytest.raises(TypeError, match="'words' is of bigint"):
        wanderwort_spark.translate(frame, small, columns=Columns(text="words", words="count"))


def test_code_of_the_readme(session, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    run_code(code_of_the_readme()["spark"], session=session)
    assert "1 Das Haus ist groß. None 4\n2 None None 0\n2 4 0\n" in capsys.readouterr().out
