"""A draft against the passages it was written from: which sentences their quotes bear out."""

from collections.abc import Sequence

from app.engine.answer.composition import GroundedQuote, Statement
from app.engine.answer.evidence import Evidence
from app.engine.answer.quotes.grounding import Grounding
from app.engine.answer.support.support import Judge, Support
from app.engine.answer.written.draft import Draft, Sentence
from app.engine.answer.written.plain_sentences import orders_near, statements
from app.engine.search.interface import IndexStats


class Checks:
    def __init__(self, language: str, stats: IndexStats) -> None:
        self._language = language
        self._judge = Judge(language, stats)
        self._grounding = Grounding()

    def check(self, draft: Draft, shown: Sequence[Evidence]) -> tuple[int, list[Statement]]:
        """The number of sentences that were written, and those that are left.

        Every sentence by itself, so that a true one does not carry another one along.
        """
        kept: dict[str, Statement] = {}
        written = 0
        for index, sentence in enumerate(draft.sentences):
            texts = list(statements(sentence.text, self._language))
            written += max(1, len(texts))
            quotes = self._grounded(sentence, shown)
            for text in texts:
                support, bearing = self._bearing(text, quotes)
                if support != "unsupported":
                    statement = Statement(text, bearing, support, direct=index == 0)
                    kept.setdefault(text.casefold(), statement)
        return written, list(kept.values())

    def _grounded(self, sentence: Sentence, shown: Sequence[Evidence]) -> tuple[GroundedQuote, ...]:
        grounded: dict[tuple[int, int, int], GroundedQuote] = {}
        for quote in sentence.quotes:
            if not 1 <= quote.number <= len(shown):
                continue
            part = shown[quote.number - 1]
            snapshot = part.snapshot
            place = self._grounding.locate(quote.text, snapshot, (part.start, part.end))
            if place is None or orders_near(snapshot, place.start, place.end):
                continue
            before = snapshot[min(part.start, place.start) : place.start]
            around = "\n".join([part.title, *part.headings, before])
            found = GroundedQuote(
                snapshot,
                place.start,
                place.end,
                part.language,
                around,
                source=part.source,
                match=place.match,
                heading_path=part.heading_path,
            )
            grounded.setdefault((part.source, place.start, place.end), found)
        return tuple(grounded.values())

    def _bearing(
        self, text: str, quotes: tuple[GroundedQuote, ...]
    ) -> tuple[Support, tuple[GroundedQuote, ...]]:
        """The support of a sentence, and those of the quotes that have a part in it.

        A quote has when it bears the sentence out alone, or holds words of it the others do not.
        """
        judge = self._judge
        support = judge.support(text, quotes)
        if support == "unsupported" or len(quotes) == 1:
            return support, quotes
        whole = judge.coverage(text, quotes)
        bearing = tuple(
            x
            for x in quotes
            if judge.support(text, [x]) != "unsupported"
            or judge.coverage(text, [y for y in quotes if y is not x]) < whole
        )
        enough = judge.support(text, bearing) == support
        return support, bearing if enough else quotes
