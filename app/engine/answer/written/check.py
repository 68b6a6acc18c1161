"""A draft against the passages it was written from: which sentences their quotes bear out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.answer.quotes.grounding import Grounding
from app.engine.answer.support.support import Judge, Support, SupportQuote
from app.engine.answer.written.composition import GroundedQuote, Shown, Statement
from app.engine.answer.written.draft import Draft, Sentence
from app.engine.answer.written.plain_sentences import orders_near, statements
from app.engine.answer.written.selection import PassageRun
from app.engine.search.interface import IndexStats
from app.engine.search.query import Query
from app.engine.text.analysis import Analyzer

# Questions that a sentence of their own words does not answer, as it does "Is the ferry old?".
_WANTS_MORE = re.compile(
    r"\W*(?:who|whom|whose|what|when|where|which|why|how|wer|wem|wen|was|wann|wo|welche\w*|warum|wie"
    r"|qui|quand|où|quel\w*|pourquoi|comment|combien|quién|qué|cuándo|dónde|cuál|cómo|cuánt\w*)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class SentenceCandidate:
    """A sentence the rules have not dropped. `direct` when it is of the draft's first one."""

    text: str
    quotes: tuple[GroundedQuote, ...]
    support: Shown
    direct: bool

    @property
    def statement(self) -> Statement:
        return Statement(self.text, self.quotes, self.support)


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """The number of sentences that were written, and those that are left."""

    written: int
    kept: list[SentenceCandidate]


class Checks:
    """The rules for one draft."""

    def __init__(self, query: Query, stats: IndexStats, analyzer: Analyzer) -> None:
        self._query, self._language, self._analyzer = query, query.language, analyzer
        self._judge = Judge(query.language, stats, analyzer)
        self._grounding = Grounding()

    def check(self, draft: Draft, shown: Sequence[PassageRun]) -> CheckedDraft:
        """Every sentence by itself, so that a true one does not carry another one along."""
        kept: dict[str, SentenceCandidate] = {}
        written = 0
        for index, sentence in enumerate(draft.sentences if draft.answered else ()):
            texts = list(statements(sentence.text, self._language))
            written += max(1, len(texts))
            quotes = self._grounded(sentence, shown)
            for text in texts:
                if self._is_empty(text):
                    continue
                support, bearing = self._bearing(text, quotes)
                if support != "unsupported":
                    candidate = SentenceCandidate(text, bearing, support, direct=index == 0)
                    kept.setdefault(text.casefold(), candidate)
        return CheckedDraft(written, list(kept.values()))

    def _is_empty(self, text: str) -> bool:
        """True if a sentence has no word but those of a question that wants to know more."""
        asked = set(self._query.terms_in(self._language))
        own = self._analyzer.terms(text, self._language)
        return asked.issuperset(own) and bool(_WANTS_MORE.match(self._query.text))

    def _grounded(
        self, sentence: Sentence, shown: Sequence[PassageRun]
    ) -> tuple[GroundedQuote, ...]:
        grounded: dict[tuple[int, int, int], GroundedQuote] = {}
        for quote in sentence.quotes:
            if not 1 <= quote.number <= len(shown):
                continue
            run = shown[quote.number - 1]
            snapshot = run.first.snapshot
            place = self._grounding.locate(quote.text, snapshot, [(run.start, run.end)])
            if place is None or orders_near(snapshot, place.start, place.end):
                continue
            part = run.part_at(place.start)
            before = snapshot[min(part.start, place.start) : place.start]
            around = "\n".join([part.title, *part.headings, before])
            quoted = SupportQuote(
                snapshot, place.start, place.end, part.language, around, part.heading_path
            )
            key = (part.source, place.start, place.end)
            grounded.setdefault(key, GroundedQuote(part.source, quoted, place))
        return tuple(grounded.values())

    def _bearing(
        self, text: str, quotes: tuple[GroundedQuote, ...]
    ) -> tuple[Support, tuple[GroundedQuote, ...]]:
        """The support of a sentence, and those of the quotes that have a part in it.

        A quote has when it bears the sentence out alone, or holds words of it the others do not.
        """
        judge, every = self._judge, [x.quoted for x in quotes]
        support = judge.support(text, every)
        if support == "unsupported" or len(quotes) == 1:
            return support, quotes
        whole = judge.coverage(text, every)
        bearing = tuple(
            x
            for x in quotes
            if judge.support(text, [x.quoted]) != "unsupported"
            or judge.coverage(text, [y for y in every if y is not x.quoted]) < whole
        )
        enough = judge.support(text, [x.quoted for x in bearing]) == support
        return support, bearing if enough else quotes
