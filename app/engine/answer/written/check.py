"""A draft against the passages it was written from: which sentences their quotes bear out."""

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
        self._language = query.language
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
                support, bearing = self._bearing(text, quotes)
                if support != "unsupported":
                    candidate = SentenceCandidate(text, bearing, support, direct=index == 0)
                    kept.setdefault(text.casefold(), candidate)
        return CheckedDraft(written, list(kept.values()))

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
            quoted = SupportQuote(snapshot, place.start, place.end, part.language, around)
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
