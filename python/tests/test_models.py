"""Models by path and by languages, good and bad."""

import gc
import hashlib
import json
import pickle
import shutil
import subprocess

import pytest
from conftest import MODEL, PROGRAM

import wanderwort
from wanderwort._wanderwort import models_in_memory


def words_of_the_command_line(*arguments):
    result = subprocess.run([PROGRAM, "translate", *arguments], input="", capture_output=True, encoding="utf-8")
    assert result.returncode == 1
    return result.stderr.removeprefix("wanderwort: ").rstrip("\n")


def cut(path):
    path.write_bytes(MODEL.read_bytes()[:100_000])


def damage(path):
    content = bytearray(MODEL.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def no_package(path):
    path.write_bytes(b"This is not a package.\n" * 50)


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir(), cut, damage, no_package])
def test_bad_models_are_told_as_the_command_line_tells_them(tmp_path, make):
    path = tmp_path / "model.wanderwort"
    make(path)
    with pytest.raises(wanderwort.ModelError) as raised:
        wanderwort.Translator(path)
    assert str(raised.value) == words_of_the_command_line("--model", str(path))
    assert isinstance(raised.value, wanderwort.Error)


def test_models_that_do_not_follow_each_other():
    with pytest.raises(wanderwort.ModelError) as raised:
        wanderwort.Translator(MODEL, pivot=MODEL)
    assert str(raised.value) == words_of_the_command_line("--model", str(MODEL), "--pivot", str(MODEL))


def install(folder, source, target):
    name = f"{source}-{target}.tiny"
    files = folder / name / "files"
    files.mkdir(parents=True)
    shutil.copy(MODEL, files / "model.wanderwort")
    sha256 = hashlib.sha256(MODEL.read_bytes()).hexdigest()
    entry = {"name": "model.wanderwort", "size": MODEL.stat().st_size, "sha256": sha256, "package": True}
    description = {"name": name, "source": source, "target": target, "version": "1.0", "licence": "none", "files": [entry]}
    (folder / name / "installed.json").write_text(json.dumps(description), encoding="utf-8")
    return files / "model.wanderwort"


def test_installed_models(tmp_path, translator, monkeypatch):
    assert wanderwort.installed(tmp_path / "nothing") == []
    path = install(tmp_path, "en", "de")
    (model,) = wanderwort.installed(tmp_path)
    assert (model.name, model.source, model.target, model.path) == ("en-de.tiny", "en", "de", path)
    assert model.size == MODEL.stat().st_size

    by_name = wanderwort.Translator("en", "de", folder=tmp_path)
    assert by_name.translate("The house is big.") == translator.translate("The house is big.")
    assert pickle.loads(pickle.dumps(by_name)).target_language == "de"
    monkeypatch.setenv("WANDERWORT_MODELS", str(tmp_path))
    assert wanderwort.Translator("en", "de").source_language == "en"

    with pytest.raises(wanderwort.NotInstalledError, match="no model from en to fr is installed; .*install en-fr"):
        wanderwort.Translator("en", "fr")
    # Two in a row, where the pair has none.
    install(tmp_path, "de", "fr")
    assert wanderwort.Translator("en", "fr").target_language == "fr"


def test_what_translators_have_in_common_is_in_memory_once(tmp_path):
    for source, target in [("en", "de"), ("de", "fr")]:
        install(tmp_path, source, target)
    gc.collect()
    before = models_in_memory()
    through = wanderwort.Translator("en", "fr", folder=tmp_path)
    assert models_in_memory() == before + 2
    direct = wanderwort.Translator("en", "de", folder=tmp_path)
    again = wanderwort.Translator("en", "de", folder=tmp_path, threads=1)
    assert models_in_memory() == before + 2
    assert direct.translate("The house is big.") == again.translate("The house is big.")
    # A cache is each translator's own, and the model is not.
    keeping = wanderwort.Translator("en", "de", folder=tmp_path, cache=2)
    assert models_in_memory() == before + 2
    assert repr(keeping).endswith("cache=2)") or "cache=2, " in repr(keeping)
    texts = ["The house is big.", "Where is the station?", "The house is big.", "Save as"] * 2
    for translator in [keeping, keeping, pickle.loads(pickle.dumps(keeping))]:
        assert translator.translate(texts) == direct.translate(texts)
    del keeping, translator
    with pytest.raises(ValueError, match="cache is -1; expected"):
        wanderwort.Translator("en", "de", folder=tmp_path, cache=-1)
    # Another arithmetic is another model.
    floats = wanderwort.Translator("en", "de", folder=tmp_path, float32=True)
    assert models_in_memory() == before + 3
    del through, floats
    gc.collect()
    assert models_in_memory() == before + 1
    del direct, again
    gc.collect()
    assert models_in_memory() == before


def test_damaged_descriptions_are_told(tmp_path):
    install(tmp_path, "en", "de")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/installed.json").write_text("{", encoding="utf-8")
    with pytest.warns(RuntimeWarning, match="installed.json is damaged"):
        assert len(wanderwort.installed(tmp_path)) == 1


def test_options_that_do_not_go_together():
    for arguments, options in [
        ((MODEL,), {"threads": 0}),
        ((MODEL,), {"folder": "."}),
        (("en", "de"), {"pivot": MODEL}),
        ((MODEL,), {"target_token": "x" * 100}),
    ]:
        with pytest.raises(ValueError):
            wanderwort.Translator(*arguments, **options)


def test_languages_may_be_given():
    translator = wanderwort.Translator(MODEL, source_language="en-GB", target_language="de-AT")
    assert (translator.source_language, translator.target_language) == ("en", "de")
