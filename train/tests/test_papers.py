"""The configurations of docs/papers.md, and those that `papers` prints, are such."""

import re
import tomllib

import pytest
from conftest import HERE, copy_data

from wanderwort_train import config as configuration, papers
from wanderwort_train.cli import main

TEXT = (HERE.parent / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = [row for rows in papers.TABLES.values() for row in rows]
BLOCKS = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL) + [row.configuration for row in ROWS]


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_its_configurations_load(number, tmp_path):
    path = copy_data(tmp_path)
    tables = tomllib.loads(BLOCKS[number])
    text = path.read_text(encoding="utf-8")
    # Those of the file that a block has too are the block's.
    for name in tables:
        text = re.sub(rf"^\[{name}\]\n(?:[^\[].*\n)*", "", text, flags=re.MULTILINE)
    path.write_text(text + BLOCKS[number], encoding="utf-8")
    config = configuration.load(path)
    for name, table in tables.items():
        found = getattr(config, name).model_dump()
        for key, value in table.items():
            if key == "models":
                continue
            kept = {inner: found[key][inner] for inner in value} if isinstance(value, dict) else found[key]
            assert kept == value, f"{name}.{key}"


def test_every_option_it_names_is_there():
    sections = {name: field.annotation for name, field in configuration.Config.model_fields.items()}
    named = re.findall(r"`(\w+)\.(\w+)(?: = [^`]*)?`", TEXT)
    assert len(named) > 15
    for section, key in named:
        if section in sections:
            assert key in sections[section].model_fields, f"{section}.{key}"


def test_each_row_is_ours_or_has_what_would_train_it(prepared, capsys):
    assert main(["papers", "--config", str(prepared)]) == 0
    printed = capsys.readouterr().out
    for paper, rows in papers.TABLES.items():
        assert f"## {paper}" in printed and f"| {paper} " in TEXT
        for row in rows:
            state = next(line for line in printed.splitlines() if line.startswith(f"| {row.network} |")).split(" | ")[1]
            if row.described is None:
                assert re.fullmatch(r"not trained here: configuration \d+", state)
                assert row.configuration.strip() in printed
            else:
                assert (papers.REPOSITORY / row.described).exists()
    # What is there is measured.
    ours = next(line for line in printed.splitlines() if line.startswith("| tiny student |"))
    cells = [cell.strip() for cell in ours.strip("|").split("|")]
    assert len(cells) == 5 and float(cells[2]) > 5 and float(cells[4]) > 1
