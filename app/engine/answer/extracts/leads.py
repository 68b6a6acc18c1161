"""The lead of an extract: the sentence, or the two or three, that answer by themselves."""

from collections.abc import Sequence

from app.engine.answer.blocks.kinds import ASKS, ENDS_OPEN
from app.engine.answer.blocks.sentences import ENDS_SENTENCE, spans_of
from app.engine.answer.evidence import Evidence
from app.engine.pages.passages import count_words
from app.engine.search.definition import defines, subject_of
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.text import analysis

LONGEST_LEAD = 60  # words
SHORT_LEAD = 45  # words; one that holds less than CLEAR of the question goes on so far
CLEAR = 0.8
NEIGHBOURS = 0.1  # what words count that are neighbours in the question and in the text
DEFINITION = 0.6  # for saying what "What is X?" asks for

Slice = tuple[int, int]


class Leads:
    def __init__(self, query: Query, overlap: Overlap) -> None:
        self._query = query
        self._subject = subject_of(query.text)
        self._overlap = overlap

    def best(self, evidence: Evidence, start: int, end: int) -> Slice | None:
        """The lead in a slice of the passage's snapshot; None when nothing in it can be one."""
        text = evidence.snapshot[start:end]
        known = {evidence.title, *evidence.headings}
        spans = [
            (a, b)
            for a, b in spans_of(text, evidence.language)
            if text[a:b].lstrip("# ") not in known
        ]
        leads = [x for n in range(len(spans)) for x in self._beginning(evidence, text, spans, n)]
        if not leads:
            return None
        # Of equals a whole sentence, then the shorter.
        a, b, _ = max(leads, key=lambda x: (x[2], _is_sentence(text[: x[1]]), x[0] - x[1]))
        return start + a, start + b

    def _beginning(
        self, evidence: Evidence, text: str, spans: Sequence[Slice], n: int
    ) -> list[tuple[int, int, float]]:
        """The leads from sentence `n`, alone and with the next, each with its worth."""
        a, b = spans[n]
        if not self._says_something(evidence, text[a:b]):
            return []
        ends = [n, n + 1] if n + 1 < len(spans) and _goes_on(text, a, b, spans[n + 1]) else [n]
        worth = [self._worth(evidence, text[a : spans[m][1]]) for m in ends]
        return [
            (a, _end(text, a, spans[m:], SHORT_LEAD if x < CLEAR else 0), x)
            for m, x in zip(ends, worth, strict=True)
        ]

    def _worth(self, evidence: Evidence, text: str) -> float:
        terms = analysis.terms(text, evidence.language)
        held = self._overlap.coverage(terms, evidence.language)
        near = NEIGHBOURS * self._overlap.bigram(terms, evidence.language)
        if self._subject is None:
            return held + near
        heading = (evidence.title, *evidence.headings)[-1]
        defined = defines(text, self._subject, heading)
        return max(held, defined) + DEFINITION * defined + near

    def _says_something(self, evidence: Evidence, text: str) -> bool:
        """Not a question, and no fragment of this one."""
        if ASKS.search(text[-20:]):
            return False
        asked = frozenset(self._query.terms_in(evidence.language))
        return _is_sentence(text) or not asked.issuperset(analysis.terms(text, evidence.language))


def _is_sentence(text: str) -> bool:
    """True if it ends as one, or announces something."""
    return bool(ENDS_SENTENCE.search(text[-20:]) or ENDS_OPEN.search(text[-20:]))


def _end(text: str, start: int, spans: Sequence[Slice], enough: int) -> int:
    """Finds the end of a lead from the end of its last sentence, the first of `spans`: it goes on
    in its paragraph to `enough` words, and into the block that it announces."""
    end, announced = spans[0][1], False
    for a, b in spans[1:]:
        gap = text[end:a]
        announced = bool(ENDS_OPEN.search(text, start, end)) or (announced and "\n\n" not in gap)
        short = "\n" not in gap and count_words(text[start:end]) < enough
        if not (announced or short) or count_words(text[start:b]) > LONGEST_LEAD:
            break
        end = b
    return end


def _goes_on(text: str, a: int, b: int, following: Slice) -> bool:
    """True if two sentences of a paragraph are short enough to be one lead."""
    start, end = following
    return "\n" not in text[b:start] and count_words(text[a:end]) <= LONGEST_LEAD
