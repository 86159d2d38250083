"""Which of a teacher's candidates is nearest to a reference, by a sentence-level metric, and which only repeat themselves."""

from typing import Literal

import sacrebleu

Metric = Literal["BLEU", "chrF", "TER"]

#: Given instead of a candidate's place in the beam where the reference stays.
REFERENCE = -1
#: A block of at most this many pieces that occurs this many times in a row is a repetition.
_BLOCK, _TIMES = 12, 3


def _score(metric: Metric, candidate: str, reference: str) -> float:
    """From 0 to 100, the higher the nearer; TER counts edits, so it is subtracted from 100 here."""
    if metric == "BLEU":
        return sacrebleu.sentence_bleu(candidate, [reference]).score
    if metric == "chrF":
        return sacrebleu.sentence_chrf(candidate, [reference]).score
    return max(0.0, 100.0 - sacrebleu.sentence_ter(candidate, [reference]).score)


def closest(candidates: list[str], reference: str, least: float = 0.0, metric: Metric = "BLEU") -> int:
    """The index of the candidate that scores highest against the reference, the first of equals; `REFERENCE` if its score is below `least`."""
    scores = [_score(metric, candidate, reference) for candidate in candidates]
    return scores.index(max(scores)) if max(scores) >= least else REFERENCE


def repeats(pieces: list[int]) -> int:
    """How many times in a row the most repeated block occurs; 1 if nothing is repeated."""
    most = 1
    for length in range(1, min(_BLOCK, len(pieces) // 2) + 1):
        # A run of pieces equal to those one block earlier, n blocks long, makes n + 1 equal blocks in a row.
        equal = 0
        for i in range(length, len(pieces)):
            equal = equal + 1 if pieces[i] == pieces[i - length] else 0
            most = max(most, equal // length + 1)
    return most


def is_stuck(source: list[int], target: list[int]) -> bool:
    """Whether a translation says something again and again that its source does not."""
    found = repeats(target)
    return found >= _TIMES and found > repeats(source)
