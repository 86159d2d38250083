"""Reading, cleaning and deduplicating parallel text."""

import gzip
import lzma
import re
import unicodedata
from pathlib import Path

from .errors import TrainingError

_OPENERS = {".xz": lzma.open, ".gz": gzip.open}
_SPACE = re.compile(r"\s+")
_INVISIBLE = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_NOT_WORD = re.compile(r"[\W_]+")


def read_lines(path: Path):
    """Yields (line number, text without its end) of a UTF-8 file, unpacking `.xz` and `.gz`."""
    path = Path(path)
    number = 0
    try:
        with _OPENERS.get(path.suffix, open)(path, "rb") as file:
            for number, line in enumerate(file, 1):
                yield number, line.rstrip(b"\r\n").decode("utf-8")
    except FileNotFoundError as error:
        raise TrainingError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise TrainingError(
            f"{path}, line {number}: not UTF-8 (byte {error.object[error.start]:#04x} at {error.start}); convert the file"
        ) from error
    except (lzma.LZMAError, EOFError, gzip.BadGzipFile) as error:
        raise TrainingError(f"{path}: damaged archive after line {number} ({error})") from error


def read_pairs(path: Path):
    """Yields (source, target) of a file with one tab on each line."""
    for number, line in read_lines(path):
        parts = line.split("\t")
        if len(parts) != 2:
            raise TrainingError(f"{path}, line {number}: expected source, one tab, target; found {len(parts) - 1} tabs")
        yield parts[0], parts[1]


def read_parallel(files: list[Path]) -> list[tuple[str, str]]:
    """A development or test set: one file with tabs, or a source and a target file of equally many lines."""
    if len(files) == 1:
        return list(read_pairs(files[0]))
    source, target = ([line for _, line in read_lines(path)] for path in files)
    if len(source) != len(target):
        raise TrainingError(f"{files[0]} has {len(source)} lines but {files[1]} has {len(target)}: they must be parallel")
    return list(zip(source, target))


def clean_text(text: str) -> str:
    """NFC, invisible characters removed, white space collapsed."""
    return _SPACE.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFC", text))).strip()


def fingerprint(text: str) -> str:
    """The same for lines that differ only in case and punctuation."""
    letters = _NOT_WORD.sub("", text.lower())
    return letters or text


def reason_to_drop(source: str, target: str, max_length_ratio: float, min_characters: int = 0, max_characters: int = 0) -> str | None:
    """Why a cleaned pair is unfit for training, or None."""
    if not source or not target:
        return "empty side"
    shorter, longer = sorted((len(source), len(target)))
    if shorter < min_characters:
        return "too short"
    if 0 < max_characters < longer:
        return "too long"
    if longer > 20 and longer > max_length_ratio * shorter:
        return "length ratio"
    if longer > 60 and source == target:
        return "copied side"
    if longer > 10 and sum(c.isalpha() or c.isspace() for c in source) < 0.3 * len(source):
        return "mostly not letters"
    return None
