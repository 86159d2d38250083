"""A part of the vocabulary that stands for all of it in an update's softmax.

The output layer is a third of a small student's work, nearly all of it on words that have nothing to do with the batch.
Instead of Z = Σ exp(l_v) over all words v, an update takes the words of its targets and the most frequent ones as they are
and, of the rest R, a uniform sample S whose terms count |R| / |S| times: an estimate of Z that is right on average
(importance sampling with a uniform proposal: Bengio and Senécal, 2008; for translation Jean et al., 2015, section 3).
Measurements on the development sets always see the whole vocabulary.
"""

from dataclasses import dataclass

import numpy
import torch

from .operators import to_device


@dataclass
class Candidates:
    """The words of one update's softmax."""

    #: Ids in ascending order.
    words: torch.Tensor
    #: The batch's targets as positions in `words`.
    targets: torch.Tensor
    #: How many words of the vocabulary each candidate stands for: 1, or |R| / |S|.
    weights: torch.Tensor


class Sampler:
    """Draws candidates; the draw depends on the seed and the batch's position alone, so that a run can be resumed."""

    def __init__(self, counts: numpy.ndarray, size: int, seed: int):
        """`counts`: how often each word of the vocabulary occurs in the targets; `size`: candidates of an update."""
        self.vocabulary_size, self.size, self.seed = len(counts), size, seed
        order = numpy.argsort(-counts, kind="stable")
        self.frequent = torch.from_numpy(order[: size // 2].copy())

    def draw(self, targets: torch.Tensor, position: tuple[int, int], device: torch.device) -> Candidates:
        """Candidates for the batch at a position (epoch, number) with these target ids, which lie in the processor's memory."""
        certain = torch.zeros(self.vocabulary_size, dtype=torch.bool)
        certain[self.frequent] = True
        certain[targets] = True
        rest = (~certain).nonzero()[:, 0]
        wanted = max(self.size - (self.vocabulary_size - len(rest)), self.size // 8)
        epoch, number = position
        generator = torch.Generator().manual_seed((self.seed * 100_003 + epoch) * 10_000_019 + number)
        sample = rest[torch.randperm(len(rest), generator=generator)[:wanted]]
        certain[sample] = True
        words = certain.nonzero()[:, 0]
        weights = torch.ones(self.vocabulary_size)
        weights[sample] = len(rest) / max(1, len(sample))
        index = torch.zeros(self.vocabulary_size, dtype=torch.int64)
        index[words] = torch.arange(len(words))
        return Candidates(*(to_device(x, device) for x in (words, index[targets], weights[words])))
