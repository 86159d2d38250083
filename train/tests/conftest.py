import shutil
from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent


def copy_data(folder: Path, lines: int = 200) -> Path:
    """The first pairs of the sample, and a configuration that uses them."""
    rows = (HERE / "data" / "sample.tsv").read_text(encoding="utf-8").splitlines()[:lines]
    (folder / "pairs.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    shutil.copy(HERE / "data" / "sample-dev.tsv", folder / "dev.tsv")
    config = folder / "config.toml"
    config.write_text(
        """
name = "test"
folder = "run"
device = "cpu"
threads = 1
[data]
folder = "data"
source_language = "en"
target_language = "de"
vocabulary_size = 500
[[data.corpora]]
path = "pairs.tsv"
[data.development]
dev = "dev.tsv"
[model]
dimension = 32
feed_forward = 64
heads = 2
encoder_layers = 1
decoder_layers = 1
[training]
updates = 8
batch_tokens = 200
learning_rate = 3e-3
warmup = 4
evaluate_every = 1000
evaluate_lines = 5
smoothing = 0.05
dropout = 0.1
""",
        encoding="utf-8",
    )
    return config


@pytest.fixture
def prepared(tmp_path):
    """A configuration file whose data are prepared."""
    from wanderwort_train.cli import main

    config = copy_data(tmp_path)
    assert main(["prepare", "--config", str(config)]) == 0
    return config
