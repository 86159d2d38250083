"""Sentence pairs from games and web pages (parallel/collect.py)."""

import importlib.util
import json
import lzma
import sys
from contextlib import nullcontext

import polib
import pytest
from conftest import HERE

specification = importlib.util.spec_from_file_location("parallel_collect", HERE.parent / "parallel" / "collect.py")
collect = importlib.util.module_from_spec(specification)
specification.loader.exec_module(collect)


@pytest.fixture
def games(tmp_path):
    """A folder like that of extracted packages."""
    catalogue = polib.POFile()
    for english, german in [
        ("I see a dragon.", "Ich sehe einen Drachen."),
        ("female^You are <i>late</i>. Where were you?", "Du bist <i>spät</i>. Wo warst du?"),
        ("Who goes there?\n\nStop!  Give me the gold, now.", "Wer da?\n\nHalt!  Gib mir das Gold, sofort."),
        ("The king is dead. His son is here.", "Der König ist tot und sein Sohn ist hier."),
        ("Attack $unit.name now.", "Greift $unit.name jetzt an."),
        ("Save game", "Spiel speichern"),
        ("The ring is lost in the deep sea.", "The ring is lost in the deep sea."),
        ("The gate was opened by a thief last night.", "A thief has opened the gate in the night."),
        ("i see a dragon!", "Ich sehe einen Drachen!"),
        ("We all agree with you, my lord.", "Ja."),
        ("Not translated.", ""),
    ]:
        catalogue.append(polib.POEntry(msgid=english, msgstr=german))
    plural = {0: "%d Münze ist hier.", 1: "Viele Münzen sind hier."}
    catalogue.append(polib.POEntry(msgid="%d coin is here.", msgid_plural="Many coins are here.", msgstr_plural=plural))
    messages = tmp_path / "game/usr/share/locale/de/LC_MESSAGES"
    messages.mkdir(parents=True)
    catalogue.save_as_mofile(str(messages / "game.mo"))
    lines = 'dialogId("a-1", "font", "Please say \\"yes\\" now, my little fish.")\n'
    lines += 'dialogStr("Bitte sag jetzt \\"ja\\", mein kleiner Fisch.")\n\ndialogId("a-2", "font", "Only here.")\n'
    (tmp_path / "fish").mkdir()
    (tmp_path / "fish/dialogs_de.lua").write_text(lines, encoding="utf-8")
    stamps = tmp_path / "paint/usr/share/tuxpaint/stamps/animals"
    stamps.mkdir(parents=True)
    (stamps / "fox.txt").write_text("A red fox.\n\nfr.utf8=Un renard.\nde.utf8=Ein roter Fuchs.\n", encoding="utf-8")
    (stamps / "empty.txt").write_text("", encoding="utf-8")
    return tmp_path


def test_running_text_is_taken(games):
    found = list(collect.collect(games, set()))
    assert [pair for name, pair in found if name == "dialogues"] == [
        ('Please say "yes" now, my little fish.', 'Bitte sag jetzt "ja", mein kleiner Fisch.')
    ]
    assert [pair for name, pair in found if name == "stamps"] == [("A red fox.", "Ein roter Fuchs.")]
    assert {pair for name, pair in found if name == "catalogues"} == {
        ("I see a dragon.", "Ich sehe einen Drachen."),
        # Markup and context are gone, sentences that correspond stand alone.
        ("You are late.", "Du bist spät."),
        ("Where were you?", "Wo warst du?"),
        ("Who goes there?", "Wer da?"),
        # One word alone would be no pair, so its paragraph stays whole.
        ("Stop! Give me the gold, now.", "Halt! Gib mir das Gold, sofort."),
        # So do two sentences that are one in the translation.
        ("The king is dead. His son is here.", "Der König ist tot und sein Sohn ist hier."),
        ("Many coins are here.", "Viele Münzen sind hier."),
    }


def test_sentences_of_test_sets_are_kept_out(games):
    found = {pair for _, pair in collect.collect(games, {collect.corpus.fingerprint("I see a DRAGON"), collect.corpus.fingerprint("Ein roter Fuchs.")})}
    assert ("I see a dragon.", "Ich sehe einen Drachen.") not in found and ("A red fox.", "Ein roter Fuchs.") not in found
    assert ("You are late.", "Du bist spät.") in found


TABLE = """Deutsch

# A comment, that is no text.
DRAGON_DESC
'''The dragon sleeps. Do not wake it.

It is [[metertype old]].'''

#OLD_NAME
#An old text.
SHIP
%s
"""


def test_texts_with_a_name_are_paired(tmp_path):
    (tmp_path / "en.txt").write_text(TABLE % "A ship is here.", encoding="utf-8")
    german = TABLE.replace("The dragon sleeps. Do not wake it.", "Der Drache schläft. Weckt ihn nicht.")
    (tmp_path / "de.txt").write_text(german % "Ein Schiff ist hier.", encoding="utf-8")
    (tmp_path / "col").mkdir()
    (tmp_path / "col/FreeColMessages.properties").write_text("# Note\nend=The war is over.\\nWe won.\nonly=Only here.\n")
    (tmp_path / "col/FreeColMessages_de.properties").write_text("end = Der Krieg ist vorbei.\\nWir haben gewonnen.\n")
    (tmp_path / "hue/translations").mkdir(parents=True)
    (tmp_path / "hue/translations/en.json").write_text('{"a": {"b": "The lamp is off.", "n": 3}, "c": "No lamp."}')
    (tmp_path / "hue/translations/de.json").write_text('{"a": {"b": "Die Lampe ist aus.", "n": 3}, "d": "Keine Lampe."}')
    (tmp_path / "other.de.json").write_text("[")
    assert [pair for name, pair in collect.collect(tmp_path, set()) if name == "names"] == [
        ("The lamp is off.", "Die Lampe ist aus."),
        ("The war is over.", "Der Krieg ist vorbei."),
        ("We won.", "Wir haben gewonnen."),
        ("The dragon sleeps.", "Der Drache schläft."),
        ("Do not wake it.", "Weckt ihn nicht."),
        ("A ship is here.", "Ein Schiff ist hier."),
    ]


def test_tables_and_pages_are_paired(tmp_path):
    (tmp_path / "Locale").mkdir()
    lines = 'locale = {\n["..."]="…",\n["He said: \\"Run away from here now!\\""] = "Er sagte: \\"Lauft jetzt weg von hier!\\"", -- Here\n["It is cold."]="Es ist kalt.",\n}'
    (tmp_path / "Locale/de.lua").write_text(lines, encoding="utf-8")
    (tmp_path / "moon").mkdir()
    (tmp_path / "moon/description.en.utf8").write_text("<h1>Moon</h1>\n<p>The <b>Moon</b> has no\nair &amp; no water.</p>")
    (tmp_path / "moon/description.de.utf8").write_text("<h1>Mond</h1>\n<p>Der <b>Mond</b> hat weder\nLuft noch Wasser.</p>")
    # A paragraph more, so that nobody knows which is which.
    (tmp_path / "sun").mkdir()
    (tmp_path / "sun/description.en.utf8").write_text("<p>The sun is hot.</p>")
    (tmp_path / "sun/description.de.utf8").write_text("<p>Die Sonne ist heiß.</p><p>Sie ist ein Stern.</p>")
    found = list(collect.collect(tmp_path, set()))
    assert found == [
        ("scripts", ('He said: "Run away from here now!"', 'Er sagte: "Lauft jetzt weg von hier!"')),
        ("scripts", ("It is cold.", "Es ist kalt.")),
        ("pages", ("The Moon has no air & no water.", "Der Mond hat weder Luft noch Wasser.")),
    ]


def test_the_command_writes_pairs(games, tmp_path, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(collect.packages, "debian", lambda *arguments: asked.append(arguments))
    monkeypatch.setattr(collect.tempfile, "TemporaryDirectory", lambda: nullcontext(games))
    with lzma.open(tmp_path / "test.tsv.xz", "wt", encoding="utf-8") as file:
        file.write("A red fox.\tEin Rotfuchs.\n")
    out = tmp_path / "games.tsv"
    monkeypatch.setattr(sys, "argv", ["collect.py", "games", str(out), "--without", str(tmp_path / "test.tsv.xz")])
    collect.main()
    assert asked == [(games, collect.DEBIAN, collect.RELEASES)]
    rows = out.read_text(encoding="utf-8").splitlines()
    assert "I see a dragon.\tIch sehe einen Drachen." in rows and len(rows) == 8
    assert "catalogues: 7 pairs" in capsys.readouterr().out


def test_labels_of_web_pages_are_pairs(tmp_path, monkeypatch, capsys):
    catalogue = polib.POFile()
    for english, german, flags in [
        ("Add to basket", "In den Warenkorb legen", []),
        ("Your basket is empty.", "Ihr Warenkorb ist leer.", []),
        ("Remove <b>%(name)s</b> now", "<b>%(name)s</b> jetzt entfernen", []),
        ("Free shipping", "Kostenloser Versand.", []),
        ("Sold out today", "Heute verkauft", ["fuzzy"]),
        ("Basket", "Warenkorb", []),
    ]:
        catalogue.append(polib.POEntry(msgid=english, msgstr=german, flags=flags))
    old = polib.POFile()
    old.append(polib.POEntry(msgid="Out of stock", msgstr="Nicht auf Lager"))
    compiled = polib.POFile()
    compiled.append(polib.POEntry(msgid="Best offers first", msgstr="Beste Angebote zuerst"))
    messages = tmp_path / "packages/my-shop/shop/locale/de/LC_MESSAGES"
    messages.mkdir(parents=True)
    for name, content in (("django.po", str(catalogue).encode()), ("django.mo", old.to_binary()), ("other.mo", compiled.to_binary())):
        (messages / name).write_bytes(content)
    strings = tmp_path / "packages/@my/chat/package/strings"
    strings.mkdir(parents=True)
    for language, text in (("en_EN", "Send a message"), ("de_DE", "Nachricht senden")):
        (strings / f"{language}.json").write_text(json.dumps({"send": text}))
    for client in ("wheels", "npm", "debian"):
        monkeypatch.setattr(collect.packages, client, lambda *arguments: None)
    monkeypatch.setattr(collect.tempfile, "TemporaryDirectory", lambda: nullcontext(tmp_path / "packages"))
    out = tmp_path / "web.tsv"
    monkeypatch.setattr(sys, "argv", ["collect.py", "web", str(out)])
    collect.main()
    rows = out.read_text(encoding="utf-8").splitlines()
    # Neither what nobody has checked, nor what a .mo says beside its .po, nor one word, nor a label that became a sentence.
    assert sorted(rows) == [
        "Add to basket\tIn den Warenkorb legen",
        "Best offers first\tBeste Angebote zuerst",
        "Send a message\tNachricht senden",
        "Your basket is empty.\tIhr Warenkorb ist leer.",
    ]
    assert "catalogues: 3 pairs, 10 English words" in capsys.readouterr().out


def test_a_package_that_is_gone_ends_the_command(tmp_path, monkeypatch):
    def gone(*arguments):
        raise collect.errors.TrainingError("Debian's package wesnoth cannot be had")

    monkeypatch.setattr(collect.packages, "debian", gone)
    monkeypatch.setattr(sys, "argv", ["collect.py", "games", str(tmp_path / "games.tsv")])
    with pytest.raises(SystemExit, match="wesnoth cannot be had"):
        collect.main()
    assert not (tmp_path / "games.tsv").exists()
