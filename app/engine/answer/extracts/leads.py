"""The choice of the block of a passage that answers, by the words of the question, and of its
sentences.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.engine.answer.blocks.blocks import ENDS_SENTENCE, is_row
from app.engine.answer.blocks.kinds import POINTER, POINTS, is_wrapped
from app.engine.answer.blocks.pieces import Piece
from app.engine.answer.blocks.sections import Part
from app.engine.answer.evidence import Evidence
from app.engine.pages.passages import count_words
from app.engine.pages.sentences import sentences
from app.engine.search.definition import defines, subject_of
from app.engine.search.overlap import Overlap
from app.engine.search.query import Query
from app.engine.search.question_echo import restates
from app.engine.text.analysis import Analyzer

LONGEST_LEAD = 60  # words
SHORT_LEAD = 30  # words; one that holds less than CLEAR of the question goes on so far
CLEAR = 0.8
NEIGHBOURS = 0.1  # what words count that are neighbours in the question and in the text
DEFINITION = 0.6  # for saying what "What is X?" asks for
WORDS_WITH_MEANING = 0.3
FEWEST_WORDS = 3
_LABELLED = re.compile(r"[^\n:|]{1,40}(?::| \|) *\S")


@dataclass(frozen=True, slots=True)
class Lead:
    """[start, end) of piece number `piece`, and how well it answers: 0 to 1 by words alone."""

    piece: int
    start: int
    end: int
    value: float


class Leads:
    """Finds the leads of one search."""

    def __init__(
        self,
        query: Query,
        overlap: Overlap,
        analyzer: Analyzer,
        meaning: Callable[[Sequence[str]], Sequence[float | None]] | None,
    ) -> None:
        self._query = query
        self._subject = subject_of(query.text)
        self._overlap = overlap
        self._analyzer = analyzer
        self._meaning = meaning
        self._terms_of: dict[tuple[str, str | None], list[str]] = {}

    def best(self, evidence: Evidence, pieces: Sequence[Piece]) -> Lead | None:
        """The part of the passage that answers best; None when none can be shown."""
        parts = [
            (n, part)
            for n, piece in enumerate(pieces)
            if not piece.closed
            for part in piece.parts
            if part.start < evidence.end and evidence.start < part.end
            if not (piece.opens and part.end == piece.end) and self._says_something(evidence, part)
        ]
        if not parts:
            return None
        values = self._values(evidence, [part for _, part in parts])
        at = max(range(len(parts)), key=lambda i: values[i])
        n, part = parts[at]
        start, end = self._sentence(evidence, part)
        return Lead(n, start, end, values[at])

    def _says_something(self, evidence: Evidence, part: Part) -> bool:
        """Not a fragment, not a pointer to somewhere else, not the question over again."""
        text = evidence.snapshot[part.start : part.end]
        if count_words(text, FEWEST_WORDS) < FEWEST_WORDS and not _LABELLED.match(text):
            return False
        if POINTER.fullmatch(text) or restates(text, self._query.text, self._analyzer):
            return False
        if POINTS.match(text) and not any(_windows(text, sentences(text, evidence.language))):
            return False
        asked = frozenset(self._query.terms_in(evidence.language))
        terms = self._terms(text, evidence.language)
        return bool(ENDS_SENTENCE.search(text[-20:])) or not asked.issuperset(terms)

    def _values(self, evidence: Evidence, parts: Sequence[Part]) -> list[float]:
        texts = [self._judged(evidence, part) for part in parts]
        words = [self._by_words(evidence, text) for text in texts]
        cosines = self._meaning(texts) if self._meaning else [None]
        if any(x is None for x in cosines):
            return words
        return [(x or 0.0) + WORDS_WITH_MEANING * y for x, y in zip(cosines, words, strict=True)]

    def _judged(self, evidence: Evidence, part: Part) -> str:
        context = evidence.snapshot[slice(*part.context)]
        text = evidence.snapshot[part.start : part.end]
        return f"{context}\n{text}" if context else text

    def _by_words(self, evidence: Evidence, text: str) -> float:
        terms = self._terms(text, evidence.language)
        held = self._overlap.coverage(terms, evidence.language)
        defined = self._defines(evidence, text)  # of what the heading names, perhaps
        return max(held, defined) + DEFINITION * defined

    def _defines(self, evidence: Evidence, text: str) -> float:
        if self._subject is None:
            return 0.0
        return defines(text, self._subject, (evidence.title, *evidence.headings)[-1])

    def _sentence(self, evidence: Evidence, part: Part) -> tuple[int, int]:
        """The sentences of a part that hold most of the question, or all of it when it is short."""
        text = evidence.snapshot[part.start : part.end]
        if "\n" in text and count_words(text, LONGEST_LEAD) < LONGEST_LEAD:
            return part.start, part.end
        if is_wrapped(text.split("\n")):
            text = re.sub(r"(?<=[^\n])\n(?=[^\n])", " ", text)
        spans = list(_windows(text, _sentences(text, evidence.language)))
        values = [self._of_sentence(evidence, text[a:b]) for a, b in spans]
        if not spans:
            return part.start, part.end
        a, b = spans[max(range(len(spans)), key=lambda i: values[i])]
        if max(values) < CLEAR:
            b = self._extended(text, a, b, evidence.language)
        return part.start + a, part.start + b

    def _extended(self, text: str, a: int, b: int, language: str | None) -> int:
        """Finds the end of a short lead that goes on in its paragraph."""
        for start, end in sentences(text, language):
            if start >= b and count_words(text[a:b]) < SHORT_LEAD:
                if "\n" in text[b:start] or count_words(text[a:end]) > LONGEST_LEAD:
                    break
                b = end
        return b

    def _of_sentence(self, evidence: Evidence, text: str) -> float:
        terms = self._terms(text, evidence.language)
        neighbours = self._overlap.bigram(terms, evidence.language)
        return self._by_words(evidence, text) + NEIGHBOURS * neighbours

    def _terms(self, text: str, language: str | None) -> list[str]:
        """Found once for each text: a block is judged in several ways."""
        key = (text, language)
        if key not in self._terms_of:
            self._terms_of[key] = self._analyzer.terms(text, language)
        return self._terms_of[key]


def _sentences(text: str, language: str | None) -> list[tuple[int, int]]:
    """The sentences of a text, or, where it is of a table, the rows."""
    if is_row(text):
        return [match.span() for match in re.finditer(r"[^\n]+", text)]
    spans = sentences(text, language)
    if len(spans) > 1 and _is_entry(text, *spans[:2]):
        spans[:2] = [(spans[0][0], spans[1][1])]
    return spans


def _is_entry(text: str, term: tuple[int, int], sentence: tuple[int, int]) -> bool:
    """True if the first is a term, which says nothing without the sentence under it."""
    return (
        text[term[1] : sentence[0]].strip(" ") == "\n"
        and not ENDS_SENTENCE.search(text[slice(*term)])
        and bool(ENDS_SENTENCE.search(text[slice(*sentence)]))
    )


def _windows(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Each sentence, then each two in a row that are short enough; none that points elsewhere."""
    pointing = {(a, b) for a, b in spans if POINTS.match(text, a, b)}
    yield from (x for x in spans if x not in pointing)
    for first, second in pairwise(spans):
        (start, middle), (_, end) = first, second
        if first in pointing or second in pointing:
            continue
        if "\n" not in text[middle:end] and count_words(text[start:end]) <= LONGEST_LEAD:
            yield start, end
