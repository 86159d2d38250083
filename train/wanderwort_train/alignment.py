"""Word alignments between the pieces of sentence pairs, for guided attention and for the shortlist."""

import numpy
import torch

from . import native


def align(source_tokens, source_offsets, target_tokens, target_offsets, vocabulary_size: int, iterations: int = 5):
    """Aligns both ways and symmetrizes by grow-diag-final-and.

    Tokens of all sentences lie one after another, sentence `s` at `offsets[s] : offsets[s + 1]`. Returns the links
    (`source position << 16 | target position`, ordered by target position) and their offsets by sentence.
    """

    def tensor(array, dtype):
        return torch.from_numpy(numpy.ascontiguousarray(array, dtype=dtype))

    links, offsets = native.load("aligner").align(
        tensor(source_tokens, numpy.int32),
        tensor(source_offsets, numpy.int64),
        tensor(target_tokens, numpy.int32),
        tensor(target_offsets, numpy.int64),
        vocabulary_size,
        iterations,
    )
    return links.numpy(), offsets.numpy()
