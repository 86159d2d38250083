"""The translator."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, Optional, Union, overload

from wanderwort import _wanderwort
from wanderwort._models import install as install_model
from wanderwort._models import tell
from wanderwort._translation import Translation, translation

Sentences = Literal["in-lines", "in-paragraphs", "are-lines"]

# Code points that `translate_iter` reads ahead, once and once more for each thread: as much as the engine takes at once.
WINDOW = 256 << 10


class Translator:
    """A loaded model, or two that follow each other. Translators in one process share the models that they have in common.

    Translations are the same as the command line's, whatever the processor, the number of threads, and whatever else is
    translated at the same time. While the engine works, Python's other threads continue, and Ctrl-C raises KeyboardInterrupt.
    One translator can serve several threads; in a forked process it starts threads of its own; a pickled one opens its model
    again where it arrives.

    Parameters
    ----------
    model : path or str
        With `target`, the language to translate from, a BCP 47 tag; else the path of a package, or of a folder of Marian's files.
    target : str, optional
        The language to translate to. The model for the pair, or two models through a third language, must be installed
        (`wanderwort.install`, or ``wanderwort models install en-de``).
    pivot : path, optional
        Without `target`: a second model that translates the output of the first one.
    source_language, target_language : str, optional
        Without `target`: languages of models whose files do not tell them.
    target_token : str, optional
        For a model with several target languages, its name for the wanted one, such as ``deu``.
    float32 : bool, default False
        Compute in 32-bit floats instead of int8, which is slower.
    threads : int, optional
        Threads that translate; by default one for each processor.
    cache : int, default 0
        Number of sentences whose translations are kept, so that one that comes again, in the same call or a later one, is not translated again.
        Translations do not depend on it.
    folder : path, optional
        With `target`: where models are installed, if not in the command line's folder.
    install : bool, default False
        With `target`: fetch the model and install it if it is not there, as `wanderwort.install` does.

    Raises
    ------
    FetchError
        With `install`: if the model cannot be fetched.
    ModelError
        If the model cannot be loaded.
    NotInstalledError
        If no installed model translates between the languages.

    Examples
    --------
    >>> from wanderwort import Translator
    >>> translator = Translator("models/en-de.tiny.wanderwort")
    >>> translator.source_language, translator.target_language
    ('en', 'de')
    >>> translator.translate(["The house is big.", "Where is the station?"])
    ['Das Haus ist groß.', 'Wo ist der Bahnhof?']
    """

    def __init__(
        self,
        model: Union[str, os.PathLike[str]],
        target: Optional[str] = None,
        *,
        pivot: Optional[Union[str, os.PathLike[str]]] = None,
        source_language: Optional[str] = None,
        target_language: Optional[str] = None,
        target_token: Optional[str] = None,
        float32: bool = False,
        threads: Optional[int] = None,
        cache: int = 0,
        folder: Optional[Union[str, os.PathLike[str]]] = None,
        install: bool = False,
    ) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads is {threads}; expected at least 1")
        if cache < 0:
            raise ValueError(f"cache is {cache}; expected the number of sentences to keep, or 0")
        if target is not None:
            if pivot is not None or source_language is not None or target_language is not None:
                raise ValueError("pivot, source_language and target_language belong to models that are given by their paths")
            folder = None if folder is None else os.path.abspath(folder)
            try:
                found, notes = _wanderwort.find(os.fspath(model), target, folder)
            except _wanderwort.NotInstalledError:
                if not install:
                    raise
                install_model(f"{os.fspath(model)}-{target}", folder=folder)
                found, notes = _wanderwort.find(os.fspath(model), target, folder)
            tell(notes, 2)
            # At the ends, the languages are those asked for; in the middle, the models' own.
            parts: list[tuple[str, Optional[str], Optional[str]]] = [
                (os.fspath(path), source, to) for _, source, to, _, _, _, path in found
            ]
            parts[0] = (parts[0][0], os.fspath(model), parts[0][2])
            parts[-1] = (parts[-1][0], parts[-1][1], target)
            model = os.fspath(model)
        elif install:
            raise ValueError("what is installed is found by its languages; a target is missing")
        elif folder is not None:
            raise ValueError("folder is where models are looked for by their languages; a target is missing")
        else:
            # A process elsewhere that unpickles this may have another working directory.
            model = os.path.abspath(model)
            parts = [(model, source_language, None if pivot is not None else target_language)]
            if pivot is not None:
                pivot = os.path.abspath(pivot)
                parts.append((pivot, None, target_language))
        self._engine = _wanderwort.Engine(parts, target_token, float32, threads or 0, cache)
        for words in self._engine.warnings:
            warnings.warn(words, RuntimeWarning, stacklevel=2)
        self._arguments = (model, target)
        self._options: dict[str, Any] = {
            "pivot": pivot,
            "source_language": source_language,
            "target_language": target_language,
            "target_token": target_token,
            "float32": float32,
            "threads": threads,
            "cache": cache,
            "folder": folder,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return _open, (self._arguments, self._options)

    def __repr__(self) -> str:
        given = [repr(argument) for argument in self._arguments if argument is not None]
        given += [f"{name}={value!r}" for name, value in self._options.items() if value not in (None, False)]
        return f"Translator({', '.join(given)})"

    @property
    def source_language(self) -> str:
        """The language that is translated from, a BCP 47 tag, or ``und`` if it is not known."""
        return self._engine.source_language

    @property
    def target_language(self) -> str:
        """The language that is translated to, a BCP 47 tag, or ``und`` if it is not known."""
        return self._engine.target_language

    @property
    def threads(self) -> int:
        """Number of threads that translate."""
        return self._engine.threads

    @property
    def beam(self) -> int:
        """Hypotheses of a sentence that are followed side by side unless another number is asked for."""
        return self._engine.beam

    @overload
    def translate(
        self,
        text: str,
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
        scores: Literal[False] = False,
        alignment: Literal[False] = False,
    ) -> str: ...

    @overload
    def translate(
        self,
        text: str,
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
        scores: Literal[True],
        alignment: bool = False,
    ) -> Translation: ...

    @overload
    def translate(
        self,
        text: str,
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
        scores: bool = False,
        alignment: Literal[True],
    ) -> Translation: ...

    @overload
    def translate(
        self,
        text: list[str],
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
        scores: Literal[False] = False,
        alignment: Literal[False] = False,
    ) -> list[str]: ...

    @overload
    def translate(
        self,
        text: list[str],
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
        scores: Literal[True],
        alignment: bool = False,
    ) -> list[Translation]: ...

    @overload
    def translate(
        self,
        text: list[str],
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
        scores: bool = False,
        alignment: Literal[True],
    ) -> list[Translation]: ...

    def translate(
        self,
        text: Union[str, list[str]],
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
        scores: bool = False,
        alignment: bool = False,
    ) -> Union[str, Translation, list[str], list[Translation]]:
        """Translate a text, or a list of texts.

        Sentences are found, long ones split, and white space, line breaks and structure stay as they are. A text's
        translation does not depend on the others in the list.

        Parameters
        ----------
        text : str or list of str
            What to translate.
        beam : int, optional
            Beam search: follow this many hypotheses of each sentence side by side; 1 is the fastest. By default as the model says.
        sentences : {'in-lines', 'in-paragraphs', 'are-lines'}
            Where sentences are: in each line; in paragraphs, which a single line break does not end; or each line is one,
            whatever it contains, as in corpora.
        without : sequence of str
            Repairs to leave out, by the names that ``wanderwort translate --help`` lists; ``all`` gives what the model wrote.
        scores : bool, default False
            Also return the tokens' log-probabilities, as arrays of float32. Needs NumPy.
        alignment : bool, default False
            Also return what each token attended to in the source, as arrays of float32. Needs NumPy.

        Returns
        -------
        str or Translation, or a list of these
            In the texts' order; of `Translation` if `scores` or `alignment` was asked for.

        Raises
        ------
        ValueError
            If an option has an unknown value.
        KeyboardInterrupt
            On Ctrl-C, once the engine has stopped.

        Examples
        --------
        >>> from wanderwort import Translator
        >>> translator = Translator("models/en-de.tiny.wanderwort")
        >>> translation = translator.translate("Where is the station?", scores=True, alignment=True)
        >>> sentence = translation.sentences[0]
        >>> sentence.alignment.shape == (len(sentence.tokens), len(sentence.source_tokens))
        True
        >>> begin, end = sentence.tokens[0]
        >>> translation.text[begin:end]
        'Wo'
        """
        texts = [text] if isinstance(text, str) else text
        options = (_beam(beam), sentences, list(without))
        results: Union[list[str], list[Translation]]
        if scores or alignment:
            found = self._engine.translate_in_detail(texts, *options, scores, alignment)
            results = [translation(details) for details in found]
        else:
            results = self._engine.translate(texts, *options)
        return results[0] if isinstance(text, str) else results

    def translate_from(
        self,
        text: str,
        prefix: str,
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
    ) -> str:
        """Translate a text whose translation is to begin in a given way.

        The model continues from there. The prefix ends before anything that the vocabulary cannot write.

        Parameters
        ----------
        text : str
            What to translate; if it has several sentences, the prefix is for the first.
        prefix : str
            How the translation begins.
        beam, sentences, without
            As for `translate`.

        Returns
        -------
        str
            The translation.

        Examples
        --------
        >>> from wanderwort import Translator
        >>> translator = Translator("models/en-de.tiny.wanderwort")
        >>> translator.translate_from("The house is big.", "Dieses").startswith("Dieses ")
        True
        """
        found = self._engine.translate_from([text], prefix, _beam(beam), sentences, list(without), 0)
        return found[0][0]

    def alternatives(
        self,
        text: str,
        prefix: str = "",
        *,
        count: int = 5,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
    ) -> list[str]:
        """Find translations that differ in the word after a given beginning.

        Each of the likeliest words there begins one translation, which continues with its own likeliest words.

        Parameters
        ----------
        text : str
            What to translate; if it has several sentences, these are translations of the first.
        prefix : str, optional
            How they all begin.
        count : int, default 5
            How many are wanted, from 1 to 64.
        sentences, without
            As for `translate`.

        Returns
        -------
        list of str
            The translations, the likeliest first; none for a text that has nothing to translate.

        Raises
        ------
        ValueError
            If the count is out of range.

        Examples
        --------
        >>> from wanderwort import Translator
        >>> translator = Translator("models/en-de.tiny.wanderwort")
        >>> found = translator.alternatives("The house is big.", "Das", count=3)
        >>> len(found), all(text.startswith("Das") for text in found)
        (3, True)
        """
        if not 1 <= count <= 64:
            raise ValueError(f"count is {count}; expected 1 to 64")
        return self._engine.translate_from([text], prefix, 0, sentences, list(without), count)[0][1]

    def translate_batch(
        self,
        texts: Iterable[str],
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
    ) -> list[str]:
        """Translate many texts at once, on all of the translator's threads.

        Parameters
        ----------
        texts : iterable of str
            What to translate; all of it is read first.
        beam, sentences, without
            As for `translate`.

        Returns
        -------
        list of str
            The translations, in the texts' order.

        Examples
        --------
        >>> from wanderwort import Translator
        >>> translator = Translator("models/en-de.tiny.wanderwort")
        >>> translator.translate_batch(line for line in ("I have a dog.", ""))
        ['Ich habe einen Hund.', '']
        """
        return self._engine.translate(_texts(texts), _beam(beam), sentences, list(without))

    def translate_iter(
        self,
        texts: Iterable[str],
        *,
        beam: Optional[int] = None,
        sentences: Sentences = "in-lines",
        without: Sequence[str] = (),
    ) -> Iterator[str]:
        """Translate texts as they are wanted, in constant memory.

        Texts are read ahead a few hundred thousand code points at a time, enough for all threads, so a whole corpus can go
        through. Nothing is read before the first translation is wanted.

        Parameters
        ----------
        texts : iterable of str
            What to translate, such as an open file. The line break at the end of a line stays.
        beam, sentences, without
            As for `translate`.

        Yields
        ------
        str
            The translations, in the texts' order.

        Examples
        --------
        >>> from wanderwort import Translator
        >>> translator = Translator("models/en-de.tiny.wanderwort")
        >>> for line in translator.translate_iter(["The house is big."]):
        ...     print(line)
        Das Haus ist groß.
        """
        if isinstance(texts, str):
            raise TypeError("expected an iterable of texts, not one text")
        options = (_beam(beam), sentences, list(without))
        limit = WINDOW * (1 + self.threads)
        window: list[str] = []
        size = 0
        for text in texts:
            window.append(text)
            size += len(text) + 1
            if size >= limit:
                yield from self._engine.translate(window, *options)
                window, size = [], 0
        if window:
            yield from self._engine.translate(window, *options)


def _texts(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError("expected an iterable of texts, not one text")
    return list(texts)


def _beam(beam: Optional[int]) -> int:
    if beam is not None and beam < 1:
        raise ValueError(f"beam is {beam}; expected at least 1")
    return beam or 0


def _open(arguments: tuple[str, Optional[str]], options: dict[str, Any]) -> Translator:
    """Open a pickled translator's model again."""
    return Translator(*arguments, **options)
