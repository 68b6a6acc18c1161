"""Yes and no: whether a statement denies what its source says, or the reverse, clause by clause."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.engine.answer.quotes.folded_text import fold, tokens
from app.engine.answer.support.names import Terms
from app.engine.answer.support.words import NEGATION_SIGNS, NEGATIONS

CLAUSE_END = re.compile(
    r"[,;:.!?()\n…。！？؟।、，；：—–]|\s-\s"
    r"|(?<!\w)(?:and|but|while|whereas|und|aber|sondern|et|mais|y|pero|e|ma|mas|и|а|но)(?!\w)",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"(?<!\w)(?:or|oder|ou|o|или)(?!\w)", re.IGNORECASE)
_CONTRACTED = re.compile(r"(?<=n)['’]t\b", re.IGNORECASE)
_NOT_ONLY = re.compile(
    r"\b(?:not (?:only|just|merely)|nicht nur|non seulement|no s[oó]lo|non solo|não só)\b",
    re.IGNORECASE,
)
_SAME = 0.5  # share of the smaller clause's terms, from which on two clauses speak of one thing


@dataclass(frozen=True, slots=True)
class Clause:
    """The subject of a clause, as index terms, and whether it says no."""

    terms: frozenset[str]
    negated: bool


def clauses(text: str, language: str, terms: Terms) -> list[Clause]:
    """The clauses of a text that have terms, in order."""
    plain = _NOT_ONLY.sub(" ", fold(text).text)
    found = []
    for part in CLAUSE_END.split(_ALTERNATIVE.sub(",", plain)):
        own = frozenset(terms(part))
        if own:
            found.append(Clause(own, negated(part, language)))
    return found


def negated(text: str, language: str) -> bool:
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
        best = max(shares, default=0.0)
        if best < _SAME:
            if clause.negated and not any(other.negated for other in quoted):
                return True
            continue
        near = [other for other, share in zip(quoted, shares, strict=True) if share == best]
        if all(other.negated != clause.negated for other in near):
            return True
    return False


def _share(a: Clause, b: Clause) -> float:
    return len(a.terms & b.terms) / min(len(a.terms), len(b.terms))
