"""What a type checker makes of the package; mypy reads it, and nobody runs it."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wanderwort import InstalledModel, Translation, Translator, installed

translator = Translator("en", "de", threads=2)
text: str = translator.translate("A dog.")
texts: list[str] = translator.translate(["A dog."], beam=4, sentences="are-lines")
scored: Translation = translator.translate("A dog.", scores=True)
aligned: list[Translation] = translator.translate(["A dog."], alignment=True)
weights: "NDArray[np.float32] | None" = scored.sentences[0].alignment
lines: Iterator[str] = translator.translate_iter(open("english.txt"))
models: list[InstalledModel] = installed()

translator.translate(b"A dog.")  # type: ignore[call-overload]
translator.translate("A dog.", sentences="somewhere")  # type: ignore[call-overload]
number: int = translator.translate("A dog.")  # type: ignore[assignment]
