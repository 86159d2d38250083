"""LibreTranslate's and DeepL's own clients against `wanderwort serve`.

Run with the Python environment of tests/serve/test.sh: clients.py PROGRAM
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from pathlib import Path

import deepl
from libretranslatepy import LibreTranslateAPI
from openapi_spec_validator import validate

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "models" / "en-de.tiny.wanderwort"
TOKEN = "a token"
HOUSE, DOG = "The house is big.", "I have a dog."


def expected(text: str) -> str:
    """What the command line makes of a text."""
    command = [PROGRAM, "translate", "--model", MODEL]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        command = [PROGRAM, "serve", "--model", MODEL, "--listen", "127.0.0.1:0"]
        environment = {**os.environ, "WANDERWORT_TOKEN": TOKEN}
        cls.server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        cls.address = cls.server.stdout.readline().strip()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.send_signal(signal.SIGTERM)
        cls.server.stdout.close()
        assert cls.server.wait(timeout=60) == 0, "the server does not end in order"

    def test_libretranslate(self) -> None:
        client = LibreTranslateAPI(self.address, api_key=TOKEN)
        self.assertEqual(client.translate(HOUSE, "en", "de"), expected(HOUSE))
        self.assertEqual(client.translate(HOUSE, "auto", "de"), expected(HOUSE))
        self.assertEqual(client.detect("Wo ist der Bahnhof?")[0]["language"], "de")
        languages = client.languages()
        self.assertEqual([(one["code"], one["targets"]) for one in languages], [("en", ["de"])])
        with self.assertRaises(urllib.error.HTTPError) as refused:
            LibreTranslateAPI(self.address, api_key="another").translate(HOUSE, "en", "de")
        self.assertEqual(refused.exception.code, 403)
        refused.exception.close()

    def test_deepl(self) -> None:
        client = deepl.DeepLClient(TOKEN, server_url=self.address)
        one = client.translate_text(HOUSE, source_lang="EN", target_lang="DE")
        self.assertEqual((one.text, one.detected_source_lang), (expected(HOUSE), "EN"))
        many = client.translate_text([HOUSE, DOG, ""], target_lang="DE")
        self.assertEqual([result.text for result in many], [expected(HOUSE), expected(DOG), ""])
        self.assertEqual(many[0].billed_characters, len(HOUSE))
        markup = client.translate_text("The <b>house</b> is big.", target_lang="DE", tag_handling="html")
        self.assertEqual(markup.text, "Das <b>Haus</b> ist groß.")
        kept = client.translate_text(
            "<s>The house is called <n>Big House</n>.</s>",
            source_lang="EN",
            target_lang="DE",
            tag_handling="xml",
            ignore_tags="n",
            split_sentences=deepl.SplitSentences.NO_NEWLINES,
            preserve_formatting=True,
            formality=deepl.Formality.PREFER_MORE,
            context="About houses.",
        )
        self.assertIn("<n>Big House</n>", kept.text)
        self.assertEqual([(one.code, one.name) for one in client.get_source_languages()], [("EN", "English")])
        self.assertEqual([one.code for one in client.get_target_languages()], ["DE"])
        usage = client.get_usage()
        self.assertTrue(usage.character.valid and usage.character.count > 0 and not usage.any_limit_reached)
        with self.assertRaises(deepl.DeepLException):
            client.translate_text(HOUSE, target_lang="FR")
        with self.assertRaises(deepl.AuthorizationException):
            deepl.DeepLClient("another", server_url=self.address).translate_text(HOUSE, target_lang="DE")

    def test_commands_of_the_documentation(self) -> None:
        text = (ROOT / "src/bin/wanderwort/serve/README.md").read_text(encoding="utf-8")
        block = re.search(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
        start, ask = [shlex.split(line, comments=True) for line in block.splitlines()]
        self.assertEqual(start[0], "wanderwort")
        # Any port, for the usual one may be another program's.
        command = [PROGRAM, *start[1:], "--listen", "127.0.0.1:0"]
        environment = {name: value for name, value in os.environ.items() if name != "WANDERWORT_TOKEN"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT) as server:
            try:
                address = server.stdout.readline().strip()
                # As curl asks, which need not be there: its data as they are, with `&` between.
                self.assertEqual(ask[:2], ["curl", "http://127.0.0.1:5000/translate"])
                self.assertEqual(set(ask[2::2]), {"-d"})
                with urllib.request.urlopen(f"{address}/translate", data="&".join(ask[3::2]).encode()) as answer:
                    translated = json.load(answer)["translatedText"]
            finally:
                server.send_signal(signal.SIGTERM)
        self.assertEqual(translated, expected("Where is the station?"))

    def test_description(self) -> None:
        with urllib.request.urlopen(f"{self.address}/openapi.json") as answer:
            validate(json.load(answer))


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=1)
