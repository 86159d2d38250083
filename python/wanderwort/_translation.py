"""Translations with what is known about their words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from wanderwort import _wanderwort


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence of a text and its translation, with T target tokens and S source tokens.

    Places are counted in code points, so that they index Python's strings. A sentence that was copied has no tokens: T
    and S are 0.

    Attributes
    ----------
    source, target : slice
        Its place in the source text and in the translation.
    tokens : numpy.ndarray of int64, shape (T, 2)
        Beginning and end of each token in the translation.
    token_sources : numpy.ndarray of int64, shape (T, 2)
        Beginning and end, in the source, of what each token was aligned to most; both are the sentence's end if that was the
        end mark.
    log_probabilities : numpy.ndarray of float32, shape (T,), or None
        Natural logarithm of each token's probability given those before it; NaN where the model did not write it. None unless
        `scores` was asked for.
    source_tokens : numpy.ndarray of int64, shape (S, 2), or None
        Beginning and end, in the source, of each column of `alignment`. The last one is empty, for the end mark. None unless
        `alignment` was asked for.
    alignment : numpy.ndarray of float32, shape (T, S), or None
        What the alignment head attended to when each token was written: weights from 0 to 1; each row sums to 1, or to 0
        where the model did not write the token. None unless `alignment` was asked for.
    """

    source: slice
    target: slice
    tokens: NDArray[np.int64]
    token_sources: NDArray[np.int64]
    log_probabilities: Optional[NDArray[np.float32]]
    source_tokens: Optional[NDArray[np.int64]]
    alignment: Optional[NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Translation:
    """A translated text.

    Attributes
    ----------
    text : str
        The translation.
    sentences : list of Sentence
        Its sentences, in order, without the white space between them.
    """

    text: str
    sentences: list[Sentence]

    def __str__(self) -> str:
        return self.text


def translation(details: _wanderwort._Details) -> Translation:
    """Make arrays from the buffers that the native half returns."""
    import numpy as np

    def places(buffer: bytearray) -> NDArray[np.int64]:
        return np.frombuffer(buffer, dtype=np.int64).reshape(-1, 2)

    def numbers(buffer: bytearray) -> NDArray[np.float32]:
        return np.frombuffer(buffer, dtype=np.float32)

    def sentence(parts: _wanderwort._Sentence) -> Sentence:
        tokens = places(parts["tokens"])
        scores, sources, weights = parts["log_probabilities"], parts["source_tokens"], parts["alignment"]
        columns = None if sources is None else places(sources)
        return Sentence(
            source=slice(*parts["source"]),
            target=slice(*parts["target"]),
            tokens=tokens,
            token_sources=places(parts["token_sources"]),
            log_probabilities=None if scores is None else numbers(scores),
            source_tokens=columns,
            alignment=None if weights is None or columns is None else numbers(weights).reshape(len(tokens), len(columns)),
        )

    text, sentences = details
    return Translation(text, [sentence(parts) for parts in sentences])
