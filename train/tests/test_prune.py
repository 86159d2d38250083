"""What pruning starts from."""

import numpy
import pytest

from wanderwort_train import config as configuration, forms, prune
from wanderwort_train.cli import main


@pytest.mark.parametrize("reset", ["early", "student"])
def test_what_is_left_is_reset(prepared, reset):
    """With a rate of nearly nothing, the pruned student is what it was reset to without the least confident head."""
    text = prepared.read_text(encoding="utf-8")
    prepared.write_text(
        text + f'''
[pruning]
reset = "{reset}"
keep_heads = 1
updates_per_round = 1
[pruning.training]
updates = 1
batch_tokens = 200
learning_rate = 1e-9
''',
        encoding="utf-8",
    )
    for step in ("student", "prune"):
        assert main([step, "--config", str(prepared)]) == 0
    config = configuration.load(prepared)
    student, pruned = (forms.arrays(config, stage) for stage in ("student", "pruned"))
    (kept,) = forms.read_json(config.folder / "pruned" / "heads.json")["kept"]
    assert len(kept) == 1
    if reset == "student":
        assert kept == [int(numpy.argmax(prune.confidence(config, student)[0]))]
        expected = prune.remove(student, [kept], 16)
        assert all(numpy.allclose(pruned[name], expected[name], atol=1e-6) for name in pruned)
    else:
        assert not numpy.allclose(pruned["Wemb"], student["Wemb"], atol=1e-3)
