import os
from pathlib import Path
from typing import Callable, Optional, TypedDict, final

__all__ = [
    "Engine",
    "Error",
    "FetchError",
    "ModelError",
    "NotInstalledError",
    "__version__",
    "available",
    "find",
    "install",
    "installed",
    "models_in_memory",
    "remove",
]

__version__: str

class Error(Exception): ...
class FetchError(Error): ...
class ModelError(Error): ...
class NotInstalledError(Error): ...

_Described = tuple[str, str, str, str, str, int, Path]
_Listed = tuple[str, str, str, str, str, int, Optional[int]]

class _Origin(TypedDict):
    folder: Optional[str]
    lists: list[str]
    offline: bool
    timeout: float

class _Sentence(TypedDict):
    source: tuple[int, int]
    target: tuple[int, int]
    tokens: bytearray
    token_sources: bytearray
    log_probabilities: Optional[bytearray]
    source_tokens: Optional[bytearray]
    alignment: Optional[bytearray]

_Details = tuple[str, list[_Sentence]]

@final
class Engine:
    def __new__(
        cls,
        parts: list[tuple[str, Optional[str], Optional[str]]],
        target_token: Optional[str],
        float32: bool,
        threads: int,
        cache: int,
    ) -> Engine: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def source_language(self) -> str: ...
    @property
    def target_language(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def beam(self) -> int: ...
    def translate(self, texts: list[str], beam: int, sentences: str, without: list[str]) -> list[str]: ...
    def translate_from(
        self, texts: list[str], prefix: str, beam: int, sentences: str, without: list[str], alternatives: int
    ) -> list[tuple[str, list[str]]]: ...
    def translate_in_detail(
        self, texts: list[str], beam: int, sentences: str, without: list[str], scores: bool, alignment: bool
    ) -> list[_Details]: ...

def models_in_memory() -> int: ...
def installed(folder: Optional[str | os.PathLike[str]]) -> tuple[list[_Described], list[str]]: ...
def find(
    source: str, target: str, folder: Optional[str | os.PathLike[str]]
) -> tuple[list[_Described], list[str]]: ...
def remove(name: str, folder: Optional[str | os.PathLike[str]]) -> list[str]: ...
def available(source: Optional[str], target: Optional[str], origin: _Origin) -> tuple[list[_Listed], list[str]]: ...
def install(
    name: str, small: bool, progress: Optional[Callable[[str, int, int], object]], origin: _Origin
) -> tuple[list[_Described], list[str]]: ...
