"""What keeps a student from learning by heart the sentences that it sees again and again: dropped words, other pieces.

A weight above one, or many epochs, repeats the same pair; a student of a few million weights soon knows it by its first
words, and gains nothing for text it has not seen. These changes make every pass different:

- dropped words: the embedding of a piece, on the source side or of what the decoder reads, becomes zero (Gal and Ghahramani,
  2016; for translation from little data Sennrich and Zhang, 2019). Nothing is scaled up: post-norm takes the length away.
- split pieces: a source piece becomes two pieces of the vocabulary that spell the same, so that words are also known by
  their parts (after Kudo, 2018, and BPE-dropout of Provilkov et al., 2020). Targets stay as they are: a student that decodes
  greedily should put its probability on one spelling.
- sampled pieces: the whole sentence is cut anew, see sampling.py.

All are drawn from the seed and the batch's position alone, so that a run can be resumed.
"""

import numpy
import torch

from .batches import Batch, pack
from .config import Corpus
from .sampling import Sampler, relinked


class Splits:
    """The ways to spell each piece of a vocabulary with two others."""

    def __init__(self, pieces):
        """`pieces`: a SentencePieceProcessor."""
        size = pieces.get_piece_size()
        special = [pieces.is_control(i) or pieces.is_unknown(i) or pieces.is_unused(i) or pieces.is_byte(i) for i in range(size)]
        ids = {pieces.id_to_piece(i): i for i in range(size) if not special[i]}
        first, second, counts = [], [], numpy.zeros(size, numpy.int64)
        for i in range(size):
            text = "" if special[i] else pieces.id_to_piece(i)
            for cut in range(1, len(text)):
                a, b = ids.get(text[:cut]), ids.get(text[cut:])
                if a is not None and b is not None:
                    first.append(a)
                    second.append(b)
                    counts[i] += 1
        self.first, self.second = numpy.array(first, numpy.int64), numpy.array(second, numpy.int64)
        self.counts = counts
        self._begin = numpy.cumsum(counts) - counts

    def apply(self, tokens: numpy.ndarray, links: numpy.ndarray, share: float, rng: numpy.random.Generator):
        """Splits each piece that can be split with probability `share`; its links (source · 2¹⁶ + target) go to both halves."""
        counts = self.counts[tokens]
        split = (rng.random(len(tokens)) < share) & (counts > 0)
        if not split.any():
            return tokens, links
        choice = self._begin[tokens[split]] + (rng.random(split.sum()) * counts[split]).astype(numpy.int64)
        place = numpy.arange(len(tokens)) + numpy.cumsum(split) - split
        found = numpy.empty(len(tokens) + split.sum(), numpy.int64)
        found[place] = tokens
        found[place[split]] = self.first[choice]
        found[place[split] + 1] = self.second[choice]
        links = links.astype(numpy.int64)
        source, target = links >> 16, links & 0xFFFF
        both = split[source]
        moved = numpy.concatenate([place[source], place[source[both]] + 1])
        return found, (moved << 16) | numpy.concatenate([target, target[both]])


class Regularizer:
    """Makes batches whose corpora ask for it (`dropped_words`, `split_pieces`, `sampled_best`) differ from pass to pass."""

    def __init__(self, corpora: list[Corpus], pieces, seed: int, target_pieces=None):
        """`corpora`: in the order of the prepared data, or none to change nothing; `pieces`: a SentencePieceProcessor, of the source alone where
        the target has its own."""
        self.dropped = numpy.array([corpus.dropped_words for corpus in corpora])
        self.split = numpy.array([corpus.split_pieces for corpus in corpora])
        self.splits = Splits(pieces) if self.split.any() else None
        #: For each corpus, one for each side.
        self.samplers = [
            [Sampler(own, corpus.sampled_best, corpus.sampled_alpha) for own in (pieces, target_pieces or pieces)] if corpus.sampled_best > 1 else None
            for corpus in corpora
        ]
        self.both = [corpus.sampled_sides == "both" for corpus in corpora]
        self.seed = seed

    def pack(self, sources: list, targets: list, links: list, corpora: numpy.ndarray, position: tuple[int, int]) -> Batch:
        """What `batches.pack` makes of the changed pairs; `corpora` says which corpus each pair is from."""
        rng = numpy.random.default_rng([self.seed, 1, *position])
        if self.splits is not None:
            shares = self.split[corpora].tolist()
            changed = [self.splits.apply(*pair, rng) if pair[2] > 0 else pair[:2] for pair in zip(sources, links, shares)]
            sources, links = [source for source, _ in changed], [found for _, found in changed]
        if any(self.samplers):
            rows = [self._sampled(*row, rng) for row in zip(sources, targets, links, corpora.tolist())]
            sources, targets, links = ([row[side] for row in rows] for side in range(3))
        batch = pack(sources, targets, links)
        if self.dropped.any():
            shares = self.dropped[corpora]
            batch.source_ids[self._drawn(batch.source_offsets, shares, batch.source_offsets[1:] - 1, rng)] = -1
            batch.input_ids[self._drawn(batch.target_offsets, shares, batch.target_offsets[:-1], rng)] = -1
        return batch

    def _sampled(self, source, target, links, corpus: int, rng: numpy.random.Generator):
        """A pair in other pieces, and its links."""
        samplers = self.samplers[corpus]
        if samplers is None:
            return source, target, links
        ends, found = [], []
        for sampler, tokens, wanted in zip(samplers, (source, target), (True, self.both[corpus])):
            new = sampler.draw(tokens, rng) if wanted else tokens
            ends.append(None if new is tokens else (sampler.ends(tokens), sampler.ends(new)))
            found.append(new)
        return *found, links if ends == [None, None] else relinked(links, *ends)

    @staticmethod
    def _drawn(offsets: torch.Tensor, shares: numpy.ndarray, spared: torch.Tensor, rng: numpy.random.Generator) -> torch.Tensor:
        """Where words are dropped; never those at `spared`: the ends of sources, and the starts of targets, which have none."""
        lengths = numpy.diff(offsets.numpy())
        drawn = torch.from_numpy(rng.random(int(offsets[-1])) < numpy.repeat(shares, lengths))
        drawn[spared] = False
        return drawn
