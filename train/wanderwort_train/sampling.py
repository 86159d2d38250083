"""Other ways to cut a sentence into pieces, a new one at each pass (Kudo, 2018, section 3.3).

One of the `best` likeliest ways by the vocabulary's unigram model is drawn with probability ∝ exp(α · log p): the smaller α, the more
alike the probabilities. Marian's option is `--sentencepiece-alphas`. All ways spell the same text, so what was linked to a piece is linked to all
pieces that share characters with it.

SentencePiece's own sampling draws from a generator of its own, which cannot be set back; here the ways are asked for and one is drawn
from the seed and the batch's position, so that a run can be resumed.
"""

import numpy

from .vocabulary import END, UNKNOWN

#: Sentences with more pieces stay as they are: networks know no more positions (see network.py).
_LONGEST = 1000


class Sampler:
    """Draws ways to cut sentences."""

    def __init__(self, pieces, best: int, alpha: float):
        """`pieces`: a SentencePieceProcessor."""
        self.pieces, self.best, self.alpha = pieces, best, alpha
        size = pieces.get_piece_size()
        self.lengths = numpy.array([len(pieces.id_to_piece(i)) for i in range(size)])
        #: Log-probabilities of pieces in the unigram model; that of a sentence is their sum.
        self.scores = numpy.array([pieces.get_score(i) for i in range(size)])

    def draw(self, tokens: numpy.ndarray, rng: numpy.random.Generator) -> numpy.ndarray:
        """The same sentence in other pieces; unchanged if it has unknown ones, whose text is not known."""
        body = numpy.asarray(tokens, numpy.int64)[:-1]
        # Drawn in any case, so that what is drawn for other sentences does not depend on this one.
        place = rng.random()
        if len(body) == 0 or (body == UNKNOWN).any():
            return tokens
        ways = self.pieces.nbest_encode(self.pieces.decode(body.tolist()), nbest_size=self.best, out_type=int)
        scores = numpy.array([self.scores[way].sum() for way in ways]) * self.alpha
        shares = numpy.exp(scores - scores.max()).cumsum()
        found = numpy.array([*ways[int(numpy.searchsorted(shares, place * shares[-1], side="right"))], END], numpy.int64)
        same = len(found) <= _LONGEST and self._spelt(found) == self._spelt(tokens)
        return found if same else tokens

    def _spelt(self, tokens: numpy.ndarray) -> str:
        return "".join(self.pieces.id_to_piece(int(token)) for token in tokens)

    def ends(self, tokens: numpy.ndarray) -> numpy.ndarray:
        """How many characters each piece and those before it have together."""
        return self.lengths[numpy.asarray(tokens, numpy.int64)].cumsum()


def moved(links: numpy.ndarray, before: numpy.ndarray, after: numpy.ndarray) -> list[numpy.ndarray]:
    """For each piece in `links`, counted among those that end at the characters `before`, the pieces of a second way (ends at `after`) that
    share characters with it."""
    starts = numpy.concatenate([[0], before[:-1]])
    first = numpy.searchsorted(after, starts, side="right")
    last = numpy.searchsorted(after, before, side="left")
    return [numpy.arange(first[link], last[link] + 1) for link in links]


def relinked(links: numpy.ndarray, source: tuple | None, target: tuple | None) -> numpy.ndarray:
    """Links (source · 2¹⁶ + target) between other pieces; `source` and `target` are ends before and after, None where nothing changed."""
    links = numpy.asarray(links, numpy.int64)
    sides = []
    for places, ends in ((links >> 16, source), (links & 0xFFFF, target)):
        sides.append([places[i : i + 1] for i in range(len(places))] if ends is None else moved(places, *ends))
    found = [numpy.repeat(a << 16, len(b)) | numpy.tile(b, len(a)) for a, b in zip(*sides)]
    # In order of the target, each once, as the aligner gives them.
    found = numpy.unique(numpy.concatenate(found)) if found else links
    return found[numpy.argsort(found & 0xFFFF, kind="stable")]
