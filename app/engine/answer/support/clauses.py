"""The clauses of a sentence against those of its quotes: yes and no, and who did what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.engine.answer.quotes.folded_text import fold, tokens
from app.engine.answer.support.names import CAPITAL_NOUNS, Terms
from app.engine.answer.support.words import NEGATION_SIGNS, NEGATIONS
from app.engine.text.stopwords import NO_STOPWORDS, STOPWORDS

_END = re.compile(
    r"[,;:.!?()\n…。！？؟।、，；：—–]|\s-\s"
    r"|(?<!\w)(?:and|but|while|whereas|und|aber|sondern|et|mais|y|pero|e|ma|mas|и|а|но)(?!\w)"
    r"|(?<!\w)(?:or|oder|ou|o|или)(?!\w)",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"(?<=n)['’]t\b", re.IGNORECASE)
_NOT_ONLY = re.compile(
    r"\b(?:not (?:only|just|merely)|nicht nur|non seulement|no s[oó]lo|non solo|não só)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")
_SAME = 0.5  # share of the smaller clause's terms, from which on two clauses speak of one thing


@dataclass(frozen=True, slots=True)
class Clause:
    """The index terms of a clause, which of them are names or numbers, and whether it says no."""

    terms: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    negated: bool

    @property
    def plain(self) -> frozenset[str]:
        return self.terms - self.names - self.numbers


def clauses(text: str, language: str, terms: Terms) -> list[Clause]:
    folded = _NOT_ONLY.sub(" ", fold(text).text)
    names = frozenset(term for name in _capital(folded, language) for term in terms(name))
    return [
        Clause(own, own & names, frozenset(filter(_DIGIT.search, own)), _negated(part, language))
        for part in _END.split(folded)
        if (own := frozenset(terms(part)))
    ]


def _capital(text: str, language: str) -> list[str]:
    """Words with a capital, those that begin a sentence included: who acts often begins it.

    Where every noun has one, only those beside another: "Anna Wolf".
    """
    common = STOPWORDS.get(language, NO_STOPWORDS)
    words = _WORD.findall(text)
    capital = [x != x.lower() and x.casefold() not in common for x in words]
    if language in CAPITAL_NOUNS:
        beside = [a and b for a, b in pairwise([False, *capital, False])]
        capital = [a or b for a, b in pairwise(beside)]
    return [word for word, is_name in zip(words, capital, strict=True) if is_name]


def _negated(text: str, language: str) -> bool:
    """True if a text holds a word of denial; never in a language without a list of them."""
    signs = NEGATION_SIGNS.get(language, ())
    if any(sign in text for sign in signs) or (language == "en" and _CONTRACTED.search(text)):
        return True
    known = NEGATIONS.get(language, frozenset())
    return any(word in known for word, _, _ in tokens(text))


def contradicts(claimed: Sequence[Clause], quoted: Sequence[Clause]) -> bool:
    """True if a clause says yes where the quoted clauses nearest to it all say no, or the reverse.

    A denial that no quoted clause comes near is one unless something quoted denies as well.
    """
    for clause in claimed:
        shares = [_share(clause, other) for other in quoted]
        best = max([_SAME, *shares])
        near = [other for other, share in zip(quoted, shares, strict=True) if share == best]
        if (near or clause.negated) and all(x.negated != clause.negated for x in near or quoted):
            return True
    return False


def _share(a: Clause, b: Clause) -> float:
    return len(a.terms & b.terms) / min(len(a.terms), len(b.terms))


def exchanged(claimed: Sequence[Clause], quoted: Sequence[Clause]) -> bool:
    """True if the quoted clause that says the same as one of the claim, but for names and numbers,
    says it of others: it lacks one of the claim's and has one that the claim lacks.

    Exchanges inside one clause are not seen.
    """
    own = frozenset[str]().union(*(x.terms for x in claimed))
    names = frozenset[str]().union(*(x.names for x in quoted))
    numbers = frozenset[str]().union(*(x.numbers for x in quoted))
    for clause in claimed if quoted else ():
        nearest = max(quoted, key=lambda x: (len(x.plain & clause.plain), _share(x, clause)))
        lacking = (clause.names & names - nearest.terms, clause.numbers & numbers - nearest.terms)
        others = (nearest.names - own, nearest.numbers - own)
        if any(a and b for a, b in zip(lacking, others, strict=True)):
            return True
    return False
