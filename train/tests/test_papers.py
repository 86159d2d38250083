"""The configurations of docs/papers.md are such."""

import re
import tomllib

import pytest
from conftest import HERE, copy_data

from wanderwort_train import config as configuration

TEXT = (HERE.parent / "docs" / "papers.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


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
