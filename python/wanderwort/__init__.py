"""Neural machine translation on your own processor.

>>> import wanderwort
>>> translator = wanderwort.Translator("models/en-de.tiny.wanderwort")
>>> translator.translate("The house is big.")
'Das Haus ist groß.'
"""

from wanderwort._models import AvailableModel, InstalledModel, available, install, installed, remove
from wanderwort._translation import Sentence, Translation
from wanderwort._translator import Translator
from wanderwort._wanderwort import Error, FetchError, ModelError, NotInstalledError, __version__

__all__ = [
    "AvailableModel",
    "Error",
    "FetchError",
    "InstalledModel",
    "ModelError",
    "NotInstalledError",
    "Sentence",
    "Translation",
    "Translator",
    "__version__",
    "available",
    "install",
    "installed",
    "remove",
]
