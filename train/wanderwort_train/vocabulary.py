"""SentencePiece vocabularies by Marian's conventions: `</s>` = 0, `<unk>` = 1, no other control pieces. Both languages share one, or each has its own."""

import hashlib
import io
import itertools
import shutil
from dataclasses import dataclass
from pathlib import Path

import sentencepiece

from .errors import TrainingError
from .files import atomic
from .noise import REQUIRED_CHARACTERS

END = 0
UNKNOWN = 1

#: Where `prepare` puts the vocabulary of both languages or of the source, and that of the target if it has its own.
FILE, TARGET_FILE = "vocabulary.spm", "target.spm"

#: Pieces of the vocabulary of both languages, or of that of the source and that of the target.
Sizes = int | tuple[int, int]


def both(sizes: Sizes) -> tuple[int, int]:
    """Pieces of the source and of the target."""
    return (sizes, sizes) if isinstance(sizes, int) else sizes


@dataclass(frozen=True)
class Vocabularies:
    """The vocabularies of source and target, which may be one."""

    source: sentencepiece.SentencePieceProcessor
    target: sentencepiece.SentencePieceProcessor

    @property
    def sizes(self) -> Sizes:
        size = self.source.get_piece_size()
        return size if self.source is self.target else (size, self.target.get_piece_size())

    @property
    def reversed_sizes(self) -> Sizes:
        """The sizes of a model of the other direction."""
        return self.sizes if isinstance(self.sizes, int) else self.sizes[::-1]


def of(folder: Path) -> Vocabularies:
    """The vocabularies that `prepare` left in a folder."""
    source = load(folder / FILE)
    return Vocabularies(source, load(folder / TARGET_FILE) if (folder / TARGET_FILE).exists() else source)


def copy(folder: Path, to: Path, pair: str) -> tuple[str, str]:
    """Copies the vocabularies of a folder under the names that models are published with; returns the names of source and target."""
    names = (f"vocab.{pair}.spm",) * 2
    if (folder / TARGET_FILE).exists():
        names = f"srcvocab.{pair}.spm", f"trgvocab.{pair}.spm"
    to.mkdir(parents=True, exist_ok=True)
    for file, name in zip((TARGET_FILE, FILE) if names[0] != names[1] else (FILE,), reversed(names)):
        with open(folder / file, "rb") as read, atomic(to / name) as written:
            shutil.copyfileobj(read, written)
    return names


def train(lines, size: int, path: Path, threads: int, seed: int, symbols: list[str] | None = None):
    """Trains a unigram vocabulary of `size` pieces on an iterator of lines and writes it to `path`.

    `symbols` are words that are one piece whatever the text. Characters that any text may contain are always covered: without
    `required_chars`, a corpus without `<` would make it `<unk>`, whatever the character coverage.
    """
    sentencepiece.set_random_generator_seed(seed)
    model = io.BytesIO()
    lines = iter(lines)
    first = list(itertools.islice(lines, 1))
    if not first:
        raise TrainingError("no text to train a vocabulary on: every pair was dropped in cleaning")
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=itertools.chain(first, lines),
            model_writer=model,
            model_type="unigram",
            vocab_size=size,
            character_coverage=0.9999,
            required_chars="".join(dict.fromkeys(REQUIRED_CHARACTERS)),
            user_defined_symbols=symbols or [],
            normalization_rule_name="nmt_nfkc",
            eos_id=END,
            unk_id=UNKNOWN,
            bos_id=-1,
            pad_id=-1,
            num_threads=threads,
            train_extremely_large_corpus=False,
            minloglevel=1,
        )
    except RuntimeError as error:
        raise TrainingError(f"no vocabulary of {size} pieces can be trained on this text: {error}") from error
    with atomic(path) as file:
        file.write(model.getvalue())


def load(path: Path) -> sentencepiece.SentencePieceProcessor:
    """Reads a vocabulary and checks Marian's conventions."""
    if not Path(path).exists():
        raise TrainingError(f"{path}: missing; run the step `prepare` first")
    try:
        vocabulary = sentencepiece.SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError) as error:
        raise TrainingError(f"{path}: not a SentencePiece model ({error})") from error
    if vocabulary.eos_id() != END or vocabulary.unk_id() != UNKNOWN:
        raise TrainingError(
            f"{path}: Marian needs </s> = 0 and <unk> = 1, found {vocabulary.eos_id()} and {vocabulary.unk_id()}"
        )
    kind = _kind(vocabulary)
    if kind != "unigram":
        raise TrainingError(f"{path}: a vocabulary of the type {kind}; the engine reads unigram ones (spm_train --model_type=unigram)")
    return vocabulary


def _kind(vocabulary: sentencepiece.SentencePieceProcessor) -> str:
    """The type that the model says it has."""
    proto = vocabulary.serialized_model_proto()
    names = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
    number = _field(_field(proto, _TRAINER) or b"", _MODEL_TYPE) or 1
    return names.get(number, str(number))


#: Fields of SentencePiece's `ModelProto` (trainer_spec) and `TrainerSpec` (model_type).
_TRAINER, _MODEL_TYPE = 2, 3


def _field(message: bytes, wanted: int) -> bytes | int | None:
    """The last value of a field of a Protocol Buffers message: a number, or the bytes of one with a length."""

    def varint(place: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = message[place]
            value |= (byte & 0x7F) << shift
            place, shift = place + 1, shift + 7
            if byte < 0x80:
                return value, place

    place, found = 0, None
    while place < len(message):
        key, place = varint(place)
        match key & 7:
            case 0:
                value, place = varint(place)
            case 1:
                value, place = None, place + 8
            case 2:
                length, place = varint(place)
                value, place = message[place : place + length], place + length
            case _:
                value, place = None, place + 4
        if key >> 3 == wanted:
            found = value
    return found


def check(path: Path, size: int, setting: str) -> str:
    """Checks that the vocabulary at `path`, named as `setting`, has `size` pieces; returns a fingerprint of the file."""
    if not path.exists():
        raise TrainingError(f"{path}: no such file (named as data.{setting})")
    found = load(path).get_piece_size()
    if found != size:
        raise TrainingError(f"{path}: {found} pieces, but data.{setting}_size is {size}")
    return hashlib.sha256(path.read_bytes()).hexdigest()
