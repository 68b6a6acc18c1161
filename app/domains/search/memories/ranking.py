"""Texts in the order in which they fit a question, by the words they share with it."""

import math
from collections import Counter
from collections.abc import Sequence

from app.engine.text import analysis

_SATURATION, _LENGTH_WEIGHT = 1.2, 0.75  # of BM25, as usual


def scores(question: str, texts: Sequence[str]) -> list[float]:
    """One for each text; 0 where it shares no word with the question."""
    wanted = set(analysis.terms(question))
    counted = [Counter(analysis.terms(text)) for text in texts]
    lengths = [counts.total() for counts in counted]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    weights = {term: _weight(term, counted) for term in wanted}
    return [
        sum(
            weight * _share(counts[term], length / mean)
            for term, weight in weights.items()
            if counts[term]
        )
        for counts, length in zip(counted, lengths, strict=True)
    ]


def _weight(term: str, counted: Sequence[Counter[str]]) -> float:
    """More for a word that few texts have."""
    having = sum(term in counts for counts in counted)
    return math.log(1 + (len(counted) - having + 0.5) / (having + 0.5))


def _share(count: int, relative_length: float) -> float:
    damped = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * relative_length)
    return count * (_SATURATION + 1) / (count + damped)
