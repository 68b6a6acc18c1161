"""The support of quotes for a sentence, as far as rules can tell and no further.

- `unsupported`: a number, date or name is not in the quotes or belongs to something else there, too
  few of the words are, or one says no where the other says yes. Never shown.
- `verified`: the sentence is a whole sentence of the page, word for word but for articles and the
  like. Or a second look by a model said so.
- `lexical`: in between. Numbers, names and most words are there; whether they are put together
  as in the source, no rule can tell.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from app.engine.answer.quotes.folded_text import fold, tokens
from app.engine.answer.support.clauses import clauses, contradicts, exchanged
from app.engine.answer.support.figures import Figures, figures, unborne
from app.engine.answer.support.names import names_unborne
from app.engine.answer.support.words import HARMLESS
from app.engine.pages.sentences import sentences
from app.engine.search.interface import IndexStats
from app.engine.search.overlap import Overlap
from app.engine.search.query import parse
from app.engine.text import analysis
from app.engine.text.scripts import primary_language

Support = Literal["verified", "lexical", "unsupported"]

COVERAGE = 0.4  # idf-weighted share of the sentence's terms that the quotes hold
_DOTTED = re.compile(r"\b[\w-]+(?:\.[^\W\d]{2,})+", re.IGNORECASE)  # a host, a file, a module
_COMPARISON = re.compile(r"[!<>=]=|[<>=≠≤≥≈±]")
_SIGNS = re.compile(r"[!<>=]=|[<>=≠≤≥≈±~+×÷*/^&@#|%°$€£¥→]")
_ASKS = re.compile(r"[?？؟][\"”'’)]*$")
_CONTEXT = 1000  # code points on each side in which the quoted sentence is completed


@dataclass(frozen=True, slots=True)
class SupportQuote:
    """A quote [start, end) of a snapshot, with what stands above it on its page."""

    snapshot: str
    start: int
    end: int
    language: str | None
    around: str

    @property
    def text(self) -> str:
        return self.snapshot[self.start : self.end]


class Judge:
    """Judges sentences in `language` by their quotes; `stats` are those of the search."""

    def __init__(self, language: str, stats: IndexStats) -> None:
        self._language, self._stats = language, stats

    def support(self, claim: str, quoted: Sequence[SupportQuote]) -> Support:
        """Judges how well all quotes together support one sentence."""
        if not quoted or self._falls(claim, quoted):
            return "unsupported"
        return "verified" if any(self._restates(claim, x) for x in quoted) else "lexical"

    def _falls(self, claim: str, quoted: Sequence[SupportQuote]) -> bool:
        texts = [x.text for x in quoted]
        said = clauses(claim, self._language, self._terms)
        return (
            unborne(figures(claim, self._language), self._figures(quoted))
            or not _literals(claim) <= {found for text in texts for found in _literals(text)}
            or names_unborne(
                claim, texts, "\n".join(x.around for x in quoted), self._language, self._terms
            )
            or self.coverage(claim, quoted) < COVERAGE
            or exchanged(said, clauses("\n".join(texts), self._language, self._terms))
            or contradicts(
                said,
                [
                    clause
                    for x in quoted
                    for clause in clauses("\n".join(whole(x)), self._of(x), self._terms)
                ],
            )
        )

    def _figures(self, quoted: Sequence[SupportQuote]) -> Figures:
        read = [figures(x.text, self._of(x)) for x in quoted]
        return Figures(
            tuple(number for one in read for number in one.numbers),
            tuple(date for one in read for date in one.dates),
        )

    def coverage(self, claim: str, quoted: Sequence[SupportQuote]) -> float:
        """The idf-weighted share of the claim's terms that the quotes hold, 0 to 1.

        Terms are compared as each quote's own language stems them; the best reading counts.
        """
        languages = list(dict.fromkeys(self._of(x) for x in quoted))
        claim_query = parse(claim, languages, self._language)
        overlap = Overlap(claim_query, self._stats)
        text = "\n".join(x.text for x in quoted)
        return max(overlap.coverage(analysis.terms(text, x), x) for x in languages)

    def _restates(self, claim: str, quoted: SupportQuote) -> bool:
        """True if the claim is a whole sentence of the page, and no question.

        A part of one is not enough: what is left out may be a condition, a denial, hearsay or
        fiction, and no list of words knows all of those.
        """
        language = self._of(quoted)
        claimed_words = _words(claim, language)
        return any(
            _words(sentence, language) == claimed_words and not _ASKS.search(sentence)
            for sentence in whole(quoted)
        )

    def _of(self, quoted: SupportQuote) -> str:
        return primary_language(quoted.language) or self._language

    def _terms(self, text: str) -> Collection[str]:
        return analysis.terms(text, self._language)


def _literals(text: str) -> set[str]:
    """Finds what must be copied letter by letter: names with dots, signs that compare."""
    plain = fold(text).text
    names = {name.casefold() for name in _DOTTED.findall(plain)}
    return names.union(_COMPARISON.findall(plain))


def whole(quoted: SupportQuote) -> list[str]:
    """The page's sentences that a quote is of, completed on both sides."""
    low = max(0, quoted.start - _CONTEXT)
    text = quoted.snapshot[low : quoted.end + _CONTEXT]
    start, end = quoted.start - low, quoted.end - low
    spans = sentences(text, quoted.language)
    return [text[a:b] for a, b in spans if a < end and start < b]


def _words(text: str, language: str) -> list[str]:
    """Words and signs that matter, in order."""
    plain = fold(text).text
    harmless = HARMLESS.get(language, frozenset())
    words = [(start, word) for word, start, _ in tokens(plain) if word not in harmless]
    signs = [(found.start(), found.group()) for found in _SIGNS.finditer(plain)]
    return [word for _, word in sorted([*words, *signs])]
