"""Ray with actors on this machine, some of which are killed."""

import os

import pyarrow
import pytest
import ray
import ray.data
from clusters import LINES, killed
from conftest import MODEL, ROOT, code_of_the_readme, run_code

import wanderwort
from wanderwort import ray as wanderwort_ray
from wanderwort.ray import Columns, Counts, InStore, Job, Totals

pytestmark = [
    pytest.mark.filterwarnings("ignore:::ray"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.skipif(not os.path.isdir("/proc"), reason="this system does not list its processes in /proc"),
]


@pytest.fixture(scope="module", autouse=True)
def machine():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        # Ray's own processes would wait for all others of the machine.
        patch.setenv("RAY_worker_niceness", "0")
        # One more than there are actors: what else a job does needs one too.
        ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.execution_options.preserve_order = True
        yield
        ray.shutdown()


def is_actor(command, parent):
    return command.startswith("ray::") and "MapWorker" in command


def test_every_row_once_though_actors_die(small, expected):
    counts = Counts()
    table = pyarrow.table({"id": range(len(LINES)), "text": LINES})
    lines = ray.data.from_arrow([table.slice(begin, 5000) for begin in range(0, len(LINES), 5000)])
    translated = wanderwort_ray.translate(lines, Job(small), counts=counts, actors=2, batch_size=1000)
    with killed(is_actor, times=2) as dead:
        done = translated.materialize()
    assert dead

    table = pyarrow.concat_tables(ray.get(done.to_arrow_refs()))
    assert table.column_names == ["id", "text", "translation", "error", "words"]
    assert table["id"].to_pylist() == list(range(len(LINES)))
    assert table["text"].to_pylist() == LINES
    assert table["translation"].to_pylist() == expected
    assert table["error"].null_count == len(LINES)
    words = sum(len(line.split()) for line in LINES)
    assert wanderwort_ray.totals(done) == Totals(len(LINES), words, 0)
    # Batches whose actor died after counting them were done again.
    seen = counts.get()
    assert len(LINES) <= seen.rows <= len(LINES) + 2 * 2 * 5000 and seen.failed == 0


def test_a_row_that_fails_says_why(translator):
    bad = pyarrow.array([b"The house is big.", None, b"1" * 21, b"", b"\xc3\x28"]).view(pyarrow.string())
    frame = ray.data.from_arrow(pyarrow.table({"id": range(5), "text": bad}))
    columns, counts = Columns(translation="german", error="why", words="count"), Counts()
    # Ray brings the model, too.
    job = Job(InStore.put(MODEL), longest=20)
    rows = wanderwort_ray.translate(frame, job, columns=columns, counts=counts, actors=1).drop_columns(["text"]).take_all()
    found = [(row["id"], row["german"], row["why"], row["count"]) for row in rows]
    assert found[:4] == [
        (0, translator.translate("The house is big."), None, 4),
        (1, None, None, 0),
        (2, None, "ValueError: a text of 21 code points; expected at most 20", 1),
        (3, "", None, 0),
    ]
    assert found[4][1] is None and found[4][2].startswith("UnicodeDecodeError: ")
    assert counts.get() == Totals(5, 5, 2)


def test_what_ray_brings_is_checked(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = InStore.put(MODEL)
    path = place.open()
    path.write_bytes(b"damaged")
    assert place.open() == path and path.read_bytes() == MODEL.read_bytes()
    with pytest.raises(wanderwort.ModelError, match="expected 0000"):
        InStore(place.reference, "0" * 64).open()


def test_what_ray_brings_is_each_users_own(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = InStore.put(MODEL)
    mine = place.find()
    monkeypatch.setattr("os.getuid", lambda: 4711)
    other = place.find()
    assert other != mine and other.read_bytes() == mine.read_bytes() == MODEL.read_bytes()

    def refused(path):
        raise PermissionError(13, "Permission denied", str(path))

    other.write_bytes(b"")
    monkeypatch.setattr(wanderwort_ray, "checksum", refused)
    assert place.find() == other and other.read_bytes() == MODEL.read_bytes()
    monkeypatch.setattr("os.replace", lambda source, target: refused(target))
    with pytest.raises(PermissionError):
        place.find()
    assert sorted(tmp_path.iterdir()) == sorted([mine, other])


def test_wrong_columns_are_told_at_once(small):
    frame = ray.data.from_arrow(pyarrow.table({"words": ["A dog."]}))
    for columns, words in [(Columns(), "'words' already"), (Columns(words="count", text="line"), "no column 'line'")]:
        with pytest.raises(ValueError, match=words):
            wanderwort_ray.translate(frame, small, columns=columns)


def test_code_of_the_readme(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    run_code(code_of_the_readme()["ray"])
    assert "1 Das Haus ist groß. None\n" in capsys.readouterr().out
