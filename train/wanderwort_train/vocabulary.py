"""The joint SentencePiece vocabulary by Marian's conventions: `</s>` = 0, `<unk>` = 1, no other control pieces."""

import hashlib
import io
import itertools
from pathlib import Path

import sentencepiece

from .errors import TrainingError
from .files import atomic
from .noise import REQUIRED_CHARACTERS

END = 0
UNKNOWN = 1


def train(lines, size: int, path: Path, threads: int, seed: int):
    """Trains a unigram vocabulary of `size` pieces on an iterator of lines and writes it to `path`.

    Characters that any text may hold are always covered: without `required_chars`, a corpus without `<` would make
    it `<unk>`, whatever the character coverage.
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
    return vocabulary


def check(path: Path, size: int) -> str:
    """Checks that the vocabulary at `path` has `size` pieces; returns a fingerprint of the file."""
    if not path.exists():
        raise TrainingError(f"{path}: no such file (named as data.vocabulary)")
    found = load(path).get_piece_size()
    if found != size:
        raise TrainingError(f"{path}: {found} pieces, but data.vocabulary_size is {size}")
    return hashlib.sha256(path.read_bytes()).hexdigest()
