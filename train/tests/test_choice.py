"""What is chosen among a teacher's candidates, and what is left out."""

import json
import sys

import pytest

from wanderwort_train import batches, choice, config as configuration, distil, vocabulary
from wanderwort_train.cli import main


def test_metrics_differ():
    """BLEU wants common sequences of words, chrF letters, TER few edits."""
    reference = "Die Katzen schliefen gestern auf dem warmen Dach."
    candidates = [
        "Katze schlief gestern am warmen Dache oben.",
        "Gestern auf dem warmen Dach lagen viele andere Tiere herum und schliefen.",
        "Die Katzen auf dem Dach.",
    ]
    found = {metric: choice.closest(candidates, reference, metric=metric) for metric in ("BLEU", "chrF", "TER")}
    assert found == {"BLEU": 1, "chrF": 1, "TER": 2}
    assert choice.closest([reference, "Anders."], reference, 100.0, "TER") == 0
    assert choice.closest(candidates, reference, 99.0, "TER") == choice.REFERENCE


def test_repetitions_are_counted():
    assert choice.repeats([]) == choice.repeats([5]) == choice.repeats([5, 6, 7]) == 1
    assert choice.repeats([5, 5, 5, 5]) == 4
    assert choice.repeats([9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 7]) == 3
    assert choice.repeats([1, 2, 1, 3, 1, 2]) == 1
    assert choice.is_stuck([1, 2, 3], [7, 8, 7, 8, 7, 8]) and not choice.is_stuck([1, 2, 3], [7, 8, 7, 8])
    assert not choice.is_stuck([4, 4, 4, 2], [6, 6, 6, 2]), "the source says it as often"


def test_repeats_are_left_out():
    rows = [{"source": source, "target": target} for source, target in (([1], [2, 0]), ([1], [2, 0]), ([1], [3, 0]), ([1, 5], [3, 3, 3, 3, 0]))]
    assert distil.without_repeats(rows) == [rows[0], rows[2]]


PROGRAM = """
import sys
for number, line in enumerate(sys.stdin):
    text = line.strip()
    print(f"{number} ||| zwei {text} ||| F0= -1 ||| -0.25")
    print(f"{number} ||| {text} eins ||| F0= -1 ||| -0.5")
"""


def commanded(prepared, program: str, **settings):
    """A configuration whose teacher is a program."""
    script = prepared.with_name("program.py")
    script.write_text(program, encoding="utf-8")
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in ({"lines": 30} | settings).items())
    path = prepared.with_name("taught.toml")
    text = prepared.read_text(encoding="utf-8").replace('folder = "run"', 'folder = "taught"')
    path.write_text(f"{text}\n[teacher]\ncommand = {json.dumps([sys.executable, str(script)])}\n[distillation]\n{lines}\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_any_program_teaches(prepared, share, capsys):
    path = commanded(prepared, PROGRAM, reference_share=share, drop_repeats=True)
    for step in ("teacher", "distil"):
        assert main([step, "--config", str(path)]) == 0
    assert "nothing to train" in capsys.readouterr().out
    config = configuration.load(path)
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    rows = [json.loads(line) for line in (config.folder / "distilled" / "shards" / "000000000.jsonl").read_text().splitlines()]
    assert len(rows) == 30 and {row["rank"] for row in rows} <= {0, 1} and {row["score"] for row in rows} == {-0.25}
    for row in rows:
        source, target = pieces.decode(row["source"]), pieces.decode(row["target"])
        assert target == (f"zwei {source}" if row["rank"] == 0 else f"{source} eins")
    # One real pair for two distilled ones.
    data, source = batches.Prepared(config.folder / "distilled"), batches.Prepared(config.data.folder)
    real = data.pairs - 30
    assert real == 0 if share == 0 else 8 <= real <= 22
    own = {tuple(source.source(i).tolist()): tuple(source.target(i).tolist()) for i in range(source.pairs)}
    for pair in range(30, data.pairs):
        assert own[tuple(data.source(pair).tolist())] == tuple(data.target(pair).tolist())
    assert len({tuple(data.source(pair).tolist()) for pair in range(data.pairs)}) == 30


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("import sys\nfor line in sys.stdin: print(line)", "number of an input line, from 0 to 29"),
        ("print('0 ||| a ||| -1.0')", "1 of 30 lines came back"),
        ("print('99 ||| a ||| -1.0')", "line 1 of its output is '99 ||| a ||| -1.0'"),
        ("import sys; sys.exit('no licence')", "no licence"),
    ],
)
def test_wrong_programs_are_told(prepared, program, message, capsys):
    assert main(["distil", "--config", str(commanded(prepared, program))]) == 1
    assert message in capsys.readouterr().err


def test_a_program_does_not_predict_words(prepared, capsys):
    path = commanded(prepared, PROGRAM)
    path.write_text(path.read_text(encoding="utf-8").replace("[training]", "[training]\nteacher_share = 0.5"), encoding="utf-8")
    assert main(["student", "--config", str(path)]) == 1
    assert "for the step `distil` alone" in capsys.readouterr().err
    path.write_text(path.read_text(encoding="utf-8").replace("[teacher]", '[teacher]\nmodels = ["a.npz"]'), encoding="utf-8")
    assert main(["distil", "--config", str(path)]) == 1
    assert "models and command both name who teaches" in capsys.readouterr().err


def test_what_was_distilled_before_these_settings_goes_on():
    """Settings that came later do not make other shards of the same ones."""
    settings = configuration.Distillation()
    assert {"metric", "drop_repeats", "reference_share"}.isdisjoint(settings.described())
    assert configuration.Distillation(metric="TER").described()["metric"] == "TER"
